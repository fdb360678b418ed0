import type { DeliveryStatus, EventType } from '@tributary/contract'
import { type Clock, freeMemory, type Logger, type Metrics, newId } from '@tributary/kernel'
import {
  createRowWriter,
  type EventStore,
  InsertRejected,
  insertDeliveries,
  type Rows,
  type RowWriter,
} from '@tributary/storage'
import type { DeliverySettings } from '../settings.ts'
import { type Held, release } from './record.ts'

/**
 * The outcome of one event: an attempt, or the reason why there was none. A row of the event store's table
 * `deliveries`.
 */
type Attempt = {
  workspaceId: string
  sourceId: string
  destinationId: string
  eventId: string
  messageId: string
  /** '' for a row. */
  eventType: EventType | ''
  event: string
  /** Epoch ms. */
  time: number
  attempt: number
  status: DeliveryStatus
  httpStatus: number
  latencyMs: number
  reason: string
  request: string
  response: string
  /** The replay that sent the event again; '' otherwise. */
  replayId: string
  /** Producer of the event or row; '' for events of sources. */
  producer: string
  /**
   * `event` for an event of a producer, or the operation of a row; '' for an event of a source, like the fields below.
   */
  operation: string
  object: string
  key: string
  /** A later change of the same key has a higher version; 0 for events of sources. */
  version: number
}

export type AttemptLog = {
  /** Adds an attempt on an event of a record. When the row is durable, one hold on the record is released. */
  push(attempt: Attempt, record: Held): void
  /**
   * Whether no more rows should be added, because the store is down or slow. With `part`, compares with that part of
   * the capacity.
   */
  full(part?: number): boolean
  /** Returns the number of rows that are not durable yet. */
  buffered(): number
  /** Sends rows that have waited long enough; with `now`, all rows. Never rejects. */
  flush(now?: boolean): Promise<void>
  /** Sends all rows. Resolves to whether every row pushed before the call is durable. */
  drain(): Promise<boolean>
}

/**
 * Columns of a row in the order of writing. The first ones usually have the same values for all events of one request.
 */
const sharedColumns = [
  'workspace_id',
  'source_id',
  'destination_id',
  'event_type',
  'time',
  'attempt',
  'status',
  'http_status',
  'latency_ms',
  'reason',
  'request',
  'response',
  'replay_id',
  'producer',
  'operation',
  'object',
]
const columns = [...sharedColumns, 'event_id', 'message_id', 'event', 'key', 'version']

const writeShared = (to: RowWriter, attempt: Attempt): void => {
  to.text(attempt.workspaceId)
  to.text(attempt.sourceId)
  to.text(attempt.destinationId)
  to.text(attempt.eventType)
  to.time(attempt.time)
  to.uint32(attempt.attempt)
  to.text(attempt.status)
  to.uint16(attempt.httpStatus)
  to.uint32(Math.min(Math.round(attempt.latencyMs), 0xffffffff))
  to.text(attempt.reason)
  to.text(attempt.request)
  to.text(attempt.response)
  to.text(attempt.replayId)
  to.text(attempt.producer)
  to.text(attempt.operation)
  to.text(attempt.object)
}

const isShared = (a: Attempt, b: Attempt): boolean =>
  a.time === b.time &&
  a.latencyMs === b.latencyMs &&
  a.destinationId === b.destinationId &&
  a.sourceId === b.sourceId &&
  a.workspaceId === b.workspaceId &&
  a.status === b.status &&
  a.httpStatus === b.httpStatus &&
  a.attempt === b.attempt &&
  a.eventType === b.eventType &&
  a.operation === b.operation &&
  a.object === b.object &&
  a.producer === b.producer &&
  a.replayId === b.replayId &&
  a.reason === b.reason &&
  a.request === b.request &&
  a.response === b.response

/** Writes rows of the delivery log, and copies the values that a row shares with the previous one. */
const createAttemptWriter = (to: RowWriter) => {
  const shared = createRowWriter()
  let last: Attempt | undefined
  let bytes: Uint8Array = new Uint8Array()
  return (attempt: Attempt): void => {
    if (last === undefined || !isShared(last, attempt)) {
      writeShared(shared, attempt)
      bytes = shared.take().bytes
      last = attempt
    }
    to.raw(bytes)
    to.text(attempt.eventId)
    to.text(attempt.messageId)
    to.text(attempt.event)
    to.text(attempt.key)
    to.uint64(attempt.version)
    to.end()
  }
}

