import type { DataColumn, DataQuery } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { type DataSourceRow, type SessionDeps, useDataSource } from '@tributary/syncs'

/**
 * Returns the columns of a model that is not saved yet, as the database describes them without running the query.
 * Throws the errors of `useDataSource`, and 400 if a column of the key is missing.
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
