import type { Db, LiveChannel } from '@tributary/api-kit'
import type {
  ListedDataSource,
  ListedDestination,
  ListedSource,
  RequestClient,
  Settings,
  SourceDefinition,
  WebhookCall,
  WebhookRefusal,
} from '@tributary/connector-kit'
import type { ClientConfig, RequestMeta } from '@tributary/contract'
import type { Clock, Logger, SecretBox, WorkShare } from '@tributary/kernel'
import type { Blobs, Coordination, EventStore, Files, JobSender, LogReader } from '@tributary/storage'
import type { AuditRetention } from './audit-records/retention.ts'
import type { PlanCatalogue } from './billing/catalogue.ts'
import type { StripeSettings } from './billing/stripe/stripe.ts'
import type { Dns } from './custom-domains/dns.ts'
import type { OpenIdSettings } from './openid/openid.ts'
import type { ForgottenHashes, ProfileLedger } from './profiles/ledger.ts'
import type { Outbound } from './syncs/send-rows.ts'

/** What sources, destinations and data sources can be made of. */
export type Catalog = {
  sources: readonly ListedSource[]
  destinations: readonly ListedDestination[]
  dataSources: readonly ListedDataSource[]
}

/** Events as JSON texts, or why a call is refused; undefined when the rule of the app leaves it to the general one. */
export type ReceiveWebhookCall = (
  rule: NonNullable<SourceDefinition['webhook']>,
  settings: Settings,
  call: WebhookCall,
) => { events: readonly string[] } | { refusal: WebhookRefusal } | undefined

/** Counters with an expiry, shared by all processes. */
export type Counters = Pick<Coordination, 'increment'>

/**
 * Puts a request into the log of those that were accepted; resolves when it is on disk. Rejects with LogUnavailable or
 * LogOverloaded when that cannot be now.
 */
export type AppendRequest = (meta: RequestMeta, body: Uint8Array) => Promise<void>

export type ControlDeps = {
  db: Db
  eventStore: EventStore
  /** What is done after the call, once its transaction is committed. */
  jobs: JobSender
  secretBox: SecretBox
  catalog: Catalog
  /** Handles a call to the webhook of a source of an app, exactly as collection does it. */
  receiveWebhook: ReceiveWebhookCall
  /** What workspaces have taken of this thread for their templates, mappings and conditions; collection's share is the same one. */
  workShare: WorkShare
  counters: Counters
  /** The way out for tests of destinations. */
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  live: LiveChannel
  appendRequest: AppendRequest
  /**
   * The places in the log of requests before which every event of a workspace is stored (`formatRecordPlaces`): so a count
   * of what lies before them stays true. '' where nobody can tell.
   */
  storedBefore?(workspaceId: string): Promise<string>
  /** Whether an event with this id was accepted and is not stored yet; absent where nobody can tell. */
  isPendingEvent?(workspaceId: string, eventId: string): Promise<boolean>
  /** The log of deliveries; undefined where this process has none. */
  deliveries?: Pick<LogReader, 'find'> | undefined
  /** Where pictures are kept. */
  blobs: Blobs
  /** Where files that people upload for data sources are kept. */
  files: Files
  /** Bytes of such a file at most, and whether the disk has room for more. */
  uploads: { maxBytes: number; diskOk(): boolean }
  /** Who writes down who is who. */
  profileLedger: ProfileLedger
  forgottenHashes: ForgottenHashes
  /** Resolves once everything of a workspace that was received before the call is in the event store. */
  whenStored(workspaceId: string, signal: AbortSignal): Promise<void>
  /**
   * Resolves once deliveries know of everybody who was deleted before the call, and what they wrote before that is durable.
   * Rejects while that cannot be.
   */
  forgetInDeliveries(): Promise<void>
  /** Puts what destinations are told of a privacy request into the stream. Rejects while that cannot be. */
  tellDestinations(requestId: string, workspaceId: string): Promise<void>
  /** How rows of syncs reach delivery; absent where this process has no way to. */
  outbound?: Outbound | undefined
  /** When the oldest record of a workspace came that the logs may still hold, epoch ms; Infinity when they hold none. */
  oldestLogged(workspaceId: string): Promise<number>
  /** How long the logs keep what was received and what is sent, ms. */
  logRetentionMs: number
  /** How far profiles are with the stored events of a workspace that they read first; undefined when they are through. */
  profileReading?(workspaceId: string): Promise<{ read: number; total: number } | undefined>
  /** Application key of the realtime gateway, shown to signed-in users. */
  realtimeKey: string
  /** What the web application is told before anybody signs in; also whether people may sign up by themselves. */
  clientConfig: ClientConfig
  /** The third-party sign-in, when one is configured. */
  openId?: OpenIdSettings | undefined
  /** Hears of every user who can do less than before, once that is committed: to cut what they still listen to. */
  onAccessChanged?(userId: string): void
  /** Address under which browsers reach the product, without a slash at the end: links in mail begin with it. */
  publicUrl: () => string
  /** Keys, one for each purpose, derived from the secret key. */
  signing: { codes: Uint8Array; inbox: Uint8Array }
  /**
   * The plans, who takes payments, and whether plans limit: creates are refused beyond them, and events of a plan that costs nothing
   * are held once `graceHours` have passed beyond its limits. `eventsDays`: how long events are kept, 0 for ever.
   */
  billing: {
    plans: PlanCatalogue
    payment: 'none' | 'sandbox' | 'stripe'
    limits: boolean
    /** Days that an invoice can be unpaid before the limits of the first plan hold. */
    unpaidDays: number
    /** How Stripe is asked, where it takes the payments. */
    stripe?: StripeSettings | undefined
    graceHours: number
    eventsDays: number
    /** Organizations on the first plan that one person can begin where plans limit; 0, or nothing, for any number. */
    freeOrganizations?: number | undefined
  }
  /** How records of custom domains are looked for, and the host that they lead to; the product's own unless set. */
  customDomains: { dns: Dns; target: string | undefined }
  /** How long audit records are kept, by plan. */
  auditRetention: AuditRetention
  /** With which the messaging widget is told who a user is; undefined when it is not configured. */
  messagingSecret: string | undefined
  clock: Clock
  logger: Logger
}

/**
 * Makes ended sessions and changed memberships of a user count at once: tokens are looked up anew and realtime
 * connections are cut (whoever may still listen connects again). Call it once the change is committed.
 */
export type AccessChanged = (userId: string) => void
