import type { DeliveryStatus, EventType } from '@tributary/contract'
import { type Clock, type Logger, type Metrics, newId } from '@tributary/kernel'
import { createTextBytes, type EventStore, InsertRejected } from '@tributary/storage'
import { type Part, releasePart } from './parts.ts'
import type { DeliverySettings } from './settings.ts'

/** What became of one event at once: an attempt or why there was none, as a row of the event store's table `deliveries`. */
type Attempt = {
  workspaceId: string
  sourceId: string
  destinationId: string
  eventId: string
  messageId: string
  eventType: EventType
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
  /** The replay that sent it again; '' otherwise. */
  replayId: string
}

export type AttemptLog = {
  /** Takes an attempt on an event of `part`; a hold of the part ends when its row is durable. */
  push(attempt: Attempt, part: Part): void
  /** True when no more should be added: the store is away or slow. */
  full(): boolean
  /** Rows that are not durable yet. */
  buffered(): number
  /** Sends what has waited long enough, or, with `now`, whatever is there. Never rejects. */
  flush(now?: boolean): Promise<void>
}

const optional = (column: string, value: string): string =>
  value === '' ? '' : `,"${column}":${JSON.stringify(value.toWellFormed())}`

/**
 * A row as NDJSON, without the columns that are empty. Text is made well-formed first: the engine refuses lone
 * surrogates. Times are whole milliseconds, the ticks of DateTime64(3).
 */
const attemptLine = (attempt: Attempt): string =>
  `{"workspace_id":${JSON.stringify(attempt.workspaceId)},"source_id":${JSON.stringify(attempt.sourceId)}` +
  `,"destination_id":${JSON.stringify(attempt.destinationId)},"event_id":${JSON.stringify(attempt.eventId)}` +
  `${optional('message_id', attempt.messageId)},"event_type":"${attempt.eventType}"${optional('event', attempt.event)}` +
  `,"time":${attempt.time},"attempt":${attempt.attempt},"status":"${attempt.status}"` +
  `,"http_status":${attempt.httpStatus},"latency_ms":${Math.min(Math.round(attempt.latencyMs), 0xffffffff)}` +
  `${optional('reason', attempt.reason)}${optional('request', attempt.request)}${optional('response', attempt.response)}${optional('replay_id', attempt.replayId)}}`

/** Rows of one insert: their text, where each of them ends in it, and whose they are. */
type Batch = { rows: Buffer; ends: readonly number[]; parts: readonly Part[]; token: string }

/**
 * Writes attempts to the event store in batches. One insert at a time, repeated with its token until the store has it,
 * so that an acknowledged row is there exactly once. What the store refuses for its content is bisected, and the row at
 * fault is logged, counted and let go: it must not stop deliveries.
 *
 * What waits is kept as bytes. As strings it was most of what outlived a collection of young objects, half of each, and
 * took as much processor time to be copied as all deliveries of a webhook took to be made.
 */
export const createAttemptLog = (deps: {
  eventStore: EventStore
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
}): AttemptLog => {
  const { eventStore, clock, logger, metrics } = deps
  const limits = deps.settings.attempts
  const text = createTextBytes('\n')
  let ends: number[] = []
  let parts: Part[] = []
  let oldest = 0
  let retryAt = 0
  let unsent: Batch | undefined
  let running: Promise<void> | undefined

  /** Inserts the rows from `from` to before `to`. */
  const insert = async (batch: Batch, from: number, to: number, token: string): Promise<void> => {
    try {
      const rows = batch.rows.subarray(batch.ends[from - 1] ?? 0, batch.ends[to - 1])
      await eventStore.insert('deliveries', rows, { token })
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      if (to - from === 1) {
        metrics.count('delivery_log_rows_refused', 1)
        logger.error({ err: error }, 'The event store refused a row of the delivery log')
        return
      }
      const middle = (from + to) >> 1
      await insert(batch, from, middle, `${token}-a`)
      await insert(batch, middle, to, `${token}-b`)
    }
  }

  /** What waits, to be sent as one; nothing waits then. */
  const takeWaiting = (): Batch => {
    const batch = { rows: text.copy(0, text.length), ends, parts, token: `deliveries-${newId()}` }
    text.clear()
    ends = []
    parts = []
    return batch
  }

  const send = async (): Promise<void> => {
    unsent ??= takeWaiting()
    const batch = unsent
    try {
      await insert(batch, 0, batch.ends.length, batch.token)
    } catch (error) {
      retryAt = clock() + 500
      logger.warn({ err: error, rows: batch.ends.length }, 'The delivery log cannot be written; it is tried again')
      return
    }
    unsent = undefined
    for (const part of batch.parts) releasePart(part)
  }

  const buffered = (): number => ends.length + (unsent?.ends.length ?? 0)

  return {
    push: (attempt, part) => {
      if (ends.length === 0) oldest = clock()
      text.add(attemptLine(attempt))
      ends.push(text.length)
      parts.push(part)
    },
    full: () => buffered() >= limits.bufferRows || text.length >= limits.bufferBytes,
    buffered,
    flush: (now = false) => {
      if (running !== undefined) return running
      const due = ends.length >= limits.rows || (ends.length > 0 && (now || clock() - oldest >= limits.waitMs))
      if ((unsent === undefined && !due) || clock() < retryAt) return Promise.resolve()
      running = send().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
