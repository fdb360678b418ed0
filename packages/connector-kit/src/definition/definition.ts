import type {
  DataKind,
  EventType,
  FieldKind,
  MappingSource,
  MatchIdentifier,
  OutboundRow,
  SecretTarget,
  SignalPlatform,
  SyncMode,
  TargetType,
} from '@tributary/contract'
import type { Clock, Logger } from '@tributary/kernel'
import type { ConnectTarget, GuardedStream } from '../http/guarded-socket.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { OAuth2Client } from '../http/oauth2.ts'
import type { HttpAnswer, OutgoingRequest } from '../http/request-client.ts'
import type { SettingShape, SettingsOf, SettingsSchema } from './setting.ts'

export type FieldType = 'string' | 'url' | 'select' | 'boolean' | 'number' | 'headers' | 'secret' | 'template' | 'sql'

/** What the form and the encryption go by of a setting; made of its schema by `defineSettings`. */
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
  /**
   * Of a secret: the settings that decide where it is sent and who can read it on its way. When one of them changes, the
   * secret must be entered again, so that nobody who may only use it can have it sent elsewhere. Empty for a secret that
   * is itself the address.
   */
  sentTo?: readonly SecretTarget[]
  /** False: cannot be changed once it has a value. */
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
export type SettingsDefinition<S extends Settings = Settings> = {
  title: string
  settings: SettingsSchema
  /** Run after each field's own rules; also while required settings are still absent, so it throws for none. */
  check?: (settings: Partial<S>) => Record<string, string>
}

/**
 * How personal data is made comparable before it is hashed (SHA-256, lower-case hex): `email` is trimmed and in lower
 * case, `phone` has digits only with the country's code, `name` and `text` are trimmed and in lower case.
 */
export type PiiRule = 'email' | 'phone' | 'name' | 'text'

/** A place in what an action is given. */
export type ActionTarget = {
  /** A path, its names joined by dots. */
  name: string
  label: string
  help: string
  type: TargetType
  required: boolean
  recommended: boolean
  kind: FieldKind
  /** Set: hashed on its way, unless it is a hash already. */
  pii?: PiiRule
  /** With `pii`: how the vendor wants it made comparable, in place of the rule's own way; '' where it says nothing. */
  comparable?: (text: string) => string
}

/** Something a destination does with an event, such as sending it or writing a row. */
export type ActionDefinition = {
  /** snake_case, stable: mappings keep it. */
  name: string
  title: string
  /** One sentence. */
  description: string
  targets: readonly ActionTarget[]
  /** Further targets may be named by the user. */
  customTargets: boolean
  /** Without field mappings the event is sent as it is (`payload` is absent then). */
  wholeEvent: boolean
  /** Types it is meant for; empty for all. */
  eventTypes: readonly EventType[]
}

/**
 * What tells one record from another: the event's own id or its user's, what an action's target is given, or a field that a
 * setting names.
 */
export type ObjectIdentifier = { event: 'messageId' | 'userId' } | { target: string } | { setting: string }

/** Something that the destination has more of, or that changes there, when it is sent events. */
export type ObjectDefinition = {
  /** snake_case, stable. */
  name: string
  /** In the plural, such as `Rows of a table`. */
  title: string
  /** One sentence. */
  description: string
  /** What the connector carries out today, not what the vendor could; empty where the user's own words decide. */
  syncModes: readonly SyncMode[]
  /** By which a record that is there is found: at least one for every mode but INSERT_ONLY. */
  identifiers: readonly ObjectIdentifier[]
  /** Names of the actions that write it, at least one. */
  actions: readonly string[]
}

/** Something that syncs write rows to, such as tables. */
export type RowObjectDefinition = {
  /** snake_case, stable. */
  name: string
  /** In the singular where people name it, such as `Table`, else in the plural. */
  title: string
  /** One sentence. */
  description: string
  /** What `deliverRows` carries out, at least one. */
  syncModes: readonly SyncMode[]
  /** False: there is one of it, such as the contacts of a CRM, and people give it no name. */
  named?: false
  /** Whether `listKeys` knows it. */
  listable?: true
  /** Names that people cannot give it: rows of these objects are something else to the destination. */
  reserved?: readonly string[]
  /** What rows name as their object, given the name that people chose and the field that tells their records apart. */
  address: (given: { name: string; identifier: string }) => string
}

/** A field of the records of an object, as its destination has it. */
export type RowField = {
  name: string
  /** What people call it there. */
  label: string
  /** The destination's own word; '' when it tells none. */
  type: string
  /** A new record cannot be without it. */
  required: boolean
  /** No two records have the same value, so that it can tell them apart. */
  unique: boolean
  /** The values that it takes; empty for any. */
  options: readonly { value: string; label: string }[]
}

/** What a destination tells of an object that rows are written to. */
export type RowObjectDetail = {
  /** Empty when the destination cannot tell. */
  fields: readonly RowField[]
  /** What else people may want to know, such as how many people were matched; in words. */
  facts: readonly { title: string; value: string }[]
}

