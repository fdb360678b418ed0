import type {
  Condition,
  DataKind,
  DestinationCategory,
  EventType,
  MappingSource,
  MatchIdentifier,
  OutboundRow,
  SecretTarget,
  SignalPlatform,
  SyncMode,
} from '@tributary/contract'
import type { Clock, Logger } from '@tributary/kernel'
import type { ConnectTarget, GuardedStream } from '../http/guarded-socket.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { OAuth2Client } from '../http/oauth2.ts'
import type { HttpAnswer, OutgoingRequest } from '../http/request-client.ts'
import type { PeopleLists } from './people-lists.ts'
import type { RowColumn, RowObjectDefinition, RowObjectDetail } from './row-objects.ts'
import type { SettingShape, SettingsOf, SettingsSchema } from './setting.ts'
import type { ActionTarget } from './target.ts'
import type { Warehouse } from './warehouse.ts'

export type { ActionTarget, Choice, PiiRule, TargetField } from './target.ts'

export type FieldType = 'string' | 'url' | 'select' | 'boolean' | 'number' | 'headers' | 'secret' | 'template' | 'sql'

/** The description of a setting for the form and the encryption; created from its schema by `defineSettings`. */
export type FieldDefinition = {
  /** Key of the setting in the settings object, in snake_case. */
  name: string
  label: string
  help: string
  type: FieldType
  required: boolean
  default?: string | number | boolean
  /** The values of a `select`. */
  choices?: readonly { value: string; label: string }[]
  /** True if the value is stored encrypted, never returned and never logged. */
  secret: boolean
  /**
   * For a secret: the settings that decide where it is sent and who can read it in transit. If one of them changes, the
   * secret must be entered again, so that a user who cannot read the secret cannot have it sent elsewhere. Empty for a
   * secret that is itself the URL.
   */
  sentTo?: readonly SecretTarget[]
  /** False if users cannot change the setting once it has a value. */
  editable: boolean
  /** Bounds of a `number`, inclusive. */
  min?: number
  max?: number
  /** Maximum characters of a `string` or `secret`; 1,000 by default. */
  maxLength?: number
  /** The setting is shown only while the named field has this value. */
  showWhen?: { field: string; value: string | number | boolean }
}

/** Settings after `validateSettings`: every field present or deliberately absent, of its own type. */
export type Settings = Readonly<
  Record<string, string | number | boolean | Readonly<Record<string, string>> | undefined>
>

/** The settings of a connector, and the rules that span fields, with messages by field name. */
export type SettingsDefinition<S extends Settings = Settings> = {
  title: string
  settings: SettingsSchema
  /**
   * Runs after each field's own rules, also while required settings are absent, so it must not fail for an absent
   * setting.
   */
  check?: (settings: Partial<S>) => Record<string, string>
}

/** An operation of a destination on an event, such as sending it or writing a row. */
export type ActionDefinition = {
  /** Name in snake_case. Must not change, because mappings store it. */
  name: string
  title: string
  /** One sentence. */
  description: string
  targets: readonly ActionTarget[]
  /** Whether users may add further targets. */
  customTargets: boolean
  /** Whether an event without field mappings is sent as it is (`payload` is absent then). */
  wholeEvent: boolean
  /** Event types for which the action is meant; empty for all. */
  eventTypes: readonly EventType[]
  /** The toggle among the settings without which the destination cannot run the action. */
  needsSetting?: string
}

/**
 * The value that identifies a record: the event's own ID or its user's ID, the value of an action's target, or a field
 * that a setting names.
 */
export type ObjectIdentifier = { event: 'messageId' | 'userId' } | { target: string } | { setting: string }

/** A kind of record that events create or change in the destination. */
export type ObjectDefinition = {
  /** snake_case, stable. */
  name: string
  /** Title in the plural, such as `Rows of a table`. */
  title: string
  /** One sentence. */
  description: string
  /**
   * Modes that the connector implements today, not those that the vendor supports; empty if the user's own
   * configuration decides.
   */
  syncModes: readonly SyncMode[]
  /** The values by which an existing record is found: at least one for every mode but INSERT_ONLY. */
  identifiers: readonly ObjectIdentifier[]
  /** Names of the actions that write the object, at least one. */
  actions: readonly string[]
}

