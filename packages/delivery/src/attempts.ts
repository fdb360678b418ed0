import type { DeliveryStatus, EventType } from '@tributary/contract'
import { type Clock, type Logger, type Metrics, newId } from '@tributary/kernel'
import { type EventStore, InsertRejected } from '@tributary/storage'
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
  /** Takes an attempt; `acknowledge` is called when its row is durable. */
  push(attempt: Attempt, acknowledge: () => void): void
  /** True when no more should be added: the store is away or slow. */
  full(): boolean
  /** Rows that are not durable yet. */
  buffered(): number
  /** Sends what has waited long enough, or, with `now`, whatever is there. Never rejects. */
  flush(now?: boolean): Promise<void>
}

const text = (column: string, value: string): string =>
  value === '' ? '' : `,"${column}":${JSON.stringify(value.toWellFormed())}`

/**
 * A row as NDJSON, without the columns that are empty. Text is made well-formed first: the engine refuses lone
 * surrogates. Times are whole milliseconds, the ticks of DateTime64(3).
 */
const attemptLine = (attempt: Attempt): string =>
  `{"workspace_id":${JSON.stringify(attempt.workspaceId)},"source_id":${JSON.stringify(attempt.sourceId)}` +
  `,"destination_id":${JSON.stringify(attempt.destinationId)},"event_id":${JSON.stringify(attempt.eventId)}` +
  `${text('message_id', attempt.messageId)},"event_type":"${attempt.eventType}"${text('event', attempt.event)}` +
  `,"time":${attempt.time},"attempt":${attempt.attempt},"status":"${attempt.status}"` +
  `,"http_status":${attempt.httpStatus},"latency_ms":${Math.min(Math.round(attempt.latencyMs), 0xffffffff)}` +
  `${text('reason', attempt.reason)}${text('request', attempt.request)}${text('response', attempt.response)}${text('replay_id', attempt.replayId)}}`

type Pending = { line: string; acknowledge: () => void }

/**
 * Writes attempts to the event store in batches. One insert at a time, repeated with its token until the store has it,
 * so that an acknowledged row is there exactly once. What the store refuses for its content is bisected, and the row at
 * fault is logged, counted and let go: it must not stop deliveries.
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
  let pending: Pending[] = []
  let bytes = 0
  let sending = 0
  let oldest = 0
  let retryAt = 0
  let unsent: { batch: Pending[]; token: string } | undefined
  let running: Promise<void> | undefined

  const insert = async (batch: readonly Pending[], token: string): Promise<void> => {
    try {
      await eventStore.insert(
        'deliveries',
        batch.map((row) => row.line),
        { token },
      )
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      if (batch.length === 1) {
        metrics.count('delivery_log_rows_refused', 1)
        logger.error({ err: error }, 'The event store refused a row of the delivery log')
        return
      }
      const middle = batch.length >> 1
      await insert(batch.slice(0, middle), `${token}-a`)
      await insert(batch.slice(middle), `${token}-b`)
    }
  }

  const send = async (): Promise<void> => {
    if (unsent === undefined) {
      const batch = pending.splice(0, Math.max(limits.rows, 5000))
      for (const row of batch) bytes -= row.line.length
      unsent = { batch, token: `deliveries-${newId()}` }
      sending = batch.length
      oldest = clock()
    }
    const { batch, token } = unsent
    try {
      await insert(batch, token)
    } catch (error) {
      retryAt = clock() + 500
      logger.warn({ err: error, rows: batch.length }, 'The delivery log cannot be written; it is tried again')
      return
    }
    unsent = undefined
    sending = 0
    for (const row of batch) row.acknowledge()
  }

  return {
    push: (attempt, acknowledge) => {
      if (pending.length === 0) oldest = clock()
      const line = attemptLine(attempt)
      bytes += line.length
      pending.push({ line, acknowledge })
    },
    full: () => pending.length + sending >= limits.bufferRows || bytes >= limits.bufferBytes,
    buffered: () => pending.length + sending,
    flush: (now = false) => {
      if (running !== undefined) return running
      const due = pending.length >= limits.rows || (pending.length > 0 && (now || clock() - oldest >= limits.waitMs))
      if ((unsent === undefined && !due) || clock() < retryAt) return Promise.resolve()
      running = send().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
