import type { EventType } from '@tributary/contract'
import type { DeliverContext, Settings } from './definition.ts'

/**
 * Columns of tables for events that users cannot change. Loads need the first three, and deletions of users find rows by
 * the others.
 */
export const fixedColumns: ReadonlySet<string> = new Set([
  'id',
  'received_at',
  'extra_properties',
  'user_id',
  'anonymous_id',
])

/** The outcome of a load. */
export type LoadReport = {
  batches: number
  /** Staged rows by table. */
  rows: Record<string, number>
  /** Bytes of the staged rows. */
  bytes: number
  /** Values that did not fit their column, because it had changed since they were staged. */
  unfit: number
  /** Whether the stage has more batches. */
  more: boolean
}

/** A table of a warehouse that this product fills. */
export type WarehouseTable = { name: string; columns: readonly { name: string; type: string }[] }

/** How many values of a column would convert to another type. `examples` are values that would not. */
export type Conversion = { values: number; convert: number; fromExtra: number; examples: readonly string[] }

/** For a warehouse: `deliver` stages events, and `load` moves them into their tables. */
export type Warehouse<S extends Settings = Settings> = {
  /** Minutes between two loads. */
  everyMinutes: (settings: S) => number
  /** The hours of the day (UTC) in which loads run by schedule: from `from` to before `to`; undefined for all day. */
  hours: (settings: S) => { from: number; to: number } | undefined
  /** Whether the vendor bills the time that a load takes. */
  billed: (settings: S) => boolean
  /**
   * Loads what is staged. Stores each event once, whenever it is killed and repeated. Rejects like `deliver`. The error
   * has the failed statement as its request.
   */
  load: (context: DeliverContext<S>) => Promise<LoadReport>
  /** Lists the tables for events, with their columns. Rejects like `deliver`. */
  tables: (context: DeliverContext<S>) => Promise<readonly WarehouseTable[]>
  /** The tables that have a row for an event of this type and name. */
  tablesOf: (event: { type: EventType; event: string }) => readonly string[]
  /** Counts the rows of each table whose event was received in a span (epoch ms, end excluded). Rejects like `deliver`. */
  count: (context: DeliverContext<S>, span: { from: number; to: number }) => Promise<Readonly<Record<string, number>>>
  /** The types that people can choose for a column, in the words of the vendor. */
  types: readonly string[]
  /** Counts what a change of a column's type would convert. Changes nothing. */
  conversion: (
    context: DeliverContext<S>,
    change: { table: string; column: string; type: string },
  ) => Promise<Conversion>
  /** Changes the type of a column. Values that do not convert move to `extra_properties`, and those of there that do return. */
  changeType: (context: DeliverContext<S>, change: { table: string; column: string; type: string }) => Promise<void>
  renameColumn: (context: DeliverContext<S>, change: { table: string; column: string; name: string }) => Promise<void>
  dropColumn: (context: DeliverContext<S>, change: { table: string; column: string }) => Promise<void>
}
