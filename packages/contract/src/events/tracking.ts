import { z } from 'zod'
import { rowProducer } from '../destinations/outbound.ts'
import type { Compatibility } from '../sources/compatibility.ts'

/** The six calls of the tracking API. */
export const eventTypes = ['track', 'page', 'screen', 'identify', 'group', 'alias'] as const
export type EventType = (typeof eventTypes)[number]

const typesByName: ReadonlyMap<string, EventType> = new Map(
  eventTypes.flatMap((type): [string, EventType][] => [
    [type, type],
    [type.charAt(0), type],
  ]),
)

/** Returns the event type for a `type` text: its name or first letter, in any letter case. */
export const eventTypeOf = (name: string): EventType | undefined =>
  typesByName.get(name) ?? typesByName.get(name.toLowerCase())

/** Limits of collection (bytes and counts). */
export const trackingLimits = {
  /** Maximum bytes of a request body after decompression. */
  bodyBytes: 4 * 1024 * 1024,
  /** Maximum bytes of one event as received. */
  eventBytes: 32 * 1024,
  /** Maximum accepted events of one batch; further events are stored as rejected. */
  batchEvents: 2500,
  /** Maximum bytes of the context and integrations of a batch, counted once for each of its events. */
  sharedBytes: 16 * 1024 * 1024,
  messageIdLength: 100,
  jsonDepth: 200,
} as const

/**
 * The meta of a request in the log, as JSON. The body is exactly what the client sent, after decompression; for pixel
 * calls it is the JSON of the query.
 */
export const requestMeta = z.object({
  /** The workspace and the source to which the write key belonged at the time of the request. */
  w: z.string(),
  s: z.string(),
  /** The kind of body: `single` is one event, `batch` is an object with a `batch` list. */
  k: z.enum(['single', 'batch']),
  /** The type that the path implies, when the body has none. */
  t: z.enum(eventTypes).optional(),
  /** Receive time, epoch ms. */
  r: z.number().int(),
  /** Client address (after trusted proxies). */
  ip: z.string(),
  /** User agent header. */
  ua: z.string().optional(),
  /** True if a browser or mobile client sent the request itself, so that its address belongs in context.ip. */
  d: z.boolean().optional(),
  /** True if another server forwards the events and has already corrected each `timestamp`. */
  f: z.boolean().optional(),
  /** A replay: the IDs of the stored events, one for each event, in their order. */
  p: z.array(z.string()).optional(),
  /** The ID under which the request was set aside before it was taken back. This ID replaces missing message IDs. */
  b: z.string().optional(),
  /** The events are not sent to the destinations that are connected to the source. */
  u: z.literal(true).optional(),
  /** The events are rows of a sync: live events are delivered before them. */
  h: z.literal(true).optional(),
  /** A sync imports the events from rows. Events before a usage period do not count in it. */
  i: z.literal(true).optional(),
})
export type RequestMeta = z.infer<typeof requestMeta>

/**
 * One event as the pipeline passes it to the live channel, to delivery and, with the original, to the event store.
 * Times are RFC 3339 in UTC with milliseconds.
 */
export type PipelineEvent = {
  /**
   * The event's position in the log, `<partition>-<offset>-<index>`, padded: unique, the same after a repeated read,
   * and in the order of the log when sorted.
   */
  eventId: string
  messageId: string
  type: EventType
  /** track: the event's name; page and screen: the name or ''; otherwise ''. */
  event: string
  userId?: string
  anonymousId?: string
  groupId?: string
  previousId?: string
  properties?: Record<string, unknown>
  traits?: Record<string, unknown>
  context: Record<string, unknown>
  integrations?: Record<string, unknown>
  test: boolean
  receivedAt: string
  timestamp: string
  originalTimestamp?: string
  sentAt?: string
  /** Top-level keys of the received event that the tracking API does not define. */
  extra?: Record<string, unknown>
}

/**
 * The fields that consumers of the stream can rely on in any accepted event. An event without destinations has no other
 * fields. The whole context is included if it has traits or external IDs; otherwise it is absent.
 */
export type StreamedEvent = Pick<
  PipelineEvent,
  | 'eventId'
  | 'type'
  | 'event'
  | 'userId'
  | 'anonymousId'
  | 'groupId'
  | 'previousId'
  | 'traits'
  | 'context'
  | 'receivedAt'
  | 'timestamp'
>

/**
 * Meta of a record of the stream. Its body is a JSON array (UTF-8) of PipelineEvent. The body is an array of
 * StreamedEvent if `d` has no destination and no signal uses the source. If `holdsRows` is true, the body is an
 * `outboundBody`.
 */
export const deliveryMeta = z.object({
  w: z.string(),
  /** The source of the events; for other records, the ID (a UUID) of the producing object. */
  s: z.string(),
  /** IDs of the destinations that were connected when the events were processed. */
  d: z.array(z.string()),
  /** Number of events in the body. */
  n: z.number().int(),
  /**
   * The replay that sends stored events again to the one destination in `d`. The connection's filter and the events'
   * own `integrations` do not apply. Consent, the age limit and the present mappings apply.
   */
  p: z.string().optional(),
  /** True if JSON.parse would change numbers or an order of names in some of the events; absent otherwise. */
  e: z.literal(true).optional(),
  /**
   * The offset after the last request of the group in which the pipeline appended the record. After the last record of
   * a group, all accepted events of earlier requests are in the stream. Absent in records of replays.
   */
  q: z.number().int().optional(),
  /** The producer of these rows or events; absent for events of sources. */
  b: rowProducer.optional(),
  /** True for a replay whose events are mapped without the profile. */
  u: z.literal(true).optional(),
  /** Low priority: rows of a sync, and blocked events that are sent again. */
  h: z.literal(true).optional(),
})
export type DeliveryMeta = z.infer<typeof deliveryMeta>

/** An event on the live channel `private-sources-{sourceId}`. A message has at most 10 kB with its envelope. */
export type LiveEventSummary = {
  eventId: string
  messageId: string
  type: EventType
  /** Event name in the table. */
  title: string
  test: boolean
  receiveTime: string
  userId?: string
  anonymousId?: string
  /** 'accepted', 'rejected' with a reason, 'blocked' by its schema, or 'held' by a limit of the plan. */
  status: 'accepted' | 'rejected' | 'blocked' | 'held'
  /** Why the event was rejected, or a note about it. */
  reason?: string
  /** The result of the validation, and the schema version; absent for rejected events. */
  compatibility?: Compatibility
  schemaVersion?: number
  /**
   * Short values of its properties (for identify, its traits) that fit into the message; the stored event has all
   * values.
   */
  values?: Record<string, string | number | boolean | null>
}
/** Message of the live channel: a few summaries, and the number of omitted events since the last message. */
export type LiveMessage = { events: LiveEventSummary[]; skipped: number }
