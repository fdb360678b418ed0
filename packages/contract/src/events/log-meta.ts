import { NewerFormat, requireKnownFormat } from '@tributary/kernel'
import type { RowProducer } from '../destinations/outbound.ts'
import { type DeliveryMeta, deliveryMeta, type EventType, type RequestMeta, requestMeta } from './tracking.ts'

/** The meta of a request in the log, with readable names instead of single letters. Read once, then passed on. */
export type RequestFacts = {
  readonly workspaceId: string
  readonly sourceId: string
  /** Whether the body of the request has a list of events instead of one event. */
  readonly isBatch: boolean
  /** The type that the path implies. */
  readonly type: EventType | undefined
  /** Epoch ms. */
  readonly receivedAt: number
  /** Client address. */
  readonly ip: string
  /** User agent header. */
  readonly userAgent: string | undefined
  /** Whether a user's own client sent the request, so that `ip` is the address of the user. */
  readonly isDirect: boolean
  /** Whether another server forwarded the request after correcting the times of the events. */
  readonly isForwarded: boolean
  /** For a replay: the ID of the stored event for each event of the body. */
  readonly storedIds: readonly string[] | undefined
  /** The ID under which the request was set aside before it was taken back. */
  readonly takenBackAs: string | undefined
  /** Whether the events of the request are sent to no destination. */
  readonly isUndelivered: boolean
  /** Whether live events are delivered before the events of this request. */
  readonly isLater: boolean
  /** Whether a sync imports the events from rows. */
  readonly isImported: boolean
}

/** The meta of a record of the stream, with readable names instead of single letters. Read once, then passed on. */
export type StreamFacts = {
  readonly workspaceId: string
  /** The source of the events; for other records, the ID of the producing object. */
  readonly sourceId: string
  readonly destinationIds: readonly string[]
  /** Number of events or rows in the body. */
  readonly count: number
  /** The replay that sends stored events again. */
  readonly replayId: string | undefined
  /** Whether the events of the replay are mapped without the profile. */
  readonly isWithoutProfile: boolean
  /** Whether JSON.parse would change some numbers of the body, or an order of names. */
  readonly isLossy: boolean
  /** The offset after the last request of the group in which the record was appended. */
  readonly through: number | undefined
  /** The producer of rows or events, with the key of each event; undefined for events of sources. */
  readonly producer: StreamProducer | undefined
  /** Whether live events are delivered before this record. */
  readonly isLater: boolean
}

/** A producer other than a source. */
export type StreamProducer = {
  readonly kind: RowProducer['k']
  readonly name: string
  /** The key of each event; undefined for rows, because each row has its own key. */
  readonly keys: readonly string[] | undefined
}

/** Returns the values of a request's meta under readable names. */
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

/** Returns the values of a stream record's meta under readable names. */
export const streamFactsOf = ({ w, s, d, n, p, u, e, q, b, h }: DeliveryMeta): StreamFacts => ({
  workspaceId: w,
  sourceId: s,
  destinationIds: d,
  count: n,
  replayId: p,
  isWithoutProfile: u === true,
  isLossy: e === true,
  through: q,
  producer: b === undefined ? undefined : { kind: b.k, name: b.n, keys: b.e },
  isLater: h === true,
})

/** Parses a text by a schema; undefined if the text does not match. Throws NewerFormat. */
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
 * Reads the meta of a request in the log; undefined if it is not a request of this product.
 *
 * @throws NewerFormat
 */
export const readRequestFacts = (text: string): RequestFacts | undefined => {
  const meta = read('A request in the log', text, requestMeta)
  return meta === undefined ? undefined : requestFactsOf(meta)
}

/**
 * Reads the meta of a record of the stream; undefined if it is not a record of this product.
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
