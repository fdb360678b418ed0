import { audit } from '@tributary/api-kit'
import type { DataRow, DataSourceSession } from '@tributary/connector-kit'
import { type DataPreview, type DataQuery, dataSourceLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { cutText } from '@tributary/kernel'
import { dataSourceName, readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Maximum number of characters in a preview; it ends before the row that would exceed them. */
const maxCharacters = 2_000_000

const cut = (value: string | null): string | null =>
  value !== null && value.length > dataSourceLimits.previewCharacters
    ? `${cutText(value, dataSourceLimits.previewCharacters).toWellFormed()}…`
    : value

/** Reads the first rows of a query, up to the limits of a preview. */
const firstRows = async (session: DataSourceSession, query: DataQuery): Promise<Omit<DataPreview, 'columns'>> => {
  const rows: DataRow[] = []
  let characters = 0
  for await (const batch of session.read(query, dataSourceLimits.previewRows + 1))
    for (const row of batch) {
      const shown = row.map(cut)
      characters += shown.reduce((sum, value) => sum + (value?.length ?? 0), 0)
      if (rows.length >= dataSourceLimits.previewRows || (rows.length > 0 && characters > maxCharacters))
        return { rows: rows.map((each) => [...each]), more: true }
      rows.push(shown)
    }
  return { rows: rows.map((each) => [...each]), more: false }
}

/** Shows rows of a data source, and records which user read which data. */
export const previewDataSource =
  (deps: SessionDeps & Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.dataSources.preview> =>
  async ({ workspace, params, body: { query }, signal }) => {
    const { db } = deps
    const row = await readDataSource(db, workspace.id, params.data_source)
    await db
      .transaction()
      .execute((tx) =>
        audit(
          tx,
          dataSourceName(workspace.id, row.id),
          'sql' in query ? { sql: cutText(query.sql, 1000) } : { schema: query.schema, table: query.table },
        ),
      )
    return await useDataSource(deps, row, signal, async (session) => ({
      columns: await session.describe(query),
      ...(await firstRows(session, query)),
    }))
  }
