import type { DataRow, DataSourceSession, RowsFrom } from '@tributary/connector-kit'
import { cursorKindOf, type DataColumn, type DataQuery, testRowsRead } from '@tributary/contract'
import { columnPlaces } from '@tributary/syncs'

/** A whole number that each database takes as one. */
const wholeNumber = /^-?\d{1,18}$/

/** The value from which a database must read to reach a key; undefined if it must read all rows. */
const fromKey = (
  columns: readonly DataColumn[],
  primaryKey: readonly string[],
  key: readonly string[],
): RowsFrom | undefined => {
  const [column = '', value = ''] = [primaryKey[0], key[0]]
  const type = columns.find(({ name }) => name === column)?.type ?? ''
  return cursorKindOf(type) === 'number' && wholeNumber.test(value) ? { column, kind: 'number', value } : undefined
}

type Wanted = {
  query: DataQuery
  primaryKey: readonly string[]
  /** Undefined for the first row. */
  key: readonly string[] | undefined
  /** Whether rows can be read from a value on. */
  takesFrom: boolean
}

/**
 * The row of a query with a key, and the columns as they are now. Looks through a bounded number of rows; `more` says that there are others.
 * Throws as the session does, and MissingColumn.
 */
export const findRow = async (
  session: Pick<DataSourceSession, 'describe' | 'read'>,
  { query, primaryKey, key, takesFrom }: Wanted,
): Promise<{ columns: readonly DataColumn[]; row: DataRow | undefined; more: boolean }> => {
  const columns = await session.describe(query)
  const places = primaryKey.map(columnPlaces(columns))
  const from = key !== undefined && takesFrom ? fromKey(columns, primaryKey, key) : undefined
  let read = 0
  for await (const batch of session.read(query, key === undefined ? 1 : testRowsRead + 1, from))
    for (const row of batch) {
      if (++read > testRowsRead) return { columns, row: undefined, more: true }
      if (key === undefined || places.every((place, at) => row[place] === key[at])) return { columns, row, more: false }
    }
  return { columns, row: undefined, more: false }
}
