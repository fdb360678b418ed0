import type { Compatibility, Enforcement, EventType, RequestFacts, SourceSchema } from '@tributary/contract'
import type { JsonObject } from '@tributary/kernel'
import type { Span } from '@tributary/storage'
import type { Reject } from './outcome.ts'

/** One request of the log, with the values that its events share. */
export type Request = {
  readonly meta: RequestFacts
  /** RFC 3339 of the time of receipt. */
  readonly receivedAt: string
  /** The bytes that all rows of the request begin with. */
  readonly rowPrefix: Uint8Array
  /** Top-level values of a batch. */
  readonly context: JsonObject | undefined
  readonly integrations: JsonObject | undefined
  /** The same as JSON text, where one of them is lossy (see `EventSlice`). */
  readonly exact: { readonly context: string | undefined; readonly integrations: string | undefined } | undefined
  readonly sentAt: unknown
  /** Size of `context` and `integrations` as received, in bytes: each of its events gets them. */
  readonly sharedBytes: number
  /** How many events it has. */
  readonly events: number
}

/** An event split off its request: its place in the log, and its own text. */
export type RawEvent = {
  readonly request: Request
  readonly partition: number
  readonly offset: number
  readonly incarnation: string
  /** Index of the event in its request, from 0. */
  readonly index: number
  readonly eventId: string
  /** The event as received (bytes that are no UTF-8 read as U+FFFD). */
  readonly original: string
  /** Size of the event as received, in bytes. */
  readonly bytes: number
  readonly depth: number
  /** Whether parsing it, or the shared values of its batch, loses digits or the order of names. */
  readonly lossy: boolean
  /** The place of its context in `original`, if the text can be used unchanged. */
  readonly context: Span | undefined
}

/** An event whose text was an object. */
export type ParsedEvent = {
  readonly raw: RawEvent
  /** The parsed text; a context that is taken as text is null here. */
  readonly body: JsonObject
  /** The context where it is taken as text: an object in JSON without space and escapes. */
  readonly context: string | undefined
}

/** An event in the one shape for all clients. Absent texts are ''; times are epoch ms. */
export type NormalEvent = {
  readonly raw: RawEvent
  readonly body: JsonObject
  /** Members of a lossy event as JSON texts, with those of its batch in context and integrations; else undefined. */
  readonly exact: ReadonlyMap<string, string> | undefined
  readonly messageId: string
  /** Whether the client gave the message ID; one made here is unique. */
  readonly ownMessageId: boolean
  readonly type: EventType | ''
  readonly event: string
  readonly userId: string
  readonly anonymousId: string
  readonly groupId: string
  readonly previousId: string
  /** Objects as JSON text, since both the row and the delivery need that; '' when absent. */
  readonly properties: string
  readonly traits: string
  readonly context: string
  /** The values that the schema of its source validates: the traits of identify, the properties of the others. */
  readonly validated: JsonObject | undefined
  readonly integrations: JsonObject | undefined
  /** Keys of the body that are none of the above, or undefined. */
  readonly extraKeys: readonly string[] | undefined
  readonly test: boolean
  readonly ip: string
  readonly timestamp: number
  readonly originalTimestamp: number | undefined
  readonly sentAt: number | undefined
  /** A note about an event that is stored with a fault, as `<reason>: <what to fix>`; '' for none. */
  readonly note: string
  /** The first fault of its shape. */
  readonly problem: Reject | undefined
}

/** A source's current schema, and what happens to an event that does not match it. */
export type SchemaInForce = {
  readonly schema: SourceSchema
  readonly version: number
  readonly enforcement: Enforcement
  /** True when its organization is over a limit of its plan: events are stored, and wait. */
  readonly held?: boolean
}

/** The outcome of an event with a valid envelope; `held` ones match the schema, and are beyond the plan. */
export type AcceptedStatus = 'accepted' | 'blocked' | 'held'

/** How an event matched the schema of its source, as shown in the live channel. */
export type Fit = { readonly compatibility: Compatibility; readonly version: number }