/** The rows of one insert, and the record that each row keeps from being committed. */
type Batch = { rows: Rows; held: readonly Held[]; token: string }

type AttemptLogDeps = {
  eventStore: EventStore
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
}

/** Inserts the rows in the range [`from`, `to`). */
const insert = async (deps: AttemptLogDeps, batch: Batch, from: number, to: number, token: string): Promise<void> => {
  try {
    const { bytes, ends } = batch.rows
    const rows = bytes.subarray(ends[from - 1] ?? 0, ends[to - 1])
    await insertDeliveries(deps.eventStore, { columns, pieces: [rows] }, { token })
  } catch (error) {
    if (!(error instanceof InsertRejected)) throw error
    if (to - from === 1) {
      deps.metrics.count('delivery_log_rows_refused', 1)
      deps.logger.error({ err: error }, 'event store rejected a row of the delivery log')
      return
    }
    const middle = (from + to) >> 1
    await insert(deps, batch, from, middle, `${token}-a`)
    await insert(deps, batch, middle, to, `${token}-b`)
  }
}

/**
 * Writes attempts to the event store in batches. It sends one insert at a time and repeats it with its token until the
 * store has it, so an acknowledged row exists exactly once. It bisects a batch that the store rejects because of its
 * content. The faulty row is logged, counted, and discarded, so that it does not stop deliveries.
 *
 * Waiting rows are kept as bytes. As strings, they were half of what outlived each collection of young objects. Copying
 * them took as much processor time as all deliveries of a webhook.
 */
export const createAttemptLog = (deps: AttemptLogDeps): AttemptLog => {
  const { clock, logger } = deps
  const limits = deps.settings.attempts
  const waiting = createRowWriter()
  const writeAttempt = createAttemptWriter(waiting)
  let held: Held[] = []
  let oldest = 0
  let retryAt = 0
  /** Number of rows ever pushed, and number of durable rows. */
  let pushed = 0
  let durable = 0
  let unsent: Batch | undefined
  let running: Promise<void> | undefined

  /** Takes the waiting rows as one batch. */
  const takeWaiting = (): Batch => {
    const batch = { rows: waiting.take(), held, token: `deliveries-${newId()}` }
    held = []
    return batch
  }

  const send = async (): Promise<void> => {
    unsent ??= takeWaiting()
    const batch = unsent
    try {
      await insert(deps, batch, 0, batch.rows.ends.length, batch.token)
    } catch (error) {
      retryAt = clock() + 500
      logger.warn({ err: error, rows: batch.rows.ends.length }, 'delivery log cannot be written; trying again')
      return
    }
    unsent = undefined
    durable += batch.rows.ends.length
    freeMemory(batch.rows.bytes)
    for (const record of batch.held) release(record)
  }

  const buffered = (): number => waiting.count + (unsent?.rows.ends.length ?? 0)

  const flush: AttemptLog['flush'] = (now = false) => {
    if (running !== undefined) return running
    // Rows of failed requests are large. They must not fill the buffer, because a full buffer stops all destinations.
    const isFull = waiting.count >= limits.rows || waiting.length >= limits.bufferBytes / 4
    const due = isFull || (waiting.count > 0 && (now || clock() - oldest >= limits.waitMs))
    if ((unsent === undefined && !due) || clock() < retryAt) return Promise.resolve()
    running = send().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    push: (attempt, record) => {
      if (waiting.count === 0) oldest = clock()
      writeAttempt(attempt)
      pushed++
      held.push(record)
    },
    full: (part = 1) => buffered() >= limits.bufferRows * part || waiting.length >= limits.bufferBytes * part,
    buffered,
    flush,
    drain: async () => {
      const through = pushed
      // The first call finishes a running or failed insert, the second sends the waiting rows.
      await flush(true)
      await flush(true)
      return durable >= through
    },
  }
}
