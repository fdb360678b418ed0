import type { DeliveryMeta } from '@tributary/contract'
import { faultPoint, freeMemory, type Logger, type Metrics } from '@tributary/kernel'
import {
  type LogEntry,
  type LogWriter,
  type ProducerSequence,
  type ProducerStamp,
  StaleProducer,
} from '@tributary/storage'
import type { NormalEvent } from '../event-types.ts'
import { aheadProducer, noteOfAhead } from '../overtaking/appended-ahead.ts'
import type { Overtaking } from '../overtaking/overtakings.ts'
import type { MicroBatch } from '../process.ts'
import { retrying } from '../retrying.ts'
import { isoTime } from '../rows/timestamps.ts'
import type { PipelineSettings } from '../settings.ts'

/**
 * A buffer of text pieces in UTF-8. Each piece is encoded immediately, while it is in the CPU cache. Joining the pieces
 * as strings first took three times the processor time. One piece with a character beyond Latin-1 also made the whole
 * joined text use two bytes per character.
 */
export type TextBytes = {
  /** Appends to the open piece. */
  put(text: string): void
  /** Appends to the open piece and ends it with the separator. */
  add(text: string): void
  readonly length: number
  /** Copies the bytes [`from`, `to`) into `target` at `at`; returns their number. */
  copyTo(target: Buffer, at: number, from: number, to: number): number
  clear(): void
}

/**
 * Creates an empty buffer of pieces that grows as needed and keeps its capacity when cleared. The separator is ASCII.
 */
export const createTextBytes = (separator: string): TextBytes => {
  let bytes = Buffer.allocUnsafeSlow(64 * 1024)
  let length = 0
  const put = (text: string): void => {
    const maxBytes = text.length * 3 + separator.length
    if (length + maxBytes > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, length + maxBytes))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    length += bytes.write(text, length)
  }
  return {
    put,
    add(text) {
      put(text)
      for (let at = 0; at < separator.length; at++) bytes[length++] = separator.charCodeAt(at)
    },
    get length() {
      return length
    },
    copyTo: (target, at, from, to) => bytes.copy(target, at, from, to),
    clear() {
      length = 0
      if (bytes.length > 16 * 1024 * 1024) bytes = Buffer.allocUnsafeSlow(64 * 1024)
    },
  }
}

const openList = 0x5b
const closeList = 0x5d
const lineFeed = 0x0a

/**
 * The separator after each event's text. The line feed lets delivery split a record without parsing it; the record
 * stays a JSON list. No event's text has a line feed: JSON.stringify and `compactJson` write none. A context is used
 * unchanged only if it has no whitespace between its tokens, and JSON strings have no line feeds.
 */
export const betweenEvents = ',\n'

const text = (key: string, value: string): string => (value === '' ? '' : `,"${key}":${JSON.stringify(value)}`)

const time = (key: string, ms: number | undefined): string => (ms === undefined ? '' : `,"${key}":"${isoTime(ms)}"`)

