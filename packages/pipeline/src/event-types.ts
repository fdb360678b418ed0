import type { Compatibility, Enforcement, EventType, RequestFacts, SourceSchema } from '@tributary/contract'
import type { JsonObject } from '@tributary/kernel'
import type { Span } from '@tributary/storage'

/** A request in the log, with the values that its events share. */
export type Request = {
  readonly meta: RequestFacts
  /** Time of receipt in RFC 3339. */
  readonly receivedAt: string
  /** The bytes that begin every row of the request. */
  readonly rowPrefix: Uint8Array
  /** The context and the integrations of a batch, which its events share. */
  readonly context: JsonObject | undefined
  readonly integrations: JsonObject | undefined
  /** The context and the integrations as JSON text, if parsing one of them loses information (see `EventSlice`). */
  readonly exact: { readonly context: string | undefined; readonly integrations: string | undefined } | undefined
  readonly sentAt: unknown
  /** Size of `context` and `integrations` as received, in bytes. Each event gets both. */
  readonly sharedBytes: number
  /** Number of events in the request. */
  readonly events: number
}

/** An event split off its request: its place in the log, and its text. */
export type RawEvent = {
  readonly request: Request
  readonly partition: number
  readonly offset: number
  readonly incarnation: string
  /** Index of the event in its request, from 0. */
  readonly index: number
  readonly eventId: string
  /** The event as received. Bytes that are not UTF-8 are read as U+FFFD. */
  readonly original: string
  /** Size of the event as received, in bytes. */
  readonly bytes: number
  readonly depth: number
  /** Whether parsing the event, or the shared values of its batch, loses digits or the order of names. */
  readonly lossy: boolean
  /** The place of the event's context in `original`, if the text of the context can be used unchanged. */
  readonly context: Span | undefined
}

/** An event whose text is a JSON object. */
export type ParsedEvent = {
  readonly raw: RawEvent
  /** The parsed event. `context` is null in it if the context is used as text. */
  readonly body: JsonObject
  /** The context if it is used as text: a JSON object without whitespace and escapes. */
  readonly context: string | undefined
}

/** An event in the common form for all clients. Absent texts are ''; times are epoch ms. */
export type NormalEvent = {
  readonly raw: RawEvent
  readonly body: JsonObject
  /**
   * Members of a lossy event as JSON texts, with context and integrations merged with those of the batch; undefined for
   * other events.
   */
  readonly exact: ReadonlyMap<string, string> | undefined
  readonly messageId: string
  /** Whether the client sent the message ID. A generated ID is unique. */
  readonly ownMessageId: boolean
  readonly type: EventType | ''
  readonly event: string
  readonly userId: string
  readonly anonymousId: string
  readonly groupId: string
  readonly previousId: string
  /** Objects as JSON text, which both the row and the delivery need; '' when absent. */
  readonly properties: string
  readonly traits: string
  readonly context: string
  /** The values that the schema of the source validates: the traits for identify, the properties for other types. */
  readonly validated: JsonObject | undefined
  readonly integrations: JsonObject | undefined
  /** Keys of the body that are not among the fields above; undefined if there are none. */
  readonly extraKeys: readonly string[] | undefined
  readonly test: boolean
  readonly ip: string
  readonly timestamp: number
  readonly originalTimestamp: number | undefined
  readonly sentAt: number | undefined
  /** A note about an invalid value of a stored event, as `<reason>: <what to fix>`; '' if there is none. */
  readonly note: string
  /** The first error in the event's shape. */
  readonly problem: Reject | undefined
}

/** A source's current schema, and what happens to an event that does not match it. */
export type SchemaInForce = {
  readonly schema: SourceSchema
  readonly version: number
  readonly enforcement: Enforcement
  /** Whether the organization of the source is over a limit of its plan. Its events are then stored and held. */
  readonly held?: boolean
}

/** The outcome of an event with a valid envelope. A `held` event matches the schema but exceeds the plan. */
export type AcceptedStatus = 'accepted' | 'blocked' | 'held'

/** How an event matched the schema of its source, as shown in the live channel. */
export type Fit = { readonly compatibility: Compatibility; readonly version: number }

/**
 * Why an event does not continue.
 * - `drop`: the event is discarded and counted;
 * - `reject`: the event is kept as rejected, with a reason that says what its sender has to fix.
 */
export type Drop = { readonly kind: 'drop'; readonly reason: DropReason }
export type Reject = { readonly kind: 'reject'; readonly reason: RejectReason; readonly message: string }

/** Why an event was not stored again. Counted per source and hour in the table `dropped_events`. */
export type DropReason = 'duplicate' | 'duplicate_rejected'

/** Why an event is kept as rejected. The column `reason` carries `<reason>: <message>`. */
export type RejectReason =
  | 'over_batch_limit'
  | 'too_large'
  | 'too_deep'
  | 'malformed_json'
  | 'not_an_object'
  | 'unknown_type'
  | 'message_id_too_long'
  | 'invalid_id'
  | 'invalid_event_name'
  | 'invalid_object'
  | 'missing_ids'
  | 'missing_event_name'
  | 'missing_group_id'
  | 'missing_previous_id'
  | 'refused_by_event_store'

/** The event is counted under `reason` and not stored again. */
export const drop = (reason: DropReason): Drop => ({ kind: 'drop', reason })

/** The event is kept with its original, marked as rejected. `message` says what to fix. */
export const reject = (reason: RejectReason, message: string): Reject => ({ kind: 'reject', reason, message })
