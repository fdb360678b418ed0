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

/** The type that a `type` of an event stands for: its name or the first letter of it, in any letter case. */
export const eventTypeOf = (name: string): EventType | undefined =>
  typesByName.get(name) ?? typesByName.get(name.toLowerCase())

/** Limits of collection (bytes and counts). */
export const trackingLimits = {
  /** A request body after decompression. */
  bodyBytes: 4 * 1024 * 1024,
  /** One event as received. */
  eventBytes: 32 * 1024,
  /** Events of one batch that are taken; the ones behind are kept as rejected. */
  batchEvents: 2500,
  /** What the context and integrations of a batch come to when each of its events is stored with them. */
  sharedBytes: 16 * 1024 * 1024,
  messageIdLength: 100,
  jsonDepth: 200,
} as const

/**
 * What collect writes beside a request's body in the log, as JSON. The body is exactly what the client sent, after
 * decompression; for pixel calls it is the JSON that the query stands for.
 */
export const requestMeta = z.object({
  /** Workspace and source the key belonged to when the request came in. */
  w: z.string(),
  s: z.string(),
  /** `single` carries one event, `batch` an object with a `batch` list. */
  k: z.enum(['single', 'batch']),
  /** The type the path decides, when the body lacks one. */
  t: z.enum(eventTypes).optional(),
  /** Receive time, epoch ms. */
  r: z.number().int(),
  /** Client address (after trusted proxies). */
  ip: z.string(),
  /** User agent header. */
  ua: z.string().optional(),
  /** True for browser and mobile clients that call us directly, whose address belongs in context.ip. */
  d: z.boolean().optional(),
  /** Another server passes the events on: it has corrected their `timestamp` already. */
  f: z.boolean().optional(),
  /** The events are sent again: the ids of the stored ones they stand for, one for each event, in their order. */
  p: z.array(z.string()).optional(),
  /** The request was set aside, under this id, and taken back: what an event without a message id is known by. */
  b: z.string().optional(),
  /** The events go to none of the destinations that are connected to the source. */
  u: z.literal(true).optional(),
  /** The events are rows of a sync: they go to destinations when nothing live does. */
  h: z.literal(true).optional(),
})
export type RequestMeta = z.infer<typeof requestMeta>

/**
 * One event as the pipeline hands it on: to the live channel, to deliveries and, with the original beside it, to the
 * event store. Times are RFC 3339 in UTC with milliseconds.
 */
export type PipelineEvent = {
  /** The event's place in the log, `<partition>-<offset>-<index>`, padded: unique, stable over repeats, sorts as places do. */
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
  /** Unknown top-level keys of the event as received, kept. */
  extra?: Record<string, unknown>
}

/**
 * What consumers of the stream may ask of any accepted event. An event that no destination gets has nothing else there: of its
 * context what has traits or external ids, as a whole, or else no member.
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
 * Meta of a record of the stream; its body is a JSON array (UTF-8) of PipelineEvent, of StreamedEvent where `d` names none and no signal is
 * fed from the source, or `outboundBody` where it `holdsRows`.
 */
export const deliveryMeta = z.object({
  w: z.string(),
  /** The source of the events; of what else is sent, the id (a UUID) of what made it. */
  s: z.string(),
  /** Destinations connected when the events were processed. */
  d: z.array(z.string()),
  /** Number of events in the body. */
  n: z.number().int(),
  /**
   * The replay that sends stored events to the one destination in `d` again: neither the connection's filter nor the
   * events' own `integrations` leave it out then; consent, the age limit and the mappings in force hold as ever.
   */
  p: z.string().optional(),
  /** Some of the events have numbers or an order of names that JSON.parse changes; absent where none has. */
  e: z.literal(true).optional(),
  /**
   * The offset behind the last request of the group that the pipeline appended it in: behind the last record of a group,
   * all accepted events of requests before it are in the stream. Absent in records of replays.
   */
  q: z.number().int().optional(),
  /** Whose rows these are, or whose events; absent for events of sources. */
  b: rowProducer.optional(),
  /** Events of sources that go behind live ones: rows of a sync, and what was blocked and is sent again. */
  h: z.literal(true).optional(),
})
export type DeliveryMeta = z.infer<typeof deliveryMeta>

/** Whether a record of the stream holds rows and not events. */
export const holdsRows = ({ b }: DeliveryMeta): boolean => b !== undefined && b.e === undefined

/** What the live channel `private-sources-{sourceId}` carries as event `event`: at most 10 kB with its envelope. */
export type LiveEventSummary = {
  eventId: string
  messageId: string
  type: EventType
  /** Event name shown in the table. */
  title: string
  test: boolean
  receiveTime: string
  userId?: string
  anonymousId?: string
  /** 'accepted', 'rejected' with a reason, 'blocked' because it does not fit the schema, or 'held' by a limit of the plan. */
  status: 'accepted' | 'rejected' | 'blocked' | 'held'
  reason?: string
  /** How it fits the schema, and the version that validated it; absent for rejected events. */
  compatibility?: Compatibility
  schemaVersion?: number
  /**
   * Short values of its properties, of the traits for identify, as far as the message has room: what is absent is in the
   * stored event.
   */
  values?: Record<string, string | number | boolean | null>
}
/** Message of the live channel: a handful of summaries and how many were left out since the last message. */
export type LiveMessage = { events: LiveEventSummary[]; skipped: number }
