import { type RequestMeta, requestMeta } from '@tributary/contract'
import type { ConsumerJournal, LogRecord, SeenId } from '@tributary/storage'
import { pipelineEventText, type SourceEvents } from './delivery-records.ts'
import type { NormalEvent, RawEvent, Request } from './event-types.ts'
import { isJsonObject, type JsonObject } from './json-text.ts'
import type { Drop, DropReason, Outcome, Reject } from './outcome.ts'
import { reject } from './outcome.ts'
import { acceptedRow, type DroppedCount, rejectedRow, rowPrefix } from './rows.ts'
import { checkEnvelope } from './steps/check-envelope.ts'
import { createSeenIds } from './steps/deduplicate.ts'
import { normalise } from './steps/normalise.ts'
import { parseJson } from './steps/parse-json.ts'
import { type Slice, splitBatch, splitSingle } from './steps/split.ts'
import { withinLimits } from './steps/within-limits.ts'

/** An event on its way to the live channel of its source. */
export type LiveEvent = {
  readonly raw: RawEvent
  readonly event: NormalEvent | undefined
  readonly rejected: Reject | undefined
}

/** What a run of records of one partition came to, for the branches behind the steps. */
export type MicroBatch = {
  readonly partition: number
  /** Offsets of the records: `from` to before `to`. */
  readonly from: number
  to: number
  /** When the oldest of its records was appended, epoch ms. */
  since: number
  readonly rows: string[]
  rowBytes: number
  readonly dropped: Map<string, DroppedCount>
  readonly deliveries: Map<string, SourceEvents & { readonly events: string[] }>
  readonly live: Map<string, LiveEvent[]>
  readonly bytesByWorkspace: Map<string, number>
  events: number
  accepted: number
  rejected: Map<string, number>
}

export type ProcessorDeps = {
  journal: Pick<ConsumerJournal, 'firstSeen'>
  /** Destinations connected to a source. */
  destinationsFor(sourceId: string): readonly string[]
  /** Whether anybody watches a source's live channel. */
  isWatched(sourceId: string): boolean
}

export type Processor = {
  /** Begins a micro-batch at a place of the log. */
  begin(partition: number, offset: number, since: number): MicroBatch
  /** Takes the events of one record through the steps and into the micro-batch. */
  add(batch: MicroBatch, record: LogRecord): void
  /** Ids that no journalled range carries yet. */
  idsInHand(): readonly SeenId[]
  /** Forgets the ids in hand, after they were journalled. */
  idsHandedOver(): void
}

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

/** The meta collect wrote; a record whose meta cannot be read is kept for its workspace without a source. */
const metaOf = (record: LogRecord): RequestMeta => {
  try {
    return requestMeta.parse(JSON.parse(record.meta))
  } catch {
    return { w: record.key, s: '', k: 'single', r: record.time, ip: '' }
  }
}

const fault = reject('malformed_json', 'The event could not be processed.')

/**
 * Takes records through the steps: split → limits → parse → normalise → envelope → deduplicate. Every event of a record
 * ends as a row (accepted or rejected) or as a count of what was left out. The same records with the same journal give
 * the same rows in the same order.
 */
