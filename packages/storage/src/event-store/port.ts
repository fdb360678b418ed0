/**
 * The event store speaks ClickHouse's dialect over ClickHouse's HTTP interface, for the embedded child and for a
 * cluster. Values are always passed as `params` and appear in the text as `{name:Type}`. The embedded one takes
 * numbers, Bool, String, FixedString, dates and times, UUID, IP addresses, Decimal and `Identifier`. It also takes
 * Nullable, LowCardinality, Array and Tuple of them.
 *
 * JSON columns: a number is read as `properties.price::Nullable(Float64)` (`.:Float64` misses integers). Presence of a
 * path is `isNotNull(properties.price)` (`count(properties.price)` counts every row). They return neither nulls nor the
 * difference between a dot in a name and a nested object, and hold only the first of repeated names.
 */
export type InsertOptions = {
  /** Repeating an insert with the same token and rows stores them once. */
  token: string
  /** Aborts the call; an insert already sent may still happen (repeat it with the same token). */
  signal?: AbortSignal
}

/** Rows for an insert: a text, or lines without line feeds. */
export type NdjsonRows = string | readonly string[]

/**
 * Rows in ClickHouse's RowBinary: values of these columns in their order, JSON ones as text. Cheaper than text on both
 * sides: nothing is escaped, no name is looked up, and the text of an event is copied as it is.
 */
export type BinaryRows = { readonly columns: readonly string[]; readonly pieces: readonly Uint8Array[] }

export type QueryOptions = {
  /**
   * Whose query it is: the id of the workspace (or organization) that has it to wait for, `systemOwner` for the product's
   * own work. Owners take turns, and none of them has all the slots of a kind.
   */
  owner: string
  /** 'short' answers the screens, 'heavy' is for scans. */
  slot?: 'short' | 'heavy'
  /** Takes the query out of the queue, and ends it when it runs. */
  signal?: AbortSignal
  /** Conditions by table: of each only rows are read that meet its own, whatever the statement says. */
  filters?: Readonly<Record<string, string>>
  /**
   * Called about twice a second with the rows that a long query has read, and the rows that it expects to read. Never
   * called once the query has ended, nor while the engine does not report its progress.
   */
  onProgress?: (rows: { read: number; total: number }) => void
}

/** The owner of queries that no request from outside causes. */
export const systemOwner = 'system'

export interface EventStore {
  /**
   * Inserts rows given as NDJSON (one JSON object a line) or as RowBinary (in pieces, which are joined as they are),
   * durable on return: all of them or none. Throws InsertRejected when the engine refuses a row (type, parse),
   * EventStoreUnavailable when it cannot be reached or is overloaded. At most 128 MiB a call; the more rows, up to some
   * ten thousand, the cheaper each of them and the merges behind it.
   *
   * The text that is always taken: times as whole milliseconds; JSON columns as objects made by JSON.stringify, with
   * strings well-formed (no half surrogate pairs), integers within -2^63 … 2^64-1 (larger ones with an exponent) and
   * fewer than a thousand levels. Texts that look like dates stay texts.
   */
  insert(table: string, rows: NdjsonRows | BinaryRows, options: InsertOptions): Promise<void>
  /**
   * Rows of a SELECT. 64-bit integers come as numbers (exact up to 2^53).
   *
   * @throws EventStoreQueryError for a mistake in the statement
   * @throws EventStoreBusy when its owner has too much waiting or running
   * @throws EventStoreLimitExceeded when it takes more time, memory or bytes than one may
   * @throws EventStoreUnavailable when the engine is away, overloaded or out of memory
   * @throws the reason of an aborted signal
   */
  query<Row>(sql: string, params: Record<string, unknown> | undefined, options: QueryOptions): Promise<Row[]>
  /**
   * Rows of a SELECT as RowBinary, with the columns in their order. For texts that are passed on unchanged, without
   * escaping and parsing them. Throws as `query` does.
   */
  queryBinary(
    sql: string,
    params: Record<string, unknown> | undefined,
    options: Omit<QueryOptions, 'onProgress'>,
  ): Promise<Uint8Array>
  /** A statement without rows (DDL, ALTER … DROP PARTITION). */
  command(sql: string, params?: Record<string, unknown>): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** The engine understood the call and refuses the data: bisect to find the row. */
export class InsertRejected extends Error {
  readonly engineCode: number
  /** Number (from 1) of the refused row, when the engine reports it. */
  readonly row: number | undefined
  constructor(engineCode: number, message: string, row?: number) {
    super(message)
    this.name = 'InsertRejected'
    this.engineCode = engineCode
    this.row = row
  }
}

/** The engine is away, starting, out of memory or overloaded: try again later with the same token. */
export class EventStoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EventStoreUnavailable'
  }
}

/** The owner of a query has as many of them waiting as it may, or waits for its own: others go on. Try again later. */
export class EventStoreBusy extends EventStoreUnavailable {
  constructor(message: string) {
    super(message)
    this.name = 'EventStoreBusy'
  }
}

/** The limits of one query. */
export type QueryLimit = 'time' | 'memory' | 'bytes'

/** A query needs more than one may have. It passes with less to look through, or, for 'time', when less is going on. */
export class EventStoreLimitExceeded extends EventStoreUnavailable {
  readonly limit: QueryLimit
  constructor(limit: QueryLimit, message: string, cause?: unknown) {
    super(message, cause)
    this.name = 'EventStoreLimitExceeded'
    this.limit = limit
  }
}

/** The engine understood the call and refuses the statement: a mistake in it, a missing table, a parameter that does not fit. */
export class EventStoreQueryError extends Error {
  readonly engineCode: number
  constructor(engineCode: number, message: string) {
    super(message)
    this.name = 'EventStoreQueryError'
    this.engineCode = engineCode
  }
}
