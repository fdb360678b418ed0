import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  SettingsMap,
} from '@clickhouse/client'
import { type Logger, resumeWork } from '@tributary/kernel'
import { limitExceeded, refusesRows, saysUnavailable } from './error-codes.ts'
import {
  type BinaryRows,
  type EventStore,
  EventStoreBusy,
  EventStoreLimitExceeded,
  EventStoreQueryError,
  EventStoreUnavailable,
  InsertRejected,
  type NdjsonRows,
  type QueryOptions,
  systemOwner,
} from './port.ts'
import { createQuerySlots, type QuerySlots, type SlotRejection } from './query-slots.ts'

export type ClickHouseOptions = {
  /** `http(s)://host:port`; its credentials and database are used if the options below are absent. */
  url: string
  user?: string
  password?: string
  database?: string
  /** The query capacity of the engine; `serverCapacity` by default. */
  capacity?: QueryCapacity
  limits?: QueryLimits
  logger: Logger
}

type SlotKind = 'short' | 'heavy'

/** Concurrent queries per slot kind, and total memory in bytes: a short query can use a quarter, a heavy one half. */
export type QueryCapacity = Record<SlotKind, number> & { memoryBytes: number }

/** Maximum seconds of a query of each kind, and the bytes that it may read if an outside call causes it. */
export type QueryLimits = Record<SlotKind, { seconds: number; readBytes: number }>

const GiB = 1024 ** 3
/** The default capacity of a server. Inserts and commands have their own connections in addition to these. */
const serverCapacity: QueryCapacity = { short: 16, heavy: 8, memoryBytes: 4 * GiB }
/**
 * The default limits of queries. The usual query of a page reads some megabytes, or some hundreds in a large workspace,
 * so these limits end only unusual queries.
 */
const defaultLimits: QueryLimits = {
  short: { seconds: 20, readBytes: 20 * GiB },
  heavy: { seconds: 300, readBytes: 200 * GiB },
}
const memoryShares: Record<SlotKind, number> = { short: 0.25, heavy: 0.5 }
/** Maximum waiting queries of all owners and of one owner, and their maximum wait in ms. */
const queues = {
  short: { maxQueue: 400, maxQueuePerKey: 64, maxWaitMs: 20_000 },
  heavy: { maxQueue: 200, maxQueuePerKey: 32, maxWaitMs: 120_000 },
} as const

/** Settings with which every engine reads rows in the same way, whatever its configuration. */
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  date_time_input_format: 'best_effort',
  type_json_skip_duplicated_paths: 1,
  input_format_null_as_default: 1,
  input_format_json_read_objects_as_strings: 1,
  input_format_binary_read_json_as_string: 1,
  input_format_skip_unknown_fields: 0,
  // An insert is atomic: it is one block, whatever its bytes, up to a million rows.
  min_insert_block_size_bytes: '0',
  // A text that looks like a date stays unchanged.
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  wait_end_of_query: 1,
}

/** Queries are read-only; a server also requires this to end a query whose caller has gone. */
const querySettings: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
}
/** Interval between two progress reports of a query, in ms. */
const progressMs = 500

/** Maximum times of responses, in ms; the wait of a query for its slot counts separately. */
const timeouts = { short: 30_000, heavy: 330_000, insert: 130_000, command: 330_000 }

const nameOfTable = (table: string): string => {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/.test(table)) throw new Error(`'${table}' is no name of a table`)
  return table
}

/** The body of an insert: the format of its rows, and their bytes. Both are empty if there are no rows. */
type Sent = { form: string; pieces: readonly Uint8Array[] }

const sentOf = (rows: NdjsonRows | BinaryRows): Sent => {
  if (typeof rows === 'object' && 'pieces' in rows) {
    const names = rows.columns.map((column) => `\`${column}\``).join(', ')
    return { form: `(${names}) FORMAT RowBinary`, pieces: rows.pieces.filter(({ length }) => length > 0) }
  }
  const form = 'FORMAT JSONEachRow'
  const text = typeof rows === 'string' ? rows : rows.join('\n')
  return { form, pieces: text.trim() === '' ? [] : [Buffer.from(text)] }
}

const rowOf = (message: string): number | undefined => {
  const found = /\(at row (\d+)\)/.exec(message)
  return found === null ? undefined : Number(found[1])
}

