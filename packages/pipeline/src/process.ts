import { type RequestFacts, readRequestFacts, requestFactsOf } from '@tributary/contract'
import {
  eventIdsOf,
  formatRecordPlace,
  isJsonObject,
  type JsonObject,
  losesDigits,
  noteWork,
  type RecordPlace,
  withoutDoubledNames,
} from '@tributary/kernel'
import {
  type ConsumerJournal,
  createRowWriter,
  type EventSlice,
  type LogEntry,
  type LogRecord,
  type Rows,
  type SeenId,
  type Slice,
  type SplitBody,
  splitBatch,
  splitSingle,
} from '@tributary/storage'
import {
  betweenEvents,
  createTextBytes,
  deliveryRecords,
  type SourceEvents,
  writePipelineEvent,
  writeStreamedEvent,
} from './branches/deliver.ts'
import { createEventPath, type Decided, type PathEnd, type PathScope } from './event-path.ts'
import type {
  AcceptedStatus,
  DropReason,
  Fit,
  NormalEvent,
  RawEvent,
  Reject,
  Request,
  SchemaInForce,
} from './event-types.ts'
import { type DiscardedCount, rowPrefix, writeAccepted, writeRejected } from './rows/rows.ts'
import { isoTime } from './rows/timestamps.ts'
import { RecordFailed } from './set-aside.ts'

/** An event for the live channel of its source. */
export type LiveEvent = {
  readonly raw: RawEvent
  readonly event: NormalEvent | undefined
  readonly rejected: Reject | undefined
  /** The status of the event; undefined for a rejected event. */
  readonly status: AcceptedStatus | undefined
  /** How the event matched the schema; undefined for an event that was not validated. */
  readonly fit: Fit | undefined
}

/** The result of the steps for consecutive records of one partition, for the branches. */
export type MicroBatch = {
  readonly partition: number
  /** The lane of the reading: the partition's own number, or that of the reading ahead (`Overtakings`). */
  readonly lane: number
  /** Offsets of the records: [`from`, `to`). */
  readonly from: number
  readonly to: number
  /** Incarnation of the last record. */
  readonly incarnation: string
  /** When the oldest of the records was appended, epoch ms. */
  readonly since: number
  readonly rows: Rows
  readonly discarded: ReadonlyMap<string, DiscardedCount>
  /** Records for the deliveries log, in order per source. */
  readonly deliveries: readonly LogEntry[]
  /** Events of watched sources. */
  readonly live: ReadonlyMap<string, readonly LiveEvent[]>
  readonly accepted: number
  /** Events blocked because they do not match the schema of their source. */
  readonly blocked: number
  /** Events held because their organization is over the limit of its plan. */
  readonly held: number
  /** Events kept as rejected, by reason. */
  readonly rejected: ReadonlyMap<string, number>
}

/**
 * Returns a micro-batch without its rows, counts, deliveries and live events, for records that are stored already. Only
 * the range of the records and the append time of the oldest remain.
 */
export const withoutEffects = (batch: MicroBatch): MicroBatch => ({
  ...batch,
  rows: { bytes: Buffer.alloc(0), ends: [] },
  discarded: new Map(),
  deliveries: [],
  live: new Map(),
  accepted: 0,
  blocked: 0,
  held: 0,
  rejected: new Map(),
})

export type ProcessorDeps = {
  journal: Pick<ConsumerJournal, 'firstSeen'>
  /**
   * Returns the destinations connected to a source. Accepted events without destinations are appended to the deliveries
   * log, too.
   */
  destinationsFor(sourceId: string): readonly string[]
  /**
   * Whether a consumer needs complete events of a source, regardless of their destinations. Called once per record. If
   * absent, no consumer does.
   */
  needsWhole?(sourceId: string): boolean
  /** The schema that validates a source's events; called once per record. */
  schemaFor(sourceId: string): SchemaInForce | undefined
  /** Whether a source's live channel has viewers. */
  isWatched(sourceId: string): boolean
  /** Whether an earlier run appended an event to the deliveries log. */
  isAppended?(record: RecordPlace, workspaceId: string): boolean
  /**
   * Whether a record is skipped because processing failed on it. Called once per record. If absent, no record is
   * skipped.
   */
  isSetAside?(record: RecordPlace): boolean
  /**
   * Whether a record belongs to the other reading of its partition. Called once per record. If absent, no partition is
   * read twice.
   */
  isPassedOver?(record: LogRecord, lane: number): boolean
  /** Maximum bytes of a record's body in the deliveries log. */
  deliveryRecordBytes: number
}

