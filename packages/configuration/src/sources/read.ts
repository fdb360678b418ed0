import { type Db, isId } from '@tributary/api-kit'
import {
  enforcements,
  resourceNames,
  type Source,
  type SourceWithSchema,
  sourceTypes,
  targetProducts,
} from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { SourcesTable } from '@tributary/storage'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { presentSettings } from '../connector-settings/present-setting.ts'
import { readableSettings } from '../connector-settings/stored-settings.ts'
import type { ConfigurationServices } from '../services.ts'

export type SourceRow = Selectable<SourcesTable> & { last_used_time: Date | null }

/** An SQL expression for the time when a key of the source was last used. */
const lastUsed: RawBuilder<Date | null> = sql`(
  select max(write_keys.last_used_time) from write_keys where write_keys.source_id = sources.id)`

/** Selects the sources of a workspace that are not deleted. */
export const selectSources = (db: Db, workspaceId: string) =>
  db
    .selectFrom('sources')
    .selectAll('sources')
    .select(lastUsed.as('last_used_time'))
    .where('sources.workspace_id', '=', workspaceId)
    .where('sources.delete_time', 'is', null)

/** Reads a source of this workspace. Throws 404 if it does not exist, was deleted, or belongs to another workspace. */
export const readSource = async (db: Db, workspaceId: string, sourceId: string): Promise<SourceRow> => {
  const row =
    isId(workspaceId) && isId(sourceId)
      ? await selectSources(db, workspaceId).where('sources.id', '=', sourceId).executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('source not found')
  return row
}

type PresentDeps = Pick<ConfigurationServices, 'catalog' | 'secretBox' | 'logger'>

/** Returns a source in the form of the API, without secrets. */
export const presentSource = async (row: SourceRow, { catalog, secretBox, logger }: PresentDeps): Promise<Source> => {
  const ids = { workspace: row.workspace_id, source: row.id }
  const entry = catalog.sources.find(({ slug }) => slug === row.app)
  const fields = (await entry?.load())?.settings?.fields ?? []
  return {
    name: resourceNames.source.format(ids),
    title: row.title,
    app: {
      name: resourceNames.sourceApp.format(ids),
      catalog_app: resourceNames.catalogSource.format({ app: row.app }),
      display_name: entry?.title ?? row.app,
      docs_url: entry?.docsUrl ?? '',
      type: entry?.type ?? sourceTypes.Unspecified,
      extra: { app_icon: entry?.icon ?? '' },
      settings: presentSettings(
        fields,
        fields.length === 0 ? {} : readableSettings(`sources/${row.id}`, row, secretBox, logger),
      ),
    },
    target_product: targetProducts.find((product) => product === row.target_product) ?? 'CDP',
    enabled: row.enabled,
    enforcement: enforcements.find((each) => each === row.enforcement) ?? 'allow',
    schema_version: row.schema_version,
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
    has_received: row.last_used_time !== null,
    last_event_time: row.last_used_time?.toISOString() ?? null,
  }
}

/** Returns a source with its schema, in the form of the API. */
export const presentWithSchema = async (deps: PresentDeps & { db: Db }, row: SourceRow): Promise<SourceWithSchema> => {
  const current = await deps.db
    .selectFrom('source_schemas')
    .select(['schema', 'version', 'create_time'])
    .where('source_id', '=', row.id)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    ...(await presentSource({ ...row, schema_version: current.version }, deps)),
    schema: {
      schema: current.schema,
      version: current.version,
      update_time: current.create_time.toISOString(),
    },
  }
}
