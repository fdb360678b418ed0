/** A type of a column, as the warehouse names it. */
export type ColumnType = string

/** Column types by column name. */
export type Columns = ReadonlyMap<string, ColumnType>

/** The tables of a schema, cached per connection. */
export type Tables = {
  /** Returns the table's columns; undefined if the table does not exist. */
  columns(table: string): Promise<Columns | undefined>
  /** Returns whether another table can be created. */
  hasRoom(): Promise<boolean>
  /** Creates a missing table with its first columns, of which `key` identifies a row. */
  create(table: string, key: string, columns: Columns): Promise<Columns>
  /** Adds missing columns. */
  add(table: string, columns: Columns): Promise<Columns>
  /** Empties the cache, so that all tables are read again. */
  forget(): void
}

/** The column types of a warehouse, and the values that fit them. */
export type ColumnRules = {
  /** Returns the type of a new column for a value that is not null. */
  typeFor(value: unknown): ColumnType
  /** Converts a value to the form of a column's type; undefined if it does not fit. */
  fitTo(type: ColumnType, value: unknown): { value: unknown } | undefined
  /** Returns the first columns of a table for events. */
  firstColumns(names: readonly string[]): Columns
  /** The type of `extra_properties`. */
  extraType: ColumnType
  /** Maximum columns of one table for events; further properties are stored in `extra_properties`. */
  maxColumns: number
}

/** Maximum number of tables in the schema. Above it, new events get no separate table. */
export const maxTables = 1000
