import type { KnownColumn } from '@tributary/connector-kit'

/** A row of SVV_COLUMNS. */
export type CatalogColumn = {
  column_name: string
  data_type: string
  character_maximum_length: number | string | null
  numeric_precision: number | string | null
  numeric_scale: number | string | null
  is_nullable: string | null
}

/**
 * Returns the name of a column's type as the description of a query has it, such as `numeric(18,4)`. Types of external
 * tables contain their length already.
 */
const typeOf = (column: CatalogColumn): string => {
  const { data_type: type, character_maximum_length: length, numeric_precision: precision } = column
  if (/^(?:character varying|character)$/.test(type) && Number(length) > 0) return `${type}(${Number(length)})`
  if (type === 'numeric' && Number(precision) > 0)
    return `numeric(${Number(precision)},${Number(column.numeric_scale)})`
  return type
}

/** Returns a column of a table. For some views, Redshift does not say whether a column can be null. */
export const columnOf = (column: CatalogColumn, key: ReadonlySet<string>): KnownColumn => ({
  name: column.column_name,
  type: typeOf(column),
  nullable: column.is_nullable?.toUpperCase() !== 'NO',
  in_key: key.has(column.column_name),
})
