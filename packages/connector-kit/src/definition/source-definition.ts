import type { SourceSchema, TargetProduct } from '@tributary/contract'
import type { Settings, SettingsDefinition } from './definition.ts'
import type { SettingsSchema } from './setting.ts'

/**
 * One step of a set-up guide. Its text and code may contain placeholders for the reader's own values: `{{origin}}`,
 * `{{host}}` (the origin without its scheme), `{{insecure}}` (`true` for an http origin, else `false`) and
 * `{{writeKey}}`.
 */
export type SourceGuideStep = { title: string; text: string; code?: string; language?: string }

/** A received webhook call. */
export type WebhookCall = {
  method: string
  /** The decompressed body, as UTF-8 without a byte order mark. */
  body: Buffer
  /** The raw bytes before decoding, if they differ. Signatures are computed over the raw bytes. */
  sent?: Buffer
  /** Headers by name in lower case; the values of a repeated header are joined by commas. */
  headers: Readonly<Record<string, string>>
  /** The query parameters, without the write key. */
  query: URLSearchParams
  /** Set if the query contains bytes that are not UTF-8. */
  brokenQuery?: true
  /** Epoch ms. */
  receivedAt: number
}

/** The rejection of a call: an HTTP status from 400 to 499, a stable reason and what to fix. */
export type WebhookRefusal = { code: number; reason: string; message: string }

/**
 * The events of a call as calls of the tracking API, each with at least its type, or why the call is rejected. The list
 * can be empty. With `redirect`, the caller is a browser that is sent to this URL, which comes from the source's own
 * settings.
 */
export type WebhookReceipt =
  | { events: readonly Readonly<Record<string, unknown>>[]; redirect?: string }
  | { refusal: WebhookRefusal }

/**
 * Converts a call to events. A pure function: the same call and settings give the same events. If it returns undefined,
 * the general rule uses a JSON body as the properties of a track event.
 */
export type ReceiveWebhook = (call: WebhookCall, settings: Settings) => WebhookReceipt | undefined

/** An entry of the source catalog, `catalogSources/{slug}`. */
export type SourceDefinition = {
  /** Name in kebab-case. Must not change, because sources store it. */
  slug: string
  title: string
  /** One paragraph. */
  description: string
  /** Web 1, Mobile 2, Server 3, Warehouse 4, Cloud 5, Offline 6, Unspecified 7. */
  type: number
  /** The product that uses the events; CDP by default. */
  targetProduct?: TargetProduct
  /** The documentation of the library: an https URL, or a page of the product such as `/docs/tag`. */
  docsUrl: string
  guide: readonly SourceGuideStep[]
  /** The schema of new sources of this kind, if their events are known beforehand. */
  predefinedSchema?: SourceSchema
  /** The settings of sources of this kind; none by default. */
  settings?: SettingsSchema
  check?: SettingsDefinition['check']
  /** How calls to the webhook of a source are handled. */
  webhook?: {
    receive: ReceiveWebhook
    /** True if calls are signed. Unsigned calls are then rejected. */
    signed: boolean
  }
}
