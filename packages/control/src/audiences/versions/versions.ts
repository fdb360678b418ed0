import { type Db, displayName, type Tx } from '@tributary/api-kit'
import type { AudienceRow } from '@tributary/audiences'
import { type AudienceVersion, maxVersions, resourceNames } from '@tributary/contract'
import { type Actor, conflict } from '@tributary/kernel'
import type { AudienceListChangesTable, AudienceVersionsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Selects the versions of an audience with their authors, without their queries. */
export const selectVersions = (db: Db, audienceId: string) =>
  db
    .selectFrom('audience_versions as v')
    .leftJoin('users', 'users.id', 'v.author_id')
    .select(['v.version', 'v.title', 'v.restored_version', 'v.create_time'])
    .select(['users.email', 'users.first_name', 'users.last_name'])
    .leftJoin('audience_list_changes as c', (join) =>
      join.onRef('c.audience_id', '=', 'v.audience_id').onRef('c.version', '=', 'v.version'),
    )
    .select(['c.operation', 'c.kind', 'c.value_count', 'c.found_count'])
    .where('v.audience_id', '=', audienceId)

type VersionRow = Pick<Selectable<AudienceVersionsTable>, 'version' | 'title' | 'restored_version' | 'create_time'> & {
  email: string | null
  first_name: string | null
  last_name: string | null
} & { [Column in 'operation' | 'kind' | 'value_count' | 'found_count']: AudienceListChangesTable[Column] | null }

const authorOf = ({ email, first_name, last_name }: Pick<VersionRow, 'email' | 'first_name' | 'last_name'>): string =>
  email === null ? '' : displayName({ email, first_name: first_name ?? '', last_name: last_name ?? '' })

/** A version of an audience as the API returns it. */
export const presentVersion = (
  audience: Pick<AudienceRow, 'id' | 'workspace_id'>,
  row: VersionRow,
): AudienceVersion => ({
  name: resourceNames.audienceVersion.format({
    workspace: audience.workspace_id,
    audience: audience.id,
    version: String(row.version),
  }),
  version: row.version,
  title: row.title,
  create_time: row.create_time.toISOString(),
  author: authorOf(row),
  restored_version: row.restored_version,
  list:
    row.operation === null
      ? null
      : {
          operation: row.operation,
          kind: row.kind,
          value_count: row.value_count ?? 0,
          found_count: row.found_count ?? 0,
          time: row.create_time.toISOString(),
          author: authorOf(row),
        },
})

/**
 * Stores the title and query of an audience as its current version, and deletes the versions beyond the maximum, oldest
 * first.
 */
export const keepVersion = async (
  tx: Tx,
  audience: Pick<AudienceRow, 'id' | 'version' | 'title' | 'query'>,
  { actor, time, restored }: { actor: Actor; time: Date; restored?: number },
): Promise<void> => {
  const { id: audience_id, version, title, query } = audience
  await tx
    .insertInto('audience_versions')
    .values({
      audience_id,
      version,
      title,
      query,
      restored_version: restored ?? null,
      author_id: actor.userId,
      create_time: time,
    })
    .execute()
  await tx
    .deleteFrom('audience_versions')
    .where('audience_id', '=', audience_id)
    .where('version', '<=', version - maxVersions)
    .execute()
}

/**
 * Throws 409 if an audience no longer has the given version. The error says who changed the audience and when. Accepts
 * every audience if `version` is undefined.
 */
export const checkVersion = async (tx: Tx, row: AudienceRow, version: number | undefined): Promise<void> => {
  if (version === undefined || version === row.version) return
  const last = await selectVersions(tx, row.id).where('v.version', '=', row.version).executeTakeFirst()
  const author = last === undefined ? '' : authorOf(last)
  throw conflict(
    'AUDIENCE_CHANGED',
    `${author === '' ? 'Someone' : author} changed this audience since you opened it. Load it again and repeat your change`,
    { version: String(row.version), author, time: row.update_time.toISOString() },
  )
}
