import { NewerFormat, requireKnownFormat } from '@tributary/kernel'
import type { RowProducer } from '../destinations/outbound.ts'
import { type DeliveryMeta, deliveryMeta, type EventType, type RequestMeta, requestMeta } from './tracking.ts'

/** Facts of a request in the log: its meta with names in place of letters. Read once, then passed on. */
export type RequestFacts = {
  readonly workspaceId: string
  readonly sourceId: string
  /** Whether its body has one event, or a list of them. */
  readonly isBatch: boolean
  /** The type that the path implies. */
  readonly type: EventType | undefined
  /** Epoch ms. */
  readonly receivedAt: number
  /** Client address. */
  readonly ip: string
  /** User agent header. */
  readonly userAgent: string | undefined
  /** Whether the client of a user sent it, so that its address is that of the user. */
  readonly isDirect: boolean
  /** Whether another server sent it that has corrected its times. */
  readonly isForwarded: boolean
  /** The ID of the stored event that each event of a replay stands for. */
  readonly storedIds: readonly string[] | undefined
  /** The ID under which it was set aside before. */
  readonly takenBackAs: string | undefined
  /** Whether its events go to no destination. */
  readonly isUndelivered: boolean
  /** Whether live events are delivered before it. */
  readonly isLater: boolean
  /** Whether a sync imports its events from rows. */
  readonly isImported: boolean
}

/** Facts of a record of the stream: its meta with names in place of letters. Read once, then passed on. */
export type StreamFacts = {
  readonly workspaceId: string
  /** The source of the events; for other records, the ID of the producing object. */
  readonly sourceId: string
  readonly destinationIds: readonly string[]
  /** Number of events or rows in the body. */
  readonly count: number
  /** The replay that sends stored events again. */
  readonly replayId: string | undefined
  /** Whether parsing changes some of its numbers or an order of names. */
  readonly isLossy: boolean
  /** The offset after the last request of the group that it was appended in. */
  readonly through: number | undefined
  /** The producer of rows or events, with the key of each event; undefined for events of sources. */
  readonly producer: StreamProducer | undefined
  /** Whether live events are delivered before it. */
  readonly isLater: boolean
}

/** A producer other than a source. */
export type StreamProducer = {
  readonly kind: RowProducer['k']
  readonly name: string
  /** The key of each event; undefined for rows, which have their own. */
  readonly keys: readonly string[] | undefined
}

/** Names the values of a request's meta. */
export const requestFactsOf = (meta: RequestMeta): RequestFacts => ({
  workspaceId: meta.w,
  sourceId: meta.s,
  isBatch: meta.k === 'batch',
  type: meta.t,
  receivedAt: meta.r,
  ip: meta.ip,
  userAgent: meta.ua,
  isDirect: meta.d === true,
  isForwarded: meta.f === true,
  storedIds: meta.p,
  takenBackAs: meta.b,
  isUndelivered: meta.u === true,
  isLater: meta.h === true,
  isImported: meta.i === true,
})

/** Names the values of a stream record's meta. */
export const streamFactsOf = ({ w, s, d, n, p, e, q, b, h }: DeliveryMeta): StreamFacts => ({
  workspaceId: w,
  sourceId: s,
  destinationIds: d,
  count: n,
  replayId: p,
  isLossy: e === true,
  through: q,
  producer: b === undefined ? undefined : { kind: b.k, name: b.n, keys: b.e },
  isLater: h === true,
})

/** Parses a text by a schema; undefined for other texts. Throws NewerFormat. */
const read = <Value>(
  what: string,
  text: string,
  schema: { safeParse(value: unknown): { data?: Value | undefined } },
): Value | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    requireKnownFormat(what, value)
    return schema.safeParse(value).data
  } catch (error) {
    if (error instanceof NewerFormat) throw error
    return undefined
  }
}

/**
 * Reads the meta of a request in the log; undefined when it is not one of ours.
 *
 * @throws NewerFormat
 */
export const readRequestFacts = (text: string): RequestFacts | undefined => {
  const meta = read('A request in the log', text, requestMeta)
  return meta === undefined ? undefined : requestFactsOf(meta)
}

/**
 * Reads the meta of a record of the stream; undefined when it is not one of ours.
 *
 * @throws NewerFormat
 */
export const readStreamFacts = (text: string): StreamFacts | undefined => {
  const meta = read('A record of the stream', text, deliveryMeta)
  return meta === undefined ? undefined : streamFactsOf(meta)
}

/** Whether a record of the stream has rows instead of events. */
export const holdsRows = ({ producer }: Pick<StreamFacts, 'producer'>): boolean =>
  producer !== undefined && producer.keys === undefined
