import type { SourceSchema, TargetProduct } from '@tributary/contract'
import type { Settings, SettingsDefinition } from './definition.ts'
import type { SettingsSchema } from './setting.ts'

/**
 * One step of a set-up guide. Its text and code may have `{{origin}}`, `{{host}}` (the origin without its scheme),
 * `{{insecure}}` (`true` for an origin of http, else `false`) and `{{writeKey}}` for the reader's own values.
 */
export type SourceGuideStep = { title: string; text: string; code?: string; language?: string }

/** A call of a webhook as it came in. */
export type WebhookCall = {
  method: string
  /** Decompressed, as UTF-8 without a byte order mark. */
  body: Buffer
  /** The bytes before they were decoded, where those are others: what a signature is computed over. */
  sent?: Buffer
  /** By name in lower case; a header that came more than once has its values joined by commas. */
  headers: Readonly<Record<string, string>>
  /** Parameters of the address, without the write key. */
  query: URLSearchParams
  /** Whether the parameters have bytes that are not UTF-8. */
  brokenQuery?: true
  /** Epoch ms. */
  receivedAt: number
}

/** Why a call is refused: an HTTP status from 400 to 499, a stable reason and what to mend. */
export type WebhookRefusal = { code: number; reason: string; message: string }

/**
 * Events of the tracking API, each with at least its type; or why there are none. An empty list is fine. With `redirect`, the caller is a
 * browser that is led on to this address, which the source's own settings name.
 */
export type WebhookReceipt =
  | { events: readonly Readonly<Record<string, unknown>>[]; redirect?: string }
  | { refusal: WebhookRefusal }

/**
 * Makes events of a call. Pure: the same call and settings give the same events. `undefined` leaves the call to the
 * general rule, by which a JSON body becomes the properties of a track event.
 */
export type ReceiveWebhook = (call: WebhookCall, settings: Settings) => WebhookReceipt | undefined

/** An entry of the source catalogue, `catalogSources/{slug}`. */
export type SourceDefinition = {
  /** Kebab-case, stable: sources keep it. */
  slug: string
  title: string
  /** One paragraph. */
  description: string
  /** Web 1, Mobile 2, Server 3, Warehouse 4, Cloud 5, Offline 6, Unspecified 7. */
  type: number
  /** CDP unless given. */
  targetProduct?: TargetProduct
  /** The documentation of the library: an https URL, or a page of the product such as `/docs/tag`. */
  docsUrl: string
  guide: readonly SourceGuideStep[]
  /** The schema that its sources begin with, where its events are known beforehand. */
  predefinedSchema?: SourceSchema
  /** Its settings; none unless given. */
  settings?: SettingsSchema
  check?: SettingsDefinition['check']
  /** How calls to its webhook are handled. */
  webhook?: {
    receive: ReceiveWebhook
    /** True: calls are signed, so nothing is taken on any other way. */
    signed: boolean
  }
}