export type Processor = {
  /**
   * Takes the events of one record through the steps into the open micro-batch, and begins one if there is none. An
   * event that was decided before keeps its status, even if the schema has changed. Throws RecordFailed when a step
   * throws; the processor is unusable then. A micro-batch has records of one lane; `lane` defaults to the partition.
   */
  add(record: LogRecord, decided?: Decided, lane?: number): void
  /** Records, events and bytes of rows of the open micro-batch. */
  size(): { records: number; events: number; bytes: number }
  /** Ends the open micro-batch, which holds at least one record. */
  take(): MicroBatch
  /** Takes the message IDs that are not in a journaled range yet. They still count as seen. */
  takeIds(): readonly SeenId[]
  /** Drops the taken IDs, after they were journaled. */
  idsFlushed(): void
}

type OpenBatch = {
  partition: number
  lane: number
  from: number
  to: number
  incarnation: string
  since: number
  records: number
  events: number
  accepted: number
  blocked: number
  held: number
  discarded: Map<string, DiscardedCount>
  deliveries: Map<string, SourceEvents & { places: number[]; lossy: boolean }>
  live: Map<string, LiveEvent[]>
  rejected: Map<string, number>
}

const begin = (record: LogRecord, lane: number): OpenBatch => ({
  partition: record.partition,
  lane,
  from: record.offset,
  to: record.offset,
  incarnation: record.incarnation,
  since: record.time,
  records: 0,
  events: 0,
  accepted: 0,
  blocked: 0,
  held: 0,
  discarded: new Map(),
  deliveries: new Map(),
  live: new Map(),
  rejected: new Map(),
})

const valueOf = (body: Buffer, slice: Slice | undefined): unknown => {
  if (slice === undefined || slice.depth > 200) return undefined
  try {
    return JSON.parse(body.toString('utf8', slice.start, slice.end))
  } catch {
    return undefined
  }
}

const objectOf = (body: Buffer, slice: Slice | undefined): JsonObject | undefined => {
  const value = valueOf(body, slice)
  return isJsonObject(value) ? value : undefined
}

/** The shared values of a batch as texts, if parsing loses some of them. */
const exactOf = (
  body: Buffer,
  parts: Pick<SplitBody, 'context' | 'integrations'>,
  parsed: Pick<Request, 'context' | 'integrations'>,
): Request['exact'] => {
  if (parsed.context === undefined && parsed.integrations === undefined) return undefined
  const textOf = (name: 'context' | 'integrations'): string | undefined =>
    parsed[name] === undefined
      ? undefined
      : withoutDoubledNames(body.toString('utf8', parts[name]?.start, parts[name]?.end))
  const texts = { context: textOf('context'), integrations: textOf('integrations') }
  return losesDigits(`[${texts.context},${texts.integrations}]`) ? texts : undefined
}

const sizeOf = (slice: Slice | undefined): number => (slice === undefined ? 0 : slice.end - slice.start)

/**
 * Returns the facts of a record's request. A record with unreadable metadata is kept for its workspace, without a
 * source.
 * @throws NewerFormat
 */
export const factsOf = (record: LogRecord): RequestFacts =>
  readRequestFacts(record.meta) ?? requestFactsOf({ w: record.key, s: '', k: 'single', r: record.time, ip: '' })

/** Values that all events of a record share. */
type Scope = PathScope & { readonly destinations: readonly string[]; readonly whole: boolean }

type Stored = Extract<PathEnd, { kind: 'stored' }>

/**
 * Splits records and takes each of their events along its path. Every event of a record becomes a row (accepted,
 * blocked, held, or rejected) or is counted as discarded. The same records with the same journal and schemas give the
 * same rows in the same order. With another schema they give the same events, validated by that schema.
 */
