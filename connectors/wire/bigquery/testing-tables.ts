import type { DuckDb } from '../warehouse-testing/duckdb.ts'
import { refuse } from './testing-refusals.ts'
import { schemaOf } from './testing-rows.ts'

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns a page of a list with its token; `maxResults` is at most 1,000. */
const pageOf = <T>(all: readonly T[], search: URLSearchParams): { page: readonly T[]; nextPageToken?: string } => {
  const from = Number(search.get('pageToken') ?? 0)
  const to = from + Math.min(Number(search.get('maxResults') ?? 50), 1000)
  return { page: all.slice(from, to), ...(to < all.length ? { nextPageToken: String(to) } : {}) }
}

const rowsOf = async (duck: DuckDb, sql: string): Promise<string[][]> =>
  (await duck.run(sql)).rows.map((row) => row.map(String))

/** Answers `datasets.list`; without datasets, its list is missing. */
export const listDatasets = async (duck: DuckDb, project: string, search: URLSearchParams): Promise<object> => {
  const found = await rowsOf(
    duck,
    `select schema_name from duckdb_schemas() where database_name = ${literal(project)} and schema_name not in ('main', 'information_schema', 'pg_catalog') order by hash(schema_name)`,
  )
  const { page, ...more } = pageOf(found, search)
  const datasets = page.map(([datasetId]) => ({
    kind: 'bigquery#dataset',
    datasetReference: { projectId: project, datasetId },
    location: 'europe-west3',
  }))
  return { kind: 'bigquery#datasetList', ...(datasets.length === 0 ? {} : { datasets }), ...more }
}

/** Answers `tables.list`. */
export const listTables = async (
  duck: DuckDb,
  { project, dataset }: { project: string; dataset: string },
  search: URLSearchParams,
): Promise<object> => {
  const found = await rowsOf(
    duck,
    `select table_name, table_type from information_schema.tables where table_catalog = ${literal(project)} and table_schema = ${literal(dataset)} order by hash(table_name)`,
  )
  const { page, ...more } = pageOf(found, search)
  const tables = page.map(([tableId, type]) => ({
    kind: 'bigquery#table',
    tableReference: { projectId: project, datasetId: dataset, tableId },
    type: type === 'VIEW' ? 'VIEW' : 'TABLE',
  }))
  return { kind: 'bigquery#tableList', ...(tables.length === 0 ? {} : { tables }), totalItems: found.length, ...more }
}

/** Answers `tables.get`. */
export const tableOf = async (
  duck: DuckDb,
  { project, dataset, table }: { project: string; dataset: string; table: string },
): Promise<object> => {
  const name = [project, dataset, table].map(quoted).join('.')
  const result = await duck
    .run(`select * from ${name} limit 0`)
    .catch(() => refuse(404, 'notFound', `Not found: Table ${project}:${dataset}.${table}`))
  const required = await rowsOf(
    duck,
    `select column_name from information_schema.columns where table_catalog = ${literal(project)} and table_schema = ${literal(dataset)} and table_name = ${literal(table)} and is_nullable = 'NO'`,
  )
  const isRequired = new Set(required.map(([column]) => column))
  const key = await rowsOf(
    duck,
    `select unnest(constraint_column_names) from duckdb_constraints() where constraint_type = 'PRIMARY KEY' and database_name = ${literal(project)} and schema_name = ${literal(dataset)} and table_name = ${literal(table)}`,
  )
  const fields = result.columns.map((column) => {
    const field = schemaOf(column.name, column.type)
    return isRequired.has(column.name) ? { ...field, mode: 'REQUIRED' } : field
  })
  const constraints =
    key.length === 0 ? {} : { tableConstraints: { primaryKey: { columns: key.map(([name]) => name) } } }
  return { kind: 'bigquery#table', type: 'TABLE', schema: { fields }, ...constraints }
}
