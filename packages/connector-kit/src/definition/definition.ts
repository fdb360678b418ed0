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
import type { RowColumn, RowObjectDefinition, RowObjectDetail } from './row-objects.ts'
import type { SettingShape, SettingsOf, SettingsSchema } from './setting.ts'

export type FieldType = 'string' | 'url' | 'select' | 'boolean' | 'number' | 'headers' | 'secret' | 'template' | 'sql'

/** The part of a setting that the form and the encryption use; created from its schema by `defineSettings`. */
export type FieldDefinition = {
  /** Key in the settings object, snake_case. */
  name: string
  label: string
  help: string
  type: FieldType
  required: boolean
  default?: string | number | boolean
  /** For a `select`. */
  choices?: readonly { value: string; label: string }[]
  /** True: stored encrypted, never returned, never logged. */
  secret: boolean
  /**
   * For a secret: the settings that decide where it is sent and who can read it on its way. When one of them changes,
   * the secret must be entered again, so that a user who may only use it cannot have it sent elsewhere. Empty for a
   * secret that is itself the address.
   */
  sentTo?: readonly SecretTarget[]
  /** False: cannot be changed once it has a value. */
  editable: boolean
  /** Bounds of a `number`, inclusive. */
  min?: number
  max?: number
  /** Longest text of a `string` or `secret`, in characters; 1,000 unless given. */
  maxLength?: number
  /** Shown only while the named field has this value. */
  showWhen?: { field: string; value: string | number | boolean }
}

/** Settings after `validateSettings`: every field present or deliberately absent, of its own type. */
export type Settings = Readonly<
  Record<string, string | number | boolean | Readonly<Record<string, string>> | undefined>
>

/** Settings of a connector, and the rules that span fields; messages by field name. */
export type SettingsDefinition<S extends Settings = Settings> = {
  title: string
  settings: SettingsSchema
  /** Run after each field's own rules; also while required settings are still absent, so it throws for none. */
  check?: (settings: Partial<S>) => Record<string, string>
}

/**
 * Normalization of personal data before it is hashed (SHA-256, lower-case hex). An `email` is trimmed and in lower
 * case. A `phone` has digits only with the country's code. A `name` or `text` is trimmed and in lower case.
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
 * The value that identifies a record: the event's own ID or its user's, the value of an action's target, or a field
 * that a setting names.
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
  /**
   * Modes that the connector implements today, not those that the vendor could; empty where the user's own words
   * decide.
   */
  syncModes: readonly SyncMode[]
  /** By which a record that is there is found: at least one for every mode but INSERT_ONLY. */
  identifiers: readonly ObjectIdentifier[]
  /** Names of the actions that write it, at least one. */
  actions: readonly string[]
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
  /** The payload from the mapping; absent when the event goes whole. */
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

/** A request and its answer as they may be stored and shown: secrets redacted, at most 4 kB each. */
export type Exchange = { httpStatus: number; latencyMs: number; request: string; response: string }

/** The outcome of one event. */
export type EventOutcome =
  /** `note`: what was left out of it, for people. */
  | { kind: 'delivered'; note?: string }
  /** With `misconfigured` it cannot succeed before a user changes the set-up, and waits for that without limit. */
  | { kind: 'retry'; reason: string; retryAfterMs?: number; misconfigured?: boolean }
  | { kind: 'rejected'; reason: string }
  /** For a row: left out as it should be, being an insert of an existing record or an update of a missing one. */
  | { kind: 'skipped'; reason: string }

/**
 * The destination refuses a batch as a whole, and one of its events may be to blame. The batch is sent again in two
 * halves, and those in halves, until the rest has gone and the event at fault is alone. That one is rejected for
 * `reason`.
 */
export type SplitOutcome = { kind: 'split'; reason: string }

/**
 * The outcome of a batch: one for all, or one for each in the batch's order. `request` and `response` are given when
 * any event was not delivered.
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
  /** Connections that stay open from one delivery to the next end with it. */
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
  /** Given while a person watches: gets each request that was answered, whatever the answer, without secrets. */
  onExchange?: (exchange: Exchange) => void
}

/** A destination's objection to a setting: a message for people, and further detail. */
export type SettingObjection = { message: string; detail?: string }
/** By the setting's name; empty when all is well. */
export type SettingObjections = Readonly<Record<string, SettingObjection>>

/** Whether a destination answers with the settings it has, in words for people. */
export type ConnectionTest = { ok: boolean; message: string }

/** Requests of one destination in a span of time. */
export type RateLimit = { requests: number; perMs: number }