export const createProcessor = ({ journal, destinationsFor, isWatched }: ProcessorDeps): Processor => {
  const limits = withinLimits()
  const parse = parseJson()
  const shape = normalise()
  const envelope = checkEnvelope()
  const seen = createSeenIds(journal)

  /** The steps of one event; what could be read of a rejected one goes with it. */
  const judge = (raw: RawEvent): { event: NormalEvent | undefined; outcome: Outcome<unknown> } => {
    const limited = limits(raw)
    if (limited.kind !== 'ok') return { event: undefined, outcome: limited }
    const parsed = parse(limited.event)
    if (parsed.kind !== 'ok') return { event: undefined, outcome: parsed }
    const normal = shape(parsed.event)
    if (normal.kind !== 'ok') return { event: undefined, outcome: normal }
    return { event: normal.event, outcome: envelope(normal.event) }
  }

  const safely = (raw: RawEvent): ReturnType<typeof judge> => {
    try {
      return judge(raw)
    } catch {
      return { event: undefined, outcome: fault }
    }
  }

  const deduplicate = (event: NormalEvent | undefined, rejected: boolean): Drop | undefined => {
    if (event === undefined || !event.ownMessageId) return undefined
    const { partition, offset, index, request } = event.raw
    return seen.check({ sourceId: request.meta.s, messageId: event.messageId, rejected, partition, offset, index })
  }

  const count = (batch: MicroBatch, meta: RequestMeta, reason: DropReason): void => {
    const hour = Math.floor(meta.r / 3_600_000) * 3600
    const key = `${meta.s}\n${hour}\n${reason}`
    const known = batch.dropped.get(key)
    if (known === undefined) {
      batch.dropped.set(key, { workspaceId: meta.w, sourceId: meta.s, hour, reason, events: 1 })
    } else known.events++
  }

  return {
    begin: (partition, offset, since) => ({
      partition,
      from: offset,
      to: offset,
      since,
      rows: [],
      rowBytes: 0,
      dropped: new Map(),
      deliveries: new Map(),
      live: new Map(),
      bytesByWorkspace: new Map(),
      events: 0,
      accepted: 0,
      rejected: new Map(),
    }),

    add(batch, record) {
      batch.to = record.offset + 1
      const meta = metaOf(record)
      const body = Buffer.from(record.body.buffer, record.body.byteOffset, record.body.byteLength)
      const parts = meta.k === 'batch' ? splitBatch(body) : splitSingle(body)
      const request: Request = {
        meta,
        receivedAt: new Date(meta.r).toISOString(),
        context: objectOf(body, parts.context),
        integrations: objectOf(body, parts.integrations),
        sentAt: valueOf(body, parts.sentAt),
      }
      const prefix = rowPrefix(request)
      const place = `${record.partition}-${record.offset}-`
      const destinations = destinationsFor(meta.s)
      let deliveries = batch.deliveries.get(meta.s)
      const live = isWatched(meta.s) ? (batch.live.get(meta.s) ?? []) : undefined
      if (live !== undefined) batch.live.set(meta.s, live)
      for (let index = 0; index < parts.events.length; index++) {
        const slice = parts.events[index] as Slice
        const raw: RawEvent = {
          request,
          partition: record.partition,
          offset: record.offset,
          index,
          eventId: place + index,
          original: body.toString('utf8', slice.start, slice.end),
          bytes: slice.end - slice.start,
          depth: slice.depth,
        }
        batch.events++
        const { event, outcome } = safely(raw)
        const dropped = outcome.kind === 'drop' ? outcome : deduplicate(event, outcome.kind === 'reject')
        if (dropped !== undefined) {
          count(batch, meta, dropped.reason)
          continue
        }
        if (outcome.kind === 'reject' || event === undefined) {
          const why = outcome.kind === 'reject' ? outcome : fault
          const row = rejectedRow(prefix, raw, event, why)
          batch.rows.push(row)
          batch.rowBytes += row.length
          batch.rejected.set(why.reason, (batch.rejected.get(why.reason) ?? 0) + 1)
          live?.push({ raw, event, rejected: why })
          continue
        }
        const row = acceptedRow(prefix, event)
        batch.rows.push(row)
        batch.rowBytes += row.length
        batch.accepted++
        live?.push({ raw, event, rejected: undefined })
        if (destinations.length > 0) {
          if (deliveries === undefined) {
            deliveries = { workspaceId: meta.w, sourceId: meta.s, destinations, events: [] }
            batch.deliveries.set(meta.s, deliveries)
          }
          deliveries.events.push(pipelineEventText(event))
        }
      }
      batch.bytesByWorkspace.set(meta.w, (batch.bytesByWorkspace.get(meta.w) ?? 0) + record.body.byteLength)
    },

    idsInHand: () => seen.inHand(),
    idsHandedOver: () => seen.handedOver(),
  }
}
