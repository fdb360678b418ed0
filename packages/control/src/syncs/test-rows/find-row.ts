import type { DataRow, DataSourceSession, RowsFrom } from '@tributary/connector-kit'
import { cursorKindOf, type DataColumn, type DataQuery, testRowsRead } from '@tributary/contract'
import { columnPlaces } from '@tributary/syncs'

/** Matches a whole number that every kind of database accepts. */
const wholeNumber = /^-?\d{1,18}$/

/**
 * Returns the value of the first key column from which the database must read to find a key. Returns undefined if the
 * database must read all rows.
 */
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
  /** The key of the wanted row; undefined for the first row of the query. */
  key: readonly string[] | undefined
  /** Whether the data source can start reading at a value of a column. */
  takesFrom: boolean
}

/**
 * Finds the row of a query that has a key, and returns it with the current columns. Reads a limited number of rows;
 * `more` is true if there are further rows. Throws the errors of the session, and MissingColumn.
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
