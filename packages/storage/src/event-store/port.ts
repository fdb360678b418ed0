/**
 * The event store uses ClickHouse's dialect over ClickHouse's HTTP interface, for the embedded child and for a cluster.
 * Values are always passed as `params` and appear in the text as `{name:Type}`. The embedded one accepts numbers, Bool,
 * String, FixedString, dates and times, UUID, IP addresses, Decimal and `Identifier`. It also accepts Nullable,
 * LowCardinality, Array and Tuple of them.
 *
 * JSON columns: a number is read as `properties.price::Nullable(Float64)` (`.:Float64` misses integers). A path exists
 * if `isNotNull(properties.price)` (`count(properties.price)` counts every row). They return no nulls, do not
 * distinguish a dot in a name from a nested object, and keep only the first of repeated names.
 */
export type InsertOptions = {
  /** An insert that is repeated with the same token and rows is stored once. */
  token: string
  /** Aborts the call; an insert that was already sent may still happen (repeat it with the same token). */
  signal?: AbortSignal
}

/** Rows for an insert: one text, or lines without line feeds. */
export type NdjsonRows = string | readonly string[]

/**
 * Rows in ClickHouse's RowBinary: the values of these columns in order, JSON values as text. Cheaper than text on both
 * sides: nothing is escaped, no name is looked up, and the text of an event is copied unchanged.
 */
export type BinaryRows = { readonly columns: readonly string[]; readonly pieces: readonly Uint8Array[] }

export type QueryOptions = {
  /**
   * The owner of the query: the ID of the workspace (or organization) that waits if too many run, or `systemOwner` for
   * the product's own work. Owners take turns, and none can use all slots of a kind.
   */
  owner: string
  /** 'short' is for queries of pages, 'heavy' for scans. */
  slot?: 'short' | 'heavy'
  /** Removes the query from the queue, or ends it if it runs. */
  signal?: AbortSignal
  /** Conditions by table: only rows that meet the condition are read, in any statement. */
  filters?: Readonly<Record<string, string>>
  /**
   * Called about twice a second with the rows that a long query has read and expects to read. Never called after the
   * query has ended, or while the engine does not report its progress.
   */
  onProgress?: (rows: { read: number; total: number }) => void
}

/** The owner of queries that no outside request causes. */
export const systemOwner = 'system'

export interface EventStore {
  /**
   * Inserts rows as NDJSON (one JSON object per line) or RowBinary (in pieces, which are concatenated). They are
   * durable on return: all of them or none. Throws InsertRejected if the engine rejects a row (a wrong type, or invalid
   * text), EventStoreUnavailable if it is unreachable or overloaded. At most 128 MiB per call. Larger inserts, up to
   * some ten thousand rows, make each row and later merges cheaper.
   *
   * Text that is always accepted: times as whole milliseconds; JSON columns as objects made by JSON.stringify, with
   * well-formed strings (no lone surrogates), integers within -2^63 … 2^64-1 (larger ones with an exponent) and fewer
   * than a thousand levels. Texts that look like dates stay texts.
   */
  insert(table: string, rows: NdjsonRows | BinaryRows, options: InsertOptions): Promise<void>
  /**
   * Returns the rows of a SELECT. 64-bit integers are numbers (exact up to 2^53).
   *
   * @throws EventStoreQueryError for a mistake in the statement
   * @throws EventStoreBusy if its owner has too many queries waiting or running
   * @throws EventStoreLimitExceeded if it exceeds the time, memory or bytes of one query
   * @throws EventStoreUnavailable if the engine is unavailable, overloaded or out of memory
   * @throws the reason of an aborted signal
   */
  query<Row>(sql: string, params: Record<string, unknown> | undefined, options: QueryOptions): Promise<Row[]>
  /**
   * Returns the rows of a SELECT as RowBinary, with the columns in order. For texts that are passed on unchanged,
   * without escaping and parsing. Throws like `query`.
   */
  queryBinary(
    sql: string,
    params: Record<string, unknown> | undefined,
    options: Omit<QueryOptions, 'onProgress'>,
  ): Promise<Uint8Array>
  /** Runs a statement without result rows (DDL, ALTER … DROP PARTITION). */
  command(sql: string, params?: Record<string, unknown>): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** The engine understood the call and rejects the data: bisect to find the row. */
export class InsertRejected extends Error {
  readonly engineCode: number
  /** Number of the rejected row (from 1), if the engine reports it. */
  readonly row: number | undefined
  constructor(engineCode: number, message: string, row?: number) {
    super(message)
    this.name = 'InsertRejected'
    this.engineCode = engineCode
    this.row = row
  }
}

/** The engine is unavailable, starting, out of memory or overloaded: retry later with the same token. */
export class EventStoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EventStoreUnavailable'
  }
}

/** The owner of a query has reached its limit of waiting or running queries; other owners continue. Retry later. */
export class EventStoreBusy extends EventStoreUnavailable {
  constructor(message: string) {
    super(message)
    this.name = 'EventStoreBusy'
  }
}

/** The limits of one query. */
export type QueryLimit = 'time' | 'memory' | 'bytes'

/** A query exceeds a limit. It may succeed with less data or, for 'time', with less load. */
export class EventStoreLimitExceeded extends EventStoreUnavailable {
  readonly limit: QueryLimit
  constructor(limit: QueryLimit, message: string, cause?: unknown) {
    super(message, cause)
    this.name = 'EventStoreLimitExceeded'
    this.limit = limit
  }
}

/** The engine understood the call and rejects the statement: a mistake in it, a missing table, an invalid parameter. */
export class EventStoreQueryError extends Error {
  readonly engineCode: number
  constructor(engineCode: number, message: string) {
    super(message)
    this.name = 'EventStoreQueryError'
    this.engineCode = engineCode
  }
}
