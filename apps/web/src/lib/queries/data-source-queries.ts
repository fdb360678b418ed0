import { methods } from '@tributary/contract'
import { dataSourceIds, modelIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** The catalog of data sources. */
export const catalogDataSourcesQuery = (workspace: string) =>
  rowsQuery(
    methods.catalogDataSources.list,
    { params: workspaceIds(workspace) },
    ({ catalog_data_sources }) => catalog_data_sources,
  )

/** One kind of data source; `app` is the slug of the entry. */
export const catalogDataSourceQuery = (workspace: string, app: string) =>
  query(methods.catalogDataSources.get, { params: { ...workspaceIds(workspace), app } })

/** All data sources of a workspace. */
export const dataSourcesQuery = (workspace: string) =>
  rowsQuery(methods.dataSources.list, { params: workspaceIds(workspace) }, ({ data_sources }) => data_sources)

/** A data source by resource name, with its settings. */
export const dataSourceQuery = (dataSource: string) =>
  query(methods.dataSources.get, { params: dataSourceIds(dataSource) })

/** The columns of a table of a data source. Each read queries the database. */
export const tableQuery = (dataSource: string, { schema, name }: { schema: string; name: string }) =>
  query(
    methods.dataSources.getTable,
    { params: dataSourceIds(dataSource), query: { schema, table: name } },
    { read: ({ columns }) => columns },
  )

/** All models of a data source. */
export const modelsQuery = (dataSource: string) => {
  const { workspace } = dataSourceIds(dataSource)
  return rowsQuery(
    methods.models.list,
    { params: { workspace }, query: { data_source: dataSource } },
    ({ models }) => models,
  )
}

/** All models of a workspace. */
export const allModelsQuery = (workspace: string) =>
  rowsQuery(methods.models.list, { params: workspaceIds(workspace) }, ({ models }) => models)

/** A model by resource name. */
export const modelQuery = (model: string) => query(methods.models.get, { params: modelIds(model) })