/** The source of a preset's value: a path or variable has a name, a constant or template a value, FIRST a list. */
export type PresetSource = Pick<MappingSource, 'type'> & {
  name?: string
  value?: string | number | boolean
  sources?: readonly PresetSource[]
}

/**
 * A mapped value of a preset. `since` is the version of presets that added the field to the preset. Destinations of an
 * earlier version do not send it until a user adds the new presets.
 */
export type PresetField = PresetSource & { since?: number }

/** A mapping with which a new destination begins. */
export type MappingPreset = {
  /** False if the mapping is off until a user turns it on, because it needs a set-up in the destination. */
  enabled?: false
  eventName?: string
  eventType?: EventType
  /** Conditions on the event, all of which must hold. */
  conditions?: readonly Pick<Condition, 'field' | 'operator' | 'value'>[]
  action: string
  /**
   * The version of presets that added this preset. Destinations of an earlier version do not use it until a user adds it.
   * Absent for presets that version 0.2.0 had.
   */
  since?: number
  /** The mapped values, by the name of their target. */
  fields: Readonly<Record<string, PresetField>>
}

/** An event for delivery. `json` is the whole event as JSON text. */
export type OutgoingEvent = {
  readonly eventId: string
  readonly messageId: string
  readonly type: EventType
  /** Event name; '' if the type has none. */
  readonly event: string
  readonly json: string
  /** Name of the action that the mapping of the event selects. */
  readonly action: string
  /** The payload from the mapping; absent if the whole event is sent. */
  readonly payload?: Readonly<Record<string, unknown>>
  /** Names of the targets with `peopleList` whose value is a constant of the mapping; absent if there are none. */
  readonly fixedLists?: readonly string[]
}

/** A row for delivery, from a producer other than events. `json` is the payload as JSON text, an object. */
export type OutgoingRow = Readonly<Omit<OutboundRow, 'payload'>> & {
  readonly json: string
  /** The whole row as `outboundText` writes it, if it is available. */
  readonly text?: string
}

/**
 * The batches that a destination accepts: maximum number, bytes and wait. With `maxEvents` 1, events are sent one by
 * one.
 */
export type Batching = { maxEvents: number; maxBytes: number; maxWaitMs: number }

/** A request and its response as they may be stored and shown: secrets redacted, at most 4 kB each. */
export type Exchange = { httpStatus: number; latencyMs: number; request: string; response: string }

/** The outcome of one event. */
export type EventOutcome =
  /** `note`: what was left out of the event, for users. */
  | { kind: 'delivered'; note?: string }
  /**
   * With `misconfigured`, the event cannot be delivered before a user changes the set-up, and waits without a time
   * limit. With `ofEvent`, the destination works and only this event waits, so other events are still sent.
   */
  | { kind: 'retry'; reason: string; retryAfterMs?: number; misconfigured?: boolean; ofEvent?: true }
  | { kind: 'rejected'; reason: string }
  /** Only for rows: an insert of an existing record, or an update of a missing one. */
  | { kind: 'skipped'; reason: string }

/**
 * The destination rejects a batch as a whole, and one of its events may be the cause. The batch is sent again in
 * halves, repeatedly, until only the failing event remains. That event is rejected for `reason`.
 */
export type SplitOutcome = { kind: 'split'; reason: string }

/**
 * The outcome of a batch: one outcome for all events, or one per event in the order of the batch. If any event was not
 * delivered, `request` and `response` are present.
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
  /** The only ways out of the process: HTTP, and a TCP connection for other protocols. */
  request: (request: OutgoingRequest) => Promise<HttpAnswer>
  connect: (target: ConnectTarget) => Promise<GuardedStream>
  /** The lifetime of connections that stay open between deliveries: these connections end with it. */
  lifetime: Lifetime
  /**
   * The current token of the destination's grant, renewed if it expires soon. `refused` is a token that got 401;
   * another token is then returned. With `again`, that token had been renewed for the same request, so the grant counts
   * as ended. Absent for a destination without a grant. Throws ConfigurationError if the grant has ended,
   * RetryableError if it cannot be renewed now. `withGrant` handles all of this.
   */
  accessToken?: (refused?: string, again?: boolean) => Promise<string>
  clock: Clock
  logger: Logger
  /** Aborts when the process must end now. */
  signal: AbortSignal
  /** Receives each request with its response, without secrets. Set only while a user watches the requests. */
  onExchange?: (exchange: Exchange) => void
}