/** A mapping that a new destination begins with. */
export type MappingPreset = {
  eventName?: string
  eventType?: EventType
  action: string
  /** Values by the name of their target. */
  fields: Readonly<Record<string, Pick<MappingSource, 'type'> & { name?: string; value?: string | number | boolean }>>
}

/** An event on its way out. `json` is the whole event as JSON text. */
export type OutgoingEvent = {
  readonly eventId: string
  readonly messageId: string
  readonly type: EventType
  /** Event name, '' where the type has none. */
  readonly event: string
  readonly json: string
  /** Name of the action that its mapping asks for. */
  readonly action: string
  /** What the mapping made of it; absent when the event goes whole. */
  readonly payload?: Readonly<Record<string, unknown>>
}

/** A row on its way out: what a producer other than events wants there. `json` is the payload as JSON text, an object. */
export type OutgoingRow = Readonly<Omit<OutboundRow, 'payload'>> & {
  readonly json: string
  /** The whole row as `outboundText` writes it, where it is at hand. */
  readonly text?: string
}

/** How a destination wants its events: together up to a number, a size and a wait. `maxEvents` 1 means one by one. */
export type Batching = { maxEvents: number; maxBytes: number; maxWaitMs: number }

/** What went over the wire as it may be kept and shown: secrets redacted, at most 4 kB each. */
export type Exchange = { httpStatus: number; latencyMs: number; request: string; response: string }

/** What became of one event. */
export type EventOutcome =
  | { kind: 'delivered' }
  /** `misconfigured`: it cannot succeed before somebody changes the set-up, and waits for that however long. */
  | { kind: 'retry'; reason: string; retryAfterMs?: number; misconfigured?: boolean }
  | { kind: 'rejected'; reason: string }
  /** Of a row: left out as it should be, being an insert of what is there or an update of what is not. */
  | { kind: 'skipped'; reason: string }

/**
 * The destination refuses a batch as a whole and one of its events may be to blame: the batch is sent again in two halves,
 * and those in halves, until the rest has gone and the one at fault stands alone. That one is rejected for `reason`.
 */
export type SplitOutcome = { kind: 'split'; reason: string }

/**
 * What became of a batch: one outcome for all, or one for each in the batch's order. `request` and `response` are given
 * when any event was not delivered.
 */
export type DeliverResult = {
  outcomes: EventOutcome | SplitOutcome | readonly EventOutcome[]
  httpStatus: number
  latencyMs: number
  request?: string
  response?: string
}

export type DeliverContext<S extends Settings = Settings> = {
  settings: S
  /** The only ways out of the process: HTTP, and a connection for what is not. */
  request: (request: OutgoingRequest) => Promise<HttpAnswer>
  connect: (target: ConnectTarget) => Promise<GuardedStream>
  /** What is kept open from one delivery to the next hangs on it. */
  lifetime: Lifetime
  /**
   * The current token of the destination's grant, renewed when near its end; given one that was answered 401, another.
   * With `again` that one had been renewed for the same request: then the grant counts as ended.
   * Absent for a destination that needs no grant. Throws ConfigurationError when the grant has ended, RetryableError when
   * it cannot be renewed now. `withGrant` does what there is to do with it.
   */
  accessToken?: (refused?: string, again?: boolean) => Promise<string>
  clock: Clock
  logger: Logger
  /** Aborted when the process must end now. */
  signal: AbortSignal
  /** Given where a person looks on: hears of each request that was answered, whatever the answer, without secrets. */
  onExchange?: (exchange: Exchange) => void
}

/** What a destination has against a setting: words for people, and what more it says. */
export type SettingObjection = { message: string; detail?: string }
/** By the setting's name; empty when all is well. */
export type SettingObjections = Readonly<Record<string, SettingObjection>>

/** Whether a destination answers with the settings it has, in words for people. */
export type ConnectionTest = { ok: boolean; message: string }

/** Requests of one destination in a span of time. */
export type RateLimit = { requests: number; perMs: number }

/** What signals need to know of an advertising platform. */
export type ConversionPlatform = {
  platform: SignalPlatform
  /** The action that sends a conversion. */
  action: string
  /** Its target for what a conversion is called there; absent where the destination itself says what is counted. */
  eventName?: string
  /** The target by which the platform counts a conversion once, and what the pixel or tag calls it. */
  eventId: { target: string; pixelParameter: string }
  /** The target of a code of the platform's test screen; absent where it has none. */
  testCode?: string
  /** What a conversion is given by default, by target; places below `context.signal` are filled in for each conversion. */
  fields: MappingPreset['fields']
  /**
   * Targets that tell who a conversion is of (any of them counts), and how much each weighs in match quality; the weights are 10
   * together.
   */
  identifiers: Readonly<Partial<Record<MatchIdentifier, { targets: readonly string[]; weight: number }>>>
  /** Groups of identifiers of which one must be there, all of it. */
  needs: readonly (readonly MatchIdentifier[])[]
  /** What a refund is given in place of what a conversion is; absent where the platform takes none. */
  refund?: { action: string; eventName?: string; fields: MappingPreset['fields'] }
  /** The oldest conversion that it takes, ms; of offline ones, where that differs. */
  maxAgeMs: { online: number; offline?: number }
  /** True: without consent a conversion is sent with that, and the platform limits its use. */
  takesDenied?: true
  apiVersion?: { version: string; until: string | undefined; notice: (now: number) => string }
}

