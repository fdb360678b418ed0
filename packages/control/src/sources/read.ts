import { resourceNames, type Source, sourceTypes, targetProducts } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { SourcesTable } from '@tributary/storage'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { iconAddress } from '../catalog-sources/present.ts'
import type { Catalog, Db } from '../deps.ts'
import { isId } from '../resource-ids.ts'

export type SourceRow = Selectable<SourcesTable> & { last_used_time: Date | null }

/** When a key of the source was last used. */
const lastUsed: RawBuilder<Date | null> = sql`(
  select max(write_keys.last_used_time) from write_keys where write_keys.source_id = sources.id)`

/** The living sources of a workspace. */
export const selectSources = (db: Db, workspaceId: string) =>
  db
    .selectFrom('sources')
    .selectAll('sources')
    .select(lastUsed.as('last_used_time'))
    .where('sources.workspace_id', '=', workspaceId)
    .where('sources.delete_time', 'is', null)

/** A source of this workspace; throws 404 for one that is absent, deleted or of another workspace. */
export const readSource = async (db: Db, workspaceId: string, sourceId: string): Promise<SourceRow> => {
  const row =
    isId(workspaceId) && isId(sourceId)
      ? await selectSources(db, workspaceId).where('sources.id', '=', sourceId).executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('source not found')
  return row
}

/** A source as the wire shows it. */
export const presentSource = (row: SourceRow, catalog: Catalog): Source => {
  const ids = { workspace: row.workspace_id, source: row.id }
  const entry = catalog.sources.find(({ slug }) => slug === row.app)
  return {
    name: resourceNames.source.format(ids),
    title: row.title,
    app: {
      name: resourceNames.sourceApp.format(ids),
      catalog_app: resourceNames.catalogSource.format({ app: row.app }),
      display_name: entry?.title ?? row.app,
      docs_url: entry?.docsUrl ?? '',
      type: entry?.type ?? sourceTypes.Unspecified,
      extra: { app_icon: entry === undefined ? '' : iconAddress(entry.logo) },
    },
    target_product: targetProducts.find((product) => product === row.target_product) ?? 'CDP',
    enabled: row.enabled,
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
    has_received: row.last_used_time !== null,
    last_event_time: row.last_used_time?.toISOString() ?? null,
  }
}
