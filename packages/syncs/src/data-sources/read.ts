import { type Db, isId } from '@tributary/api-kit'
import { presentSettings, readableSettings } from '@tributary/configuration'
import { type DataSource, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { DataSourcesTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { presentListedDataSource } from '../catalog-data-sources/present.ts'
import type { SyncServices } from '../services.ts'

export type DataSourceRow = Selectable<DataSourcesTable>

export const dataSourceName = (workspace: string, dataSource: string): string =>
  resourceNames.dataSource.format({ workspace, data_source: dataSource })

/** Reads a data source of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readDataSource = async (db: Db, workspaceId: string, id: string): Promise<DataSourceRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('data_sources')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('data source not found')
  return row
}

/** Counts the models of each data source. Data sources without models are omitted. */
export const modelCounts = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('models')
    .select((query) => ['data_source_id', query.fn.countAll<string>().as('count')])
    .where('data_source_id', 'in', ids)
    .groupBy('data_source_id')
    .execute()
  return new Map(rows.map((row) => [row.data_source_id, Number(row.count)]))
}

type PresentDeps = Pick<SyncServices, 'catalog' | 'secretBox' | 'logger'>

/** Returns a data source in the form of the API, without secrets. */
export const presentDataSource = async (
  row: DataSourceRow,
  counts: ReadonlyMap<string, number>,
  { catalog, secretBox, logger }: PresentDeps,
): Promise<DataSource> => {
  const entry = catalog.dataSources.find(({ slug }) => slug === row.app)
  const definition = await entry?.load()
  const settings = readableSettings(`dataSources/${row.id}`, row, secretBox, logger)
  return {
    name: dataSourceName(row.workspace_id, row.id),
    title: row.title,
    app: presentListedDataSource(row.app, entry),
    settings: presentSettings(definition?.settings.fields ?? [], settings),
    model_count: counts.get(row.id) ?? 0,
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
  }
}

/** Reads a data source, and returns it in the form of the API. */
export const showDataSource = async (
  deps: PresentDeps & { db: Db },
  workspaceId: string,
  id: string,
): Promise<DataSource> => {
  const row = await readDataSource(deps.db, workspaceId, id)
  return await presentDataSource(row, await modelCounts(deps.db, [row.id]), deps)
}
