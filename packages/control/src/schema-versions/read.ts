import { type Db, displayName } from '@tributary/api-kit'
import { resourceNames, type SchemaVersion, schemaChanges } from '@tributary/contract'
import type { SourceSchemasTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Selects the versions of a source's schema with their authors, without the schemas themselves. */
export const selectVersions = (db: Db, sourceId: string) =>
  db
    .selectFrom('source_schemas')
    .leftJoin('users', 'users.id', 'source_schemas.author_id')
    .select([
      'source_schemas.version',
      'source_schemas.change',
      'source_schemas.author_id',
      'source_schemas.event_count',
      'source_schemas.property_count',
      'source_schemas.create_time',
      'users.email',
      'users.first_name',
      'users.last_name',
    ])
    .where('source_schemas.source_id', '=', sourceId)

export type VersionRow = Omit<Selectable<SourceSchemasTable>, 'schema' | 'source_id'> & {
  email: string | null
  first_name: string | null
  last_name: string | null
}

/** Returns the display name of a version's author; undefined for the product itself and for deleted users. */
export const authorName = ({ email, first_name, last_name }: VersionRow): string | undefined =>
  email === null ? undefined : displayName({ email, first_name: first_name ?? '', last_name: last_name ?? '' })

/** A version of a schema as the API returns it. */
export const presentVersion = (source: { workspace_id: string; id: string }, row: VersionRow): SchemaVersion => {
  const author = authorName(row)
  return {
    name: resourceNames.schemaVersion.format({
      workspace: source.workspace_id,
      source: source.id,
      version: String(row.version),
    }),
    version: row.version,
    create_time: row.create_time.toISOString(),
    author:
      row.author_id === null || author === undefined
        ? null
        : { name: resourceNames.user.format({ user: row.author_id }), display_name: author },
    change: schemaChanges.find((each) => each === row.change) ?? 'edited',
    event_count: row.event_count,
    property_count: row.property_count,
  }
}
