import type { EventType } from '@tributary/contract'
import type { Clock, Logger } from '@tributary/kernel'
import type { HttpAnswer, OutgoingRequest } from './request-client.ts'

export type FieldType = 'string' | 'url' | 'select' | 'boolean' | 'number' | 'headers' | 'secret' | 'template'

/** One setting of a source or destination: drives the form, the validation and what is encrypted. */
export type FieldDefinition = {
  /** Key in the settings object, snake_case. */
  name: string
  label: string
  help: string
  type: FieldType
  required: boolean
  default?: string | number | boolean
  /** Of a `select`. */
  choices?: readonly { value: string; label: string }[]
  /** True: stored encrypted, never returned, never logged. */
  secret: boolean
  /** False: can be set at creation only. */
  editable: boolean
  /** Bounds of a `number`, inclusive. */
  min?: number
  max?: number
  /** Longest text of a `string` or `secret`, in characters; 1,000 unless told. */
  maxLength?: number
  /** Shown only while the named field has this value. */
  showWhen?: { field: string; value: string | number | boolean }
}

/** Settings after `validateSettings`: every field present or deliberately absent, of its own type. */
export type Settings = Readonly<
  Record<string, string | number | boolean | Readonly<Record<string, string>> | undefined>
>

/** What a connector asks for, and the rules that span fields; messages by field name. */
export type SettingsDefinition = {
  title: string
  fields: readonly FieldDefinition[]
  /** Run after each field's own rules. */
  check?: (settings: Settings) => Record<string, string>
}

/** An event on its way out. `json` is the whole event as JSON text. */
export type OutgoingEvent = {
  readonly eventId: string
  readonly messageId: string
  readonly type: EventType
  /** Event name, '' where the type has none. */
  readonly event: string
  readonly json: string
}

/** How a destination wants its events: together up to a number, a size and a wait. `maxEvents` 1 means one by one. */
export type Batching = { maxEvents: number; maxBytes: number; maxWaitMs: number }

/** What went over the wire as it may be kept and shown: secrets redacted, at most 4 kB each. */
export type Exchange = { httpStatus: number; latencyMs: number; request: string; response: string }

/** What became of one event. */
export type EventOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; reason: string; retryAfterMs?: number }
  | { kind: 'rejected'; reason: string }

/**
 * What became of a batch: one outcome for all, or one for each in the batch's order. `request` and `response` are given
 * when any event was not delivered.
 */
export type DeliverResult = {
  outcomes: EventOutcome | readonly EventOutcome[]
  httpStatus: number
  latencyMs: number
  request?: string
  response?: string
}

export type DeliverContext = {
  settings: Settings
  /** The only way out of the process. */
  request: (request: OutgoingRequest) => Promise<HttpAnswer>
  clock: Clock
  logger: Logger
  /** Aborted when the process must end now. */
  signal: AbortSignal
}

/** Everything about one kind of destination. Definitions are values without state: one serves all its instances. */
export type DestinationDefinition = SettingsDefinition & {
  /** Name in the catalogue and in addresses, kebab-case. */
  slug: string
  /** One sentence. */
  description: string
  /** SVG text, square, without scripts or outside references. */
  logo: string
  /** The set-up guide shown in the product. */
  docs: { url: string; steps: readonly { title: string; text: string }[] }
  batching: (settings: Settings) => Batching
  /** Sends a batch (never empty). Throws a DeliveryError when one fate is shared by all. */
  deliver: (batch: readonly OutgoingEvent[], context: DeliverContext) => Promise<DeliverResult>
}