/** The destination's rejection of a setting: a message for users, and further detail. */
export type SettingObjection = { message: string; detail?: string }
/** Rejections by the name of the setting; empty if there are none. */
export type SettingObjections = Readonly<Record<string, SettingObjection>>

/** Whether a connection with the settings works, with a message for users. */
export type ConnectionTest = { ok: boolean; message: string }

/** Maximum requests of one destination in a time span. */
export type RateLimit = { requests: number; perMs: number }

/** The properties of an advertising platform that signals need. */
export type ConversionPlatform = {
  platform: SignalPlatform
  /** The action that sends a conversion. */
  action: string
  /** The target of the event name. Absent if the destination derives the name. */
  eventName?: string
  /** The target by which the platform deduplicates conversions, and the parameter name in its pixel or tag. */
  eventId: { target: string; pixelParameter: string }
  /** The target of the platform's test event code. Absent if the platform has no test events. */
  testCode?: string
  /** Default values of a conversion by target. Paths below `context.signal` are filled in for each conversion. */
  fields: MappingPreset['fields']
  /**
   * Targets that identify the user of a conversion (one of them suffices), and the weight of each identifier in the
   * match quality. The weights add up to 10. `together` names targets that the platform takes only with each other.
   */
  identifiers: Readonly<
    Partial<Record<MatchIdentifier, { targets: readonly string[]; weight: number; together?: readonly string[] }>>
  >
  /** Groups of identifiers: all identifiers of at least one group are required. */
  needs: readonly (readonly MatchIdentifier[])[]
  /** Values of a refund that replace those of a conversion; absent if the platform accepts no refunds. */
  refund?: {
    action: string
    eventName?: string
    /**
     * True if the platform needs the remaining value of the conversion; the amount must then be in the currency of the
     * conversion.
     */
    restates?: true
    fields: MappingPreset['fields']
  }
  /** Maximum age of a conversion, in ms; `offline` is for offline conversions, if it differs. */
  maxAgeMs: { online: number; offline?: number }
  /**
   * True if a conversion without consent is sent with a flag, and the platform then limits the use of the conversion.
   */
  takesDenied?: true
  apiVersion?: { version: string; until: string | undefined; notice: (now: number) => string }
}

/** A version of a vendor's API, the page that says so, and the first day without it, if one is announced. */
export type VendorVersion = { readonly version: string; readonly page: string; readonly until?: string | undefined }