export const createProcessor = ({
  journal,
  destinationsFor,
  needsWhole = () => false,
  schemaFor,
  isWatched,
  isAppended = () => false,
  isSetAside = () => false,
  isPassedOver = () => false,
  deliveryRecordBytes,
}: ProcessorDeps): Processor => {
  const path = createEventPath(journal)
  const rows = createRowWriter()
  const texts = createTextBytes(betweenEvents)
  let open: OpenBatch | undefined

  const count = (meta: RequestFacts, reason: DropReason): void => {
    const hour = Math.floor(meta.receivedAt / 3_600_000) * 3600
    const key = `${meta.sourceId}\n${hour}\n${reason}`
    const known = open?.discarded.get(key)
    if (known === undefined) {
      open?.discarded.set(key, { workspaceId: meta.workspaceId, sourceId: meta.sourceId, hour, reason, events: 1 })
    } else known.events++
  }

  const keepRejected = (batch: OpenBatch, raw: RawEvent, event: NormalEvent | undefined, why: Reject): void => {
    writeRejected(rows, raw, event, why)
    batch.rejected.set(why.reason, (batch.rejected.get(why.reason) ?? 0) + 1)
    batch.live.get(raw.request.meta.sourceId)?.push({ raw, event, rejected: why, status: undefined, fit: undefined })
  }

  const keepStored = (
    batch: OpenBatch,
    { event, status, validation }: Stored,
    { destinations, schemaInForce, whole }: Scope,
  ): void => {
    const { raw } = event
    const { workspaceId, sourceId, storedIds, isUndelivered, isLater: isImport } = raw.request.meta
    const version = schemaInForce?.version ?? 0
    writeAccepted(rows, event, status, validation, version)
    batch[status]++
    batch.live.get(sourceId)?.push({
      raw,
      event,
      rejected: undefined,
      status,
      fit: validation === undefined ? undefined : { compatibility: validation.compatibility, version },
    })
    if (status !== 'accepted' || isAppended(raw, workspaceId)) return
    // A record has only immediate, later, or undelivered events of a source.
    const isLater = storedIds !== undefined || isImport
    const together = isUndelivered ? `${sourceId} kept` : isLater ? `${sourceId} later` : sourceId
    let source = batch.deliveries.get(together)
    if (source === undefined) {
      source = { workspaceId, sourceId, destinations, isLater, places: [], lossy: false }
      batch.deliveries.set(together, source)
    }
    const from = texts.length
    if (whole) writePipelineEvent(texts, event)
    else writeStreamedEvent(texts, event)
    if (raw.lossy) source.lossy = true
    source.places.push(from, texts.length)
  }

  const take = (batch: OpenBatch, raw: RawEvent, scope: Scope): void => {
    batch.events++
    const end = path.take(raw, scope)
    if (end.kind === 'stored') keepStored(batch, end, scope)
    else if (end.kind === 'rejected') keepRejected(batch, raw, end.event, end.why)
    else count(raw.request.meta, end.reason)
  }

  const takeRecord = (batch: OpenBatch, record: LogRecord, decided: Decided | undefined): void => {
    const meta = factsOf(record)
    const body = Buffer.from(record.body.buffer, record.body.byteOffset, record.body.byteLength)
    const parts = meta.isBatch ? splitBatch(body) : splitSingle(body)
    const shared = { context: objectOf(body, parts.context), integrations: objectOf(body, parts.integrations) }
    const request: Request = {
      meta,
      receivedAt: isoTime(meta.receivedAt),
      rowPrefix: rowPrefix(meta),
      ...shared,
      exact: exactOf(body, parts, shared),
      sentAt: valueOf(body, parts.sentAt),
      sharedBytes: sizeOf(parts.context) + sizeOf(parts.integrations),
      events: parts.events.length,
    }
    const eventIdAt = eventIdsOf(record)
    const destinations = !meta.isUndelivered ? destinationsFor(meta.sourceId) : []
    const whole = destinations.length > 0 || (!meta.isUndelivered && needsWhole(meta.sourceId))
    const scope: Scope = { destinations, whole, schemaInForce: schemaFor(meta.sourceId), decided }
    if (isWatched(meta.sourceId) && !batch.live.has(meta.sourceId)) batch.live.set(meta.sourceId, [])
    for (let index = 0; index < parts.events.length; index++) {
      const slice = parts.events[index] as EventSlice
      const original = body.toString('utf8', slice.start, slice.end)
      const bytes = slice.end - slice.start
      const raw: RawEvent = {
        request,
        partition: record.partition,
        offset: record.offset,
        incarnation: record.incarnation,
        index,
        eventId: eventIdAt(index),
        original,
        bytes,
        depth: slice.depth,
        lossy: slice.lossy || request.exact !== undefined,
        // Byte offsets equal offsets in the text only if each character is a single byte.
        context: original.length === bytes ? slice.context : undefined,
      }
      take(batch, raw, scope)
    }
  }

  return {
    add(record, decided, lane = record.partition) {
      open ??= begin(record, lane)
      const batch = open
      batch.records++
      batch.to = record.offset + 1
      batch.incarnation = record.incarnation
      batch.since = Math.min(batch.since, record.time)
      if (isPassedOver(record, lane) || isSetAside(record)) return
      try {
        noteWork('pipeline.steps', record.key, `request ${formatRecordPlace(record)}`)
        takeRecord(batch, record, decided)
      } catch (error) {
        // Other records are processed until the failure is recorded. Their ranges must not journal these IDs: the
        // failed record would then count as its own repetition.
        path.withdrawIds(record)
        throw new RecordFailed(record, decided !== undefined, error)
      }
    },

    size: () => ({
      records: open?.records ?? 0,
      events: open?.events ?? 0,
      bytes: rows.length,
    }),

    take() {
      if (open === undefined) throw new Error('There is no open micro-batch')
      const { events: _, records: __, deliveries, ...batch } = open
      const entries = [...deliveries.values()].flatMap((source) =>
        deliveryRecords(source, texts, deliveryRecordBytes, batch),
      )
      const result = { ...batch, rows: rows.take(), deliveries: entries }
      texts.clear()
      open = undefined
      return result
    },

    takeIds: () => path.takeIds(),
    idsFlushed: () => path.idsFlushed(),
  }
}
