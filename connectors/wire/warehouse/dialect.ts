import type { Fit, Years } from './fit.ts'
import type { Columns, ColumnType } from './tables.ts'

/** The kinds of values for which a new column gets a type. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'time' | 'json'

/** A column of a statement, with the type that it has in the table. */
export type TypedColumn = { name: string; type: ColumnType }

/** The rows of one table that a statement takes from the stage. */
export type StagedRows = {
  table: string
  /** Batches of the stage, in their order. */
  batches: readonly string[]
  /** Columns of the table for which the rows can have values. The key and `received_at` are among them. */
  columns: readonly TypedColumn[]
  /** The column that identifies a row. */
  key: string
  /** Rows of the table that are older than this time (RFC 3339) are not compared. */
  since: string
  /** Staged rows whose key the table did not have before, if the dialect has `countsFirst`. */
  missing?: number
}

/**
 * The SQL of a warehouse. Names of tables and columns are those of `event-rows.ts`; the dialect turns them into those
 * of the warehouse and back. Each method that returns a list returns statements, which run one after the other and may
 * be repeated after any of them.
 */
export type Dialect = {
  /** Returns a quoted name of a column. */
  column(name: string): string
  /** Returns the quoted name of a table with its schema, for reading and inserting. */
  table(name: string): string
  /** Returns a literal of a text. */
  literal(text: string): string
  /** Returns whether no column can have this name. Such a column gets an underscore at its end. */
  isReserved(name: string): boolean
  /** The types of new columns. */
  types: Readonly<Record<ValueKind, ColumnType>>
  /** The first and the last year of a time. */
  years: Years
  /** Returns what fits a type; undefined for a type to which nothing is written. Its values go to `extra_properties`. */
  fitOf(type: ColumnType): Fit | undefined
  maxColumns: number
  /** Returns the statements that create the schema (if the account may) and the stage. */
  prepare(): string[]
  /** Returns the statement that lists all tables of the schema: name of the table, name of the column, type. */
  listColumns(): string
  /** Converts a row of `listColumns` to names as this product has them. Undefined for a table that is not for events. */
  listed(row: readonly (string | null)[]): { table: string; column: string; type: ColumnType } | undefined
  /** Returns the statements that create a table of events, or of a sync's rows, which have no `received_at`. */
  createTable(table: string, key: string, columns: Columns): string[]
  addColumns(table: string, columns: Columns, known: Columns): string[]
  /** Returns the expression of a member of `row_values` as text; null if it is absent or null. */
  member(name: string): string
  /** Returns the expression that casts a text to a type; null if it does not fit. */
  cast(text: string, type: ColumnType): string
  /** Returns the condition that a text has a part. */
  contains(text: string, part: string): string
  /**
   * Returns statements that insert the rows whose key the table does not have yet, one row for each key. `insertWhatIsNew`
   * and `mergeWhatIsNew` of `statements.ts` fit most warehouses.
   */
  insertNew(rows: StagedRows): string[]
  /** Whether `insertNew` needs the number of missing rows. */
  countsFirst?: true
  /** Returns statements that update or insert the rows of one batch, see `mergeNewer` of `statements.ts`. */
  merge(rows: StagedRows): string[]
  /** Whether `merge` writes whole rows, so that it needs all columns of the table. */
  wholeRows?: true
  /** Returns statements that remove batches from the stage. */
  dropBatches(batches: readonly string[]): string[]
  /** Returns statements that delete the rows of a table for which a condition holds. */
  deleteRows(table: string, condition: string): string[]
  /** Returns the expression of a column's value as the text of which `cast` makes the same value. */
  text(expression: string, type: ColumnType): string
  /** Returns the expression of a member of `extra_properties` as text; null if it is absent or null. */
  extraMember(name: string): string
  /**
   * Returns statements that change the type of a column, see `changeType` of `repair.ts`. They may be repeated after any
   * of them.
   */
  changeType(change: ColumnChange & { type: ColumnType }): string[]
  renameColumn(change: ColumnChange & { name: string }): string[]
  dropColumn(change: ColumnChange): string[]
}

/** A column of a table, and all columns of the table. */
export type ColumnChange = { table: string; column: string; columns: Columns }

/** A row of the stage. Texts are as `stage.ts` writes them. */
export type StageRow = {
  batch: string
  place: number
  table_name: string
  mode: 'insert' | 'merge' | 'columns'
  row_key: string
  /** RFC 3339 in UTC. */
  received_at: string
  /** A JSON object of texts by column. */
  row_values: string
  /** Columns that become null, as `|one|two|`; '' if there are none. */
  set_null: string
  bytes: number
}

/** A connection to a warehouse. One call at a time uses it. */
export type WarehouseSession = {
  readonly dialect: Dialect
  /** Runs a statement, and returns its rows as texts. Rejects with a DeliveryError. */
  run(statement: string): Promise<(string | null)[][]>
  /** Adds rows to the stage. All of them, or at least none of a batch that the caller does not repeat. */
  stage(rows: readonly StageRow[]): Promise<void>
}

/** The table of staged rows. */
export const stageTable = 'tributary_stage'