/** Everything about one kind of destination. Definitions are values without state: one serves all its instances. */
export type DestinationDefinition<S extends Settings = Settings> = SettingsDefinition<S> & {
  /** Name in the catalogue and in addresses, kebab-case. */
  slug: string
  /** One sentence. */
  description: string
  /** The set-up guide shown in the product. */
  docs: { url: string; steps: readonly { title: string; text: string; code?: string; language?: string }[] }
  /** What data it moves. */
  kinds: readonly DataKind[]
  /** How it knows who calls: nothing, something that the settings hold, or a grant of OAuth 2. */
  auth: 'none' | 'key' | 'oauth2'
  /** What it is registered as where people permit it; undefined while its settings ask for no grant. */
  oauth2?: (settings: Partial<S>) => OAuth2Client | undefined
  /** Of an advertising platform: what signals send it. */
  conversions?: ConversionPlatform
  /** What it receives. Each action writes at least one of them. */
  objects: readonly ObjectDefinition[]
  /** What it can do, at least one thing. */
  actions: readonly ActionDefinition[]
  /** What a destination without mappings of its own uses, in order; the first that fits an event decides. */
  presets: readonly MappingPreset[]
  batching: (settings: S) => Batching
  /** What it allows; unlimited unless told. */
  rate?: (settings: S) => RateLimit | undefined
  /** Requests under way at once; the delivery's own bound unless told. */
  concurrency?: number
  /** Two of its requests at once, whoever sends them, would spoil each other's. */
  exclusive?: boolean
  /** True: events of one user arrive in their order. One request at a time, and what fails holds what is behind it. */
  ordered?: (settings: S) => boolean
  /** Events that happened longer ago are left out, ms. */
  maxEventAgeMs?: number
  /** Tries address and credentials without sending an event. */
  testConnection: (context: DeliverContext<S>) => Promise<ConnectionTest>
  /**
   * Asks the destination about settings that only it can judge, such as a query; `names` are those that are about to be
   * saved. Answers messages for people by the setting's name, none when all is well. A destination that cannot be asked
   * is such a message, too: what is not verified would fail only later. It changes nothing there.
   */
  verifySettings?: (context: DeliverContext<S>, names: readonly string[]) => Promise<SettingObjections>
  /** Sends a batch (never empty). Throws a DeliveryError when one fate is shared by all. */
  deliver: (batch: readonly OutgoingEvent[], context: DeliverContext<S>) => Promise<DeliverResult>
  /**
   * Writes rows of one object (never none), in their order; the outcomes are theirs. A destination without it takes events
   * only: a row for it is refused with that reason.
   */
  deliverRows?: (batch: readonly OutgoingRow[], context: DeliverContext<S>) => Promise<DeliverResult>
  /** What of it syncs may write rows to. With `deliverRows` only. */
  rowObjects?: readonly RowObjectDefinition[]
  /**
   * Asks the destination about one of the row objects, by the name that people chose (its own name where they choose none). It changes
   * nothing there, and knows only what is there already. Rejects as `deliverRows` does.
   */
  describeRows?: (context: DeliverContext<S>, given: { object: string; name: string }) => Promise<RowObjectDetail>
  /**
   * Hands over the keys of all records of a row object, by its address, some at a time and each as the destination writes it; none where
   * the object is not there. It changes nothing. Rejects as `deliverRows` does, with ConfigurationError where the object cannot be listed.
   */
  listKeys?: (
    context: DeliverContext<S>,
    object: string,
    onKeys: (keys: readonly string[]) => Promise<void>,
  ) => Promise<void>
  /**
   * Rows with the operation `delete` of the object `users` make it delete users, so that it is told of those who are deleted
   * here: always, or unless settings lack something for it, which is answered in words for people (`no access token`).
   * `deletedUserOf` reads such a row. With `deliverRows` only.
   */
  deletesUsers?: true | ((settings: S) => string | undefined)
}

/**
 * A destination whose functions know its settings by their types. Sound because settings reach a definition's functions
 * only through the validation by its own schema.
 */
export const defineDestination = <Shape extends SettingShape>(
  definition: Omit<DestinationDefinition<SettingsOf<SettingsSchema<Shape>> & Settings>, 'settings'> & {
    settings: SettingsSchema<Shape>
  },
): DestinationDefinition => definition as unknown as DestinationDefinition