/** Converts a failure of the client to an error of the port. */
const translate = (error: unknown, kind: 'insert' | 'query', signal: AbortSignal | undefined): unknown => {
  if (signal?.aborted) return signal.reason
  if (!(error instanceof ClickHouseError)) {
    return new EventStoreUnavailable(
      `The event store cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  }
  const code = Number(error.code)
  // The message quotes the statement or the row, which may be long.
  const message = error.message.slice(0, 2_000)
  if (kind === 'insert' && refusesRows(code, message)) return new InsertRejected(code, message, rowOf(error.message))
  const limit = kind === 'query' ? limitExceeded(code, message) : undefined
  if (limit !== undefined)
    return new EventStoreLimitExceeded(limit, `The event store answers ${code}: ${message}`, error)
  if (saysUnavailable(code)) return new EventStoreUnavailable(`The event store answers ${code}: ${message}`, error)
  if (kind === 'insert') return new EventStoreUnavailable(`The event store cannot store: ${code}: ${message}`, error)
  return new EventStoreQueryError(code, message)
}

/** True if the connection of a request was closed before any response, as can happen to a kept-alive connection. */
const isDropped = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** Repeats the call once if the connection was dropped. Only for reads. */
const askAgain = async <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask()
  } catch (error) {
    if (signal.aborted || !isDropped(error)) throw error
    return await ask()
  }
}

/** Whether a failure concerns only the query, or the number of its owner's queries, and not the engine. */
const isOwnersMatter = (error: EventStoreUnavailable): boolean =>
  error instanceof EventStoreBusy || error instanceof EventStoreLimitExceeded

const openSlots = (slot: SlotKind, places: number, logger: Logger): QuerySlots<number> => {
  const refuse = (why: SlotRejection, own: boolean): Error => {
    if (why === 'gone') return new EventStoreUnavailable('The caller of a query has gone')
    const said = why === 'late' ? 'has waited too long' : 'finds too many waiting'
    const message = `A query finds no slot '${slot}': it ${said}`
    if (own) return new EventStoreBusy(message)
    logger.warn({ slot, why }, 'a query finds no place in the event store')
    return new EventStoreUnavailable(message)
  }
  const numbers = Array.from({ length: places }, (_, index) => index)
  return createQuerySlots(numbers, { ...queues[slot], refuse })
}

/** Converts filters to the engine's setting: a map in ClickHouse's own syntax, which the client does not escape. */
const filterSettings = ({ filters }: QueryOptions): ClickHouseSettings => {
  if (filters === undefined) return {}
  const escaped = Object.entries(filters).map(([table, condition]) => [
    nameOfTable(table),
    condition.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
  ])
  return { additional_table_filters: SettingsMap.from(Object.fromEntries(escaped)) }
}

/**
 * Returns the limits of a query as settings. They are sent with each query, so that they also apply on a server without
 * limits.
 */
const limitSettings = (
  { owner, slot = 'short' }: QueryOptions,
  { memoryBytes }: QueryCapacity,
  limits: QueryLimits,
): ClickHouseSettings => ({
  max_execution_time: limits[slot].seconds,
  max_memory_usage: String(Math.floor(memoryBytes * memoryShares[slot])),
  // Rows are not limited: the engine estimates them beforehand, and would reject the newest page of a large workspace.
  max_bytes_to_read: owner === systemOwner ? '0' : String(limits[slot].readBytes),
})

/** Runs a query whose text contains a unique mark, and reports its progress. */
const watched = async <Row>(
  client: ClickHouseClient,
  mark: string,
  onProgress: NonNullable<QueryOptions['onProgress']>,
  run: () => Promise<Row[]>,
): Promise<Row[]> => {
  const ended = new AbortController()
  const look = async (): Promise<void> => {
    const result = await client.query({
      query: `select toFloat64(read_rows) as read, toFloat64(total_rows_approx) as total from system.processes
        where position(query, {mark:String}) > 0 and position(query, 'system.processes') = 0`,
      format: 'JSONEachRow',
      query_params: { mark },
      abort_signal: ended.signal,
      clickhouse_settings: querySettings,
      http_headers: { 'X-Tributary-Slot': 'short' },
    })
    const [row] = await result.json<{ read: number; total: number }>()
    if (row !== undefined && row.total > 0 && !ended.signal.aborted)
      onProgress({ read: Math.min(row.read, row.total), total: row.total })
  }
  const follow = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await pause(progressMs, undefined, { signal: ended.signal }).catch(() => {})
      // The query continues even if its progress cannot be reported.
      if (!ended.signal.aborted) await look().catch(() => {})
    }
  }
  const following = follow()
  try {
    return await run()
  } finally {
    ended.abort()
    await following
  }
}

const openClient = (options: ClickHouseOptions, capacity: QueryCapacity): ClickHouseClient =>
  createClient({
    url: options.url,
    ...(options.user === undefined ? {} : { username: options.user }),
    ...(options.password === undefined ? {} : { password: options.password }),
    ...(options.database === undefined ? {} : { database: options.database }),
    request_timeout: timeouts.heavy + 10_000,
    max_open_connections: capacity.short + capacity.heavy + 16,
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    log: { level: ClickHouseLogLevel.OFF },
    // Long lists of values are sent in the body.
    use_multipart_params_auto: true,
  })

/** Runs a call that ends after `timeoutMs`. Rejects with an error of the port. */
const bounded = async <T>(
  logger: Logger,
  kind: 'insert' | 'query',
  timeoutMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted()
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await call(signal === undefined ? late : AbortSignal.any([signal, late]))
  } catch (error) {
    const reason =
      late.aborted && signal?.aborted !== true ? new Error(`no answer within ${timeoutMs} ms`, { cause: error }) : error
    const translated = translate(reason, kind, signal)
    if (translated instanceof EventStoreUnavailable && !isOwnersMatter(translated))
      logger.warn({ error: translated.message }, 'event store is unavailable')
    throw translated
  }
}

const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first, ...others] = chunks
  return first !== undefined && others.length === 0 ? first : Buffer.concat(chunks)
}

/**
 * Creates the event store port over ClickHouse's HTTP interface with the official client, for the embedded child and
 * for a server. Rows are sent unchanged. A query whose connection was dropped is sent once more. Nothing else is
 * repeated here: the caller repeats an insert with the same token.
 */
export const createClickHouseEventStore = (options: ClickHouseOptions): EventStore => {
  const { logger, capacity = serverCapacity, limits = defaultLimits } = options
  const slots = {
    short: openSlots('short', capacity.short, logger),
    heavy: openSlots('heavy', capacity.heavy, logger),
  }
  const client = openClient(options, capacity)

  /** The client's arguments for a statement that only reads. */
  const callOf = (query: string, params: Record<string, unknown> | undefined, asked: QueryOptions) => ({
    query,
    ...(params === undefined ? {} : { query_params: params }),
    clickhouse_settings: { ...querySettings, ...limitSettings(asked, capacity, limits), ...filterSettings(asked) },
    http_headers: { 'X-Tributary-Slot': asked.slot ?? 'short' },
  })

  /** Runs a call to the engine when its owner has a slot. */
  const inSlot = async <T>({ owner, slot = 'short', signal }: QueryOptions, run: () => Promise<T>): Promise<T> => {
    signal?.throwIfAborted()
    try {
      const answer = await slots[slot].run(owner, signal ?? new AbortController().signal, run)
      resumeWork()
      return answer
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }

  return {
    async insert(table, rows, { token, signal }) {
      const { form, pieces } = sentOf(rows)
      if (pieces.length === 0) return
      await bounded(logger, 'insert', timeouts.insert, signal, async (both) => {
        const { stream } = await client.exec({
          query: `INSERT INTO ${nameOfTable(table)} ${form}`,
          values: Readable.from(pieces, { objectMode: false }),
          abort_signal: both,
          clickhouse_settings: { ...insertSettings, insert_deduplication_token: token },
        })
        await stream.resume().toArray()
      })
    },
    query: <Row>(sql: string, params: Record<string, unknown> | undefined, asked: QueryOptions) =>
      inSlot(asked, () => {
        const { slot = 'short', signal, onProgress } = asked
        const mark = onProgress === undefined ? '' : `/* ${randomUUID()} */ `
        const once = (both: AbortSignal): Promise<Row[]> =>
          client
            .query({ ...callOf(`${mark}${sql}`, params, asked), format: 'JSONEachRow', abort_signal: both })
            .then((result) => result.json<Row>())
        const send = (both: AbortSignal): Promise<Row[]> => askAgain(both, () => once(both))
        const bound = (): Promise<Row[]> => bounded(logger, 'query', timeouts[slot], signal, send)
        return onProgress === undefined ? bound() : watched(client, mark, onProgress, bound)
      }),
    queryBinary: (sql, params, asked) =>
      inSlot(asked, () => {
        const once = async (both: AbortSignal): Promise<Uint8Array> => {
          const call = callOf(`${sql}\nformat RowBinary`, params, asked)
          const { stream } = await client.exec({
            ...call,
            // Failures during the query become errors, instead of an early end of the rows.
            clickhouse_settings: { ...call.clickhouse_settings, wait_end_of_query: 1 },
            abort_signal: both,
          })
          return joined(await stream.toArray())
        }
        return bounded(logger, 'query', timeouts[asked.slot ?? 'short'], asked.signal, (both) =>
          askAgain(both, () => once(both)),
        )
      }),
    async command(sql, params) {
      await bounded(logger, 'query', timeouts.command, undefined, (signal) =>
        client.command({ query: sql, ...(params === undefined ? {} : { query_params: params }), abort_signal: signal }),
      )
    },
    ping: async () => (await client.ping()).success,
    close: () => client.close(),
  }
}