/** The properties of an advertising platform that signals use. */
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
  /** Default values of a conversion, by target; places below `context.signal` are filled in for each conversion. */
  fields: MappingPreset['fields']
  /**
   * Targets that identify the user of a conversion (any of them counts), and how much each weighs in match quality. The
   * weights are 10 together.
   */
  identifiers: Readonly<Partial<Record<MatchIdentifier, { targets: readonly string[]; weight: number }>>>
  /** Groups of identifiers of which one must be there, all of it. */
  needs: readonly (readonly MatchIdentifier[])[]
  /** Values of a refund in place of those of a conversion; absent where the platform takes none. */
  refund?: {
    action: string
    eventName?: string
    /**
     * True: the platform gets the remaining value of the conversion, which needs the amount in the currency of the
     * conversion.
     */
    restates?: true
    fields: MappingPreset['fields']
  }
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
  /** Kinds of data that it moves. */
  kinds: readonly DataKind[]
  /** How it authenticates callers: not at all, by a setting, or by a grant of OAuth 2. */
  auth: 'none' | 'key' | 'oauth2'
  /** Its OAuth client, for which people give permission; undefined while its settings need no grant. */
  oauth2?: (settings: Partial<S>) => OAuth2Client | undefined
  /** For an advertising platform: what signals send it. */
  conversions?: ConversionPlatform
  /** Objects that it receives. Each action writes at least one of them. */
  objects: readonly ObjectDefinition[]
  /** Its actions, at least one. */
  actions: readonly ActionDefinition[]
  /** The mappings of a destination without its own, in order; the first that fits an event decides. */
  presets: readonly MappingPreset[]
  batching: (settings: S) => Batching
  /** Its rate limit; unlimited unless given. */
  rate?: (settings: S) => RateLimit | undefined
  /** Requests under way at a time; the delivery's own bound unless given. */
  concurrency?: number
  /** Two of its requests at a time, from any sender, would spoil each other. */
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
  /** Its objects that syncs may write rows to. With `deliverRows` only. */
  rowObjects?: readonly RowObjectDefinition[]
  /**
   * Asks the destination about one of the row objects, by the name that people chose (its own name where they choose
   * none). It changes nothing there, and finds only what exists already. Rejects as `deliverRows` does.
   */
  describeRows?: (context: DeliverContext<S>, given: { object: string; name: string }) => Promise<RowObjectDetail>
  /**
   * Passes on the keys of all records of a row object, by its address, in parts and each as the destination writes it;
   * none where the object is not there. It changes nothing. Rejects as `deliverRows` does, with ConfigurationError
   * where the object cannot be listed.
   */
  listKeys?: (
    context: DeliverContext<S>,
    object: string,
    onKeys: (keys: readonly string[]) => Promise<void>,
  ) => Promise<void>
  /**
   * Creates the target of an object's rows, by its address, where it does not exist yet, with the types of these
   * fields. Parts that it cannot create are left to `deliverRows`. Rejects as `deliverRows` does.
   */
  prepareRows?: (context: DeliverContext<S>, object: string, columns: readonly RowColumn[]) => Promise<void>
  /**
   * How the destination distinguishes keys of a row object, where it does not by each character. Both reject as
   * `deliverRows` does.
   */
  keyForms?: {
    /**
     * A pattern, as RE2 reads it, of keys that are only the same as themselves in an object, by its address: `everyKey` where all are. A form
     * of another key is one of these keys, or looks like none of them.
     */
    plainKeys: (context: DeliverContext<S>, object: string) => Promise<string>
    /** The form of each key, given as JSON: two are the same to the destination when their forms are the same text. */
    formsOf: (context: DeliverContext<S>, object: string, keys: readonly string[]) => Promise<readonly string[]>
  }
  /**
   * Rows with the operation `delete` of the object `users` make it delete users, so that it gets the users who are
   * deleted here. It always does, or unless settings lack something for it, which is returned as a text for people (`no
   * access token`). `deletedUserOf` reads such a row. With `deliverRows` only.
   */
  deletesUsers?: true | ((settings: S) => string | undefined)
}

/**
 * Defines a destination whose functions have its settings with their types. Sound because settings reach a definition's
 * functions only through the validation by its own schema.
 */
export const defineDestination = <Shape extends SettingShape>(
  definition: Omit<DestinationDefinition<SettingsOf<SettingsSchema<Shape>> & Settings>, 'settings'> & {
    settings: SettingsSchema<Shape>
  },
): DestinationDefinition => definition as unknown as DestinationDefinition
