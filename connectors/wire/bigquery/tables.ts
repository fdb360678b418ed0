import { isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { Call } from './calls.ts'
import { BigQueryError, notBigQuery } from './failures.ts'
import { type Field, fieldsOf } from './fields.ts'

/** The most entries of one page of a list, and the most pages that are read. */
const pageEntries = 1000
const maxPages = 200

/** A table or view of a dataset. */
export type ListedTable = { dataset: string; table: string; isView: boolean }

const listIn = (answer: JsonObject, member: string): JsonObject[] => {
  const { [member]: list = [] } = answer
  if (!Array.isArray(list)) throw notBigQuery(`its ${member} are no list`)
  return list.filter(isJsonObject)
}

/** Yields the entries of a list, page by page. */
async function* entriesOf(
  call: Call,
  path: string,
  member: string,
  pages: { left: number },
): AsyncGenerator<JsonObject, void, void> {
  let token: string | undefined
  do {
    if (pages.left-- <= 0) return
    const query = { maxResults: String(pageEntries), ...(token === undefined ? {} : { pageToken: token }) }
    const answer = await call({ path, query, scope: 'read', isRepeated: true })
    yield* listIn(answer, member)
    const { nextPageToken } = answer
    token = typeof nextPageToken === 'string' && nextPageToken !== '' ? nextPageToken : undefined
  } while (token !== undefined)
}

const nameIn = (entry: JsonObject, reference: string, member: string): string => {
  const named = entry[reference]
  const name = isJsonObject(named) ? named[member] : undefined
  return typeof name === 'string' ? name : ''
}

/** Compares names by their characters, as other databases sort them. */
const byName = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const isView = ({ type }: JsonObject): boolean => type === 'VIEW' || type === 'MATERIALIZED_VIEW'

/**
 * Lists tables and views of a project by dataset and name, those whose `dataset.table` contains `search` in any case.
 * Reads datasets until it has enough, by `datasets.list` and `tables.list`, which cost nothing. After 200 pages of 1,000
 * entries it returns what it has found. Models and other kinds of tables are left out if they have no rows.
 */
export const listTables = async (
  call: Call,
  project: string,
  { search, offset, limit }: { search: string; offset: number; limit: number },
): Promise<ListedTable[]> => {
  const base = `${encodeURIComponent(project)}/datasets`
  const pages = { left: maxPages }
  const datasets: string[] = []
  for await (const entry of entriesOf(call, base, 'datasets', pages))
    datasets.push(nameIn(entry, 'datasetReference', 'datasetId'))
  const wanted = search.toLowerCase()
  const found: ListedTable[] = []
  for (const dataset of datasets.toSorted(byName)) {
    if (dataset === '' || found.length >= offset + limit) continue
    const tables: ListedTable[] = []
    const path = `${base}/${encodeURIComponent(dataset)}/tables`
    for await (const entry of entriesOf(call, path, 'tables', pages)) {
      const table = nameIn(entry, 'tableReference', 'tableId')
      if (table !== '' && `${dataset}.${table}`.toLowerCase().includes(wanted))
        tables.push({ dataset, table, isView: isView(entry) })
    }
    found.push(...tables.toSorted((one, other) => byName(one.table, other.table)))
  }
  return found.slice(offset, offset + limit)
}

/** The columns of a table, and the names of those in its primary key, which BigQuery does not enforce. */
export type TableColumns = { fields: readonly Field[]; key: ReadonlySet<string> }

/** Reads the columns of a table by `tables.get`; undefined if the table does not exist. */
export const readColumns = async (
  call: Call,
  { project, dataset, table }: { project: string; dataset: string; table: string },
): Promise<TableColumns | undefined> => {
  const [inProject, inDataset, name] = [project, dataset, table].map(encodeURIComponent)
  const path = `${inProject}/datasets/${inDataset}/tables/${name}`
  const answer = await call({ path, scope: 'read', isRepeated: true }).catch((error: unknown) => {
    // Names with characters that no dataset or table can have are `invalid`.
    if (error instanceof BigQueryError && (error.reason === 'notFound' || error.reason === 'invalid')) return undefined
    throw error
  })
  if (answer === undefined) return undefined
  const { schema = { fields: [] }, tableConstraints } = answer
  const primaryKey = isJsonObject(tableConstraints) ? tableConstraints['primaryKey'] : undefined
  const columns = isJsonObject(primaryKey) ? primaryKey['columns'] : undefined
  const key = Array.isArray(columns) ? columns.filter((column) => typeof column === 'string') : []
  return { fields: fieldsOf(schema), key: new Set(key) }
}

/** Returns the location of a dataset, such as `EU`, by `datasets.get`. Rejects like `Call`. */
export const readLocation = async (
  call: Call,
  { project, dataset }: { project: string; dataset: string },
): Promise<string> => {
  const path = `${encodeURIComponent(project)}/datasets/${encodeURIComponent(dataset)}`
  const { location } = await call({ path, scope: 'full', isRepeated: true })
  if (typeof location !== 'string' || location === '') throw notBigQuery('a dataset has no location')
  return location
}