/** Unknown keys of the body as a JSON object. It is written as text, so that a key like `__proto__` stays a key. */
const extra = (event: NormalEvent): string => {
  if (event.extraKeys === undefined) return ''
  let members = ''
  for (const key of event.extraKeys) {
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${event.exact?.get(key) ?? JSON.stringify(event.body[key])}`
  }
  return `,"extra":{${members}}`
}

/**
 * Writes a PipelineEvent as JSON text, and ends the piece. Long texts are written separately, since joining them costs
 * a copy.
 */
export const writePipelineEvent = (to: Pick<TextBytes, 'put' | 'add'>, event: NormalEvent): void => {
  const { request } = event.raw
  to.put(
    `{"eventId":"${event.raw.eventId}","messageId":${JSON.stringify(event.messageId)},"type":"${event.type}","event":${JSON.stringify(event.event)}` +
      `${text('userId', event.userId)}${text('anonymousId', event.anonymousId)}${text('groupId', event.groupId)}${text('previousId', event.previousId)}` +
      `${event.properties === '' ? '' : ',"properties":'}`,
  )
  if (event.properties !== '') to.put(event.properties)
  if (event.traits !== '') {
    to.put(',"traits":')
    to.put(event.traits)
  }
  to.put(',"context":')
  to.put(event.context)
  to.add(
    `${event.integrations === undefined ? '' : `,"integrations":${event.exact?.get('integrations') ?? JSON.stringify(event.integrations)}`},"test":${event.test}` +
      `,"receivedAt":"${request.receivedAt}","timestamp":"${isoTime(event.timestamp)}"` +
      `${time('originalTimestamp', event.originalTimestamp)}${time('sentAt', event.sentAt)}${extra(event)}}`,
  )
}

/**
 * The members of a context that consumers read. One pattern finds both; separate searches take several times as long.
 */
const traitsOrExternalIds = /"(?:traits|externalIds)"/

/**
 * Writes a StreamedEvent as JSON text, and ends the piece. This is the part of an event without destinations that
 * consumers may read. It has a quarter of the bytes, which are written, compressed, and read again for each event.
 */
export const writeStreamedEvent = (to: Pick<TextBytes, 'add'>, event: NormalEvent): void => {
  const { eventId, request } = event.raw
  const context = event.context === '{}' || !traitsOrExternalIds.test(event.context) ? '{}' : event.context
  to.add(
    `{"eventId":"${eventId}","type":"${event.type}","event":${JSON.stringify(event.event)}` +
      `${text('userId', event.userId)}${text('anonymousId', event.anonymousId)}${text('groupId', event.groupId)}${text('previousId', event.previousId)}` +
      `${event.traits === '' ? '' : `,"traits":${event.traits}`},"context":${context}` +
      `,"receivedAt":"${request.receivedAt}","timestamp":"${isoTime(event.timestamp)}"}`,
  )
}

/** A source's accepted events in one micro-batch, as offsets in the micro-batch's text buffer. */
export type SourceEvents = {
  readonly workspaceId: string
  readonly sourceId: string
  readonly destinations: readonly string[]
  /** Whether the events are sent after live events. */
  readonly isLater: boolean
  /** Whether parsing one of the events loses digits. */
  readonly lossy: boolean
  /** Pairs of offsets: begin and end of each event, including `betweenEvents` after it. */
  readonly places: readonly number[]
}

/**
 * Creates the records that carry a source's events to delivery, in order. A body is a JSON list of at most
 * `recordBytes`, or of one event that is larger by itself. `texts` holds the events, each followed by `betweenEvents`.
 * The records belong to the micro-batch's partition, and `to` is the offset after the last request of its lane.
 */
export const deliveryRecords = (
  source: SourceEvents,
  texts: Pick<TextBytes, 'copyTo'>,
  recordBytes: number,
  { partition, lane, to: through }: { partition: number; lane: number; to: number },
): LogEntry[] => {
  const { places } = source
  const records: LogEntry[] = []
  /** Begin and end offsets of each run of adjacent events. */
  let runs: number[] = []
  let bytes = 1
  let count = 0
  const cut = (): void => {
    if (count === 0) return
    const meta: DeliveryMeta = { w: source.workspaceId, s: source.sourceId, d: [...source.destinations], n: count }
    if (source.lossy) meta.e = true
    if (source.isLater && meta.d.length > 0) meta.h = true
    // Only the partition's own lane sets `q`, because the reading ahead does not advance that offset.
    if (lane === partition) meta.q = through
    const body = Buffer.allocUnsafe(bytes)
    body[0] = openList
    let at = 1
    for (let run = 0; run < runs.length; run += 2) at += texts.copyTo(body, at, runs[run] ?? 0, runs[run + 1] ?? 0)
    // The separator after the last event is replaced by the end of the list.
    body[bytes - betweenEvents.length] = closeList
    body[bytes - betweenEvents.length + 1] = lineFeed
    records.push({
      key: source.workspaceId,
      partition,
      meta: JSON.stringify(meta),
      body,
      addressed: meta.d.length > 0,
    })
    runs = []
    bytes = 1
    count = 0
  }
  for (let at = 0; at < places.length; at += 2) {
    const from = places[at] ?? 0
    const to = places[at + 1] ?? 0
    if (bytes + to - from > recordBytes) cut()
    if (runs.at(-1) === from) runs[runs.length - 1] = to
    else runs.push(from, to)
    bytes += to - from
    count++
  }
  cut()
  return records
}

/** The pipeline's name as a producer of the deliveries log. */
const producer = 'events'

/**
 * The last sequences that the pipeline appended, per partition. `behind` is from the reading behind, which is the only
 * reading of most partitions. `ahead` is from the reading ahead.
 */
export type DeliveredSequences = {
  readonly behind: readonly ProducerSequence[]
  readonly ahead: readonly ProducerSequence[]
}

export type DeliverBranch = {
  /**
   * Begins the next epoch of the producer, which ends pending appends of a predecessor, and resolves to the last
   * sequences of each partition. Call it before `add`.
   */
  begin(): Promise<DeliveredSequences>
  /**
   * Appends the records of a micro-batch to the deliveries log as one group. The sequence of the group is the offset
   * after its last request, and its note is the incarnation of that request. The note of a group read ahead also has
   * the overtaken workspaces. Groups of a partition are appended in the order of the calls, for both readings together.
   * So a sequence of the reading behind means that every request before that offset is appended. A refused append is
   * retried without end. Resolves when the group is durable. Rejects with Stopped once `signal` aborts, and with
   * StaleProducer when a successor has begun.
   */
  add(batch: Pick<MicroBatch, 'partition' | 'lane' | 'to' | 'incarnation' | 'deliveries'>): Promise<void>
  /** Whether reading should wait, because too many bytes of deliveries are not durable yet. */
  isFull(): boolean
}

export type DeliverDeps = {
  deliveries: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  logger: Logger
  metrics: Metrics
  settings: PipelineSettings
  signal: AbortSignal
  /** Returns the overtaken workspaces of a partition. If absent, no workspace is overtaken. */
  overtaking?(partition: number): Overtaking | undefined
  /** Called when back-pressure ends. */
  onDrain(): void
}

const nothing = Promise.resolve()

/**
 * Creates the branch to delivery. It appends one record per source and micro-batch, or more if the events exceed the
 * size of a record.
 */
export const createDeliverBranch = (deps: DeliverDeps): DeliverBranch => {
  const { deliveries, logger, metrics, settings, signal } = deps
  /**
   * The last append of each partition. Appends of a partition run one after the other: a sequence means that every
   * earlier request is appended.
   */
  const last = new Map<number, Promise<void>>()
  let waiting = 0
  let epoch = 0
  let aheadEpoch = 0

  const persistently = <Value>(task: () => Promise<Value>): Promise<Value> =>
    retrying(task, {
      baseMs: settings.retryBaseMs,
      capMs: settings.retryCapMs,
      signal,
      mayRetry: (error) => !(error instanceof StaleProducer),
      onFailure(error, attempt) {
        metrics.count('pipeline_deliveries_append_failures', 1)
        if (attempt === 1) logger.warn({ err: error }, 'deliveries log cannot be written; trying again')
      },
    })

  const append = async (before: Promise<void>, entries: readonly LogEntry[], stamp: ProducerStamp): Promise<void> => {
    await before
    await persistently(() => deliveries.appendGroup(entries, stamp))
    faultPoint('pipeline.after-deliveries-append')
    for (const { body } of entries) freeMemory(body)
  }

  return {
    async begin() {
      epoch = await persistently(() => deliveries.beginEpoch(producer))
      aheadEpoch = await persistently(() => deliveries.beginEpoch(aheadProducer))
      return {
        behind: await persistently(() => deliveries.lastSequences(producer)),
        ahead: await persistently(() => deliveries.lastSequences(aheadProducer)),
      }
    },
    add({ partition, lane, to, incarnation, deliveries: entries }) {
      if (entries.length === 0) return nothing
      let bytes = 0
      for (const entry of entries) bytes += entry.body.byteLength
      waiting += bytes
      metrics.count('pipeline_delivery_records', entries.length)
      const stamp: ProducerStamp =
        lane === partition
          ? { producer, epoch, sequence: to, note: incarnation }
          : {
              producer: aheadProducer,
              epoch: aheadEpoch,
              sequence: to,
              note: noteOfAhead(incarnation, deps.overtaking?.(partition)),
            }
      const appended = append(last.get(partition) ?? nothing, entries, stamp).finally(() => {
        waiting -= bytes
        deps.onDrain()
      })
      last.set(partition, appended)
      return appended
    },
    isFull: () => waiting >= settings.deliveriesBytes,
  }
}
