import type { DataColumn, DataQuery } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { type DataSourceRow, type SessionDeps, useDataSource } from '@tributary/syncs'

/**
 * The columns of a model that is about to be saved, as the database describes them without running the query. Throws as `useDataSource`
 * does, and 400 when a column of the key is not among them.
 */
export const describeModel = async (
  deps: SessionDeps,
  row: DataSourceRow,
  { query, key, signal }: { query: DataQuery; key: readonly string[]; signal: AbortSignal },
): Promise<DataColumn[]> => {
  const columns = await useDataSource(deps, row, signal, (session) => session.describe(query))
  const missing = key.find((name) => !columns.some((column) => column.name === name))
  if (missing === undefined) return columns
  const text = `The query has no column ${missing}`
  throw badRequest('VALIDATION', text, { primary_key: text })
}
