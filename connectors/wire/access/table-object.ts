/** A table with one key column. */
export type KeyedTable = { table: string; key: string }

const objectOfTable = /^table\/([^/]+)\/([^/]+)$/

/** Returns the object name of a table in rows: the names of the table and of its key column, each percent-encoded. */
export const tableObject = ({ table, key }: KeyedTable): string =>
  `table/${encodeURIComponent(table)}/${encodeURIComponent(key)}`

/** Returns the table that an object name stands for; undefined for any other object. */
export const tableOf = (object: string): KeyedTable | undefined => {
  const [, table, key] = objectOfTable.exec(object) ?? []
  if (table === undefined || key === undefined) return undefined
  try {
    return { table: decodeURIComponent(table), key: decodeURIComponent(key) }
  } catch {
    return undefined
  }
}
