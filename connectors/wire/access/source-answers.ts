import { type DataColumn, DataQueryError, type DataTable, type KeyCheck } from '@tributary/connector-kit'

/** A table of a list, from its row: schema, name, kind, and the number of rows. */
export const tableOf = ([schema, name, kind, rows]: readonly (string | null)[]): DataTable => ({
  schema: schema ?? '',
  name: name ?? '',
  kind: kind === 'view' ? 'view' : 'table',
  rows: rows === null || rows === undefined ? null : Number(rows),
})

/** The check of a key, from its row: rows, rows without a key, repeated keys, and their rows. */
export const keyCheckOf = (counts: readonly unknown[] = []): KeyCheck => {
  const [rows = 0, null_rows = 0, duplicate_keys = 0, duplicate_rows = 0] = counts.map(Number)
  return { rows, null_rows, duplicate_keys, duplicate_rows }
}

/** Throws DataQueryError if two columns of a query are the same by this comparison. */
export const requireDistinct = (
  columns: readonly Pick<DataColumn, 'name'>[],
  compared = (name: string): string => name,
): void => {
  const known = new Set<string>()
  for (const { name } of columns) {
    if (known.has(compared(name)))
      throw new DataQueryError(`The column ${name} comes up twice. Give each column a name of its own`)
    known.add(compared(name))
  }
}
