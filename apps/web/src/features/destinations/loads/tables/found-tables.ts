import type { WarehouseTableResource } from '@tributary/contract'

/** Returns the tables whose name, or the name of a column, contains the text, regardless of case. */
export const foundTables = (tables: readonly WarehouseTableResource[], text: string): WarehouseTableResource[] => {
  const wanted = text.trim().toLowerCase()
  return tables.filter(({ table, columns }) =>
    [table, ...columns.map(({ column }) => column)].some((name) => name.toLowerCase().includes(wanted)),
  )
}