/** The definition of one kind of destination. A definition has no state, so all instances share it. */
export type DestinationDefinition<S extends Settings = Settings> = SettingsDefinition<S> & {
  /** Name in the catalog and in URLs, kebab-case. */
  slug: string
  /** One sentence. */
  description: string
  /** The set-up guide shown in the product. */
  docs: { url: string; steps: readonly { title: string; text: string; code?: string; language?: string }[] }
  /** The version of the vendor's API in use; undefined if the vendor has no versions. */
  apiVersion?: VendorVersion
  /** The category in the catalog. */
  category: DestinationCategory
  /** Set if many organizations use the destination. The catalog shows it first. */
  popular?: true
  /** The kinds of data that the destination receives. */
  kinds: readonly DataKind[]
  /** How requests to the destination authenticate: not at all, by a setting, or by an OAuth 2 grant. */
  auth: 'none' | 'key' | 'oauth2'
  /** The OAuth client for which users give consent; undefined if the settings need no grant. */
  oauth2?: (settings: Partial<S>) => OAuth2Client | undefined
  /** For an advertising platform: how signals send conversions. */
  conversions?: ConversionPlatform
  /** The objects that the destination receives. Each action writes at least one of them. */
  objects: readonly ObjectDefinition[]
  /** The actions of the destination, at least one. */
  actions: readonly ActionDefinition[]
  /** The mappings that apply while users have saved none, in order. The first mapping that matches an event is used. */
  presets: readonly MappingPreset[]
  batching: (settings: S) => Batching
  /** Returns the rate limit of the destination; unlimited by default. */
  rate?: (settings: S) => RateLimit | undefined
  /** Maximum concurrent requests; by default the limit of delivery. */
  concurrency?: number
  /** Set if two concurrent requests, from any sender, would interfere. */
  exclusive?: boolean
  /**
   * True if events of one user must arrive in order: one request at a time, and a failed event delays the events after
   * it.
   */
  ordered?: (settings: S) => boolean
  /** Maximum age of an event in ms. Older events are not sent. */
  maxEventAgeMs?: number
  /** Tests URL and credentials without sending an event. */
  testConnection: (context: DeliverContext<S>) => Promise<ConnectionTest>
  /**
   * Asks the destination about settings that only it can check, such as a query; `names` are the settings to be saved.
   * Returns messages for users by the name of the setting, none if all are valid. An unreachable destination also
   * returns a message, because an unverified setting would only fail later. Changes nothing in the destination.
   */
  verifySettings?: (context: DeliverContext<S>, names: readonly string[]) => Promise<SettingObjections>
  /** Sends a batch (never empty). Throws a DeliveryError if all events have the same outcome. */
  deliver: (batch: readonly OutgoingEvent[], context: DeliverContext<S>) => Promise<DeliverResult>
  /**
   * Writes one or more rows of one object, in order; the outcomes are in the same order. A destination without this
   * function accepts only events, and rows for it are rejected.
   */
  deliverRows?: (batch: readonly OutgoingRow[], context: DeliverContext<S>) => Promise<DeliverResult>
  /** The objects to which syncs may write rows. Requires `deliverRows`. */
  rowObjects?: readonly RowObjectDefinition[]
  /**
   * Asks the destination for the description of one of the row objects, by the name that the user chose (or by the
   * object's own name if users do not choose). Changes nothing in the destination, and finds only existing objects.
   * Rejects like `deliverRows`.
   */
  describeRows?: (context: DeliverContext<S>, given: { object: string; name: string }) => Promise<RowObjectDetail>
  /** For a platform with lists of people: how users choose and create the list of a setting. */
  peopleLists?: PeopleLists<S>
  /**
   * Passes the keys of all records of a row object, by its address, to the caller in parts. Each key has the form in
   * which the destination writes it. There are no keys if the object does not exist. Changes nothing. Rejects like
   * `deliverRows`, with ConfigurationError if the object cannot be listed.
   */
  listKeys?: (
    context: DeliverContext<S>,
    object: string,
    onKeys: (keys: readonly string[]) => Promise<void>,
  ) => Promise<void>
  /**
   * Creates the target of an object's rows, such as a table, with the types of these fields, if it does not exist.
   * `deliverRows` handles parts that this function cannot create. Rejects like `deliverRows`.
   */
  prepareRows?: (context: DeliverContext<S>, object: string, columns: readonly RowColumn[]) => Promise<void>
  /**
   * How the destination compares keys of a row object, if not character by character. Both functions reject like
   * `deliverRows`.
   */
  keyForms?: {
    /**
     * Returns an RE2 pattern of the keys of an object that equal no other key; `everyKey` if all keys do so. The form
     * of any other key either is one of these keys, or matches none of them.
     */
    plainKeys: (context: DeliverContext<S>, object: string) => Promise<string>
    /**
     * Returns the form of each key; keys are given as JSON. the destination treats two keys as equal if their forms are
     * the same text.
     */
    formsOf: (context: DeliverContext<S>, object: string, keys: readonly string[]) => Promise<readonly string[]>
  }
  /**
   * Set if a row of the object `users` with the operation `delete` deletes a user in the destination. A function
   * returns what the settings lack, as a text such as `no access token`; undefined if they are complete.
   * `deletedUserOf` reads such a row. Requires `deliverRows`.
   */
  deletesUsers?: true | ((settings: S) => string | undefined)
  /** For a warehouse: how staged events are loaded, and how people repair its tables. */
  warehouse?: Warehouse<S>
}

/**
 * Defines a destination whose functions receive typed settings. This is type-safe, because settings reach a
 * definition's functions only through the validation by its own schema.
 */
export const defineDestination = <Shape extends SettingShape>(
  definition: Omit<DestinationDefinition<SettingsOf<SettingsSchema<Shape>> & Settings>, 'settings'> & {
    settings: SettingsSchema<Shape>
  },
): DestinationDefinition => definition as unknown as DestinationDefinition
