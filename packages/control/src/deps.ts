import type { AudienceServices } from '@tributary/audiences'
import type { BillingServices } from '@tributary/billing'
import type { ConfigurationServices } from '@tributary/configuration'
import type { Settings, SourceDefinition, WebhookCall, WebhookRefusal } from '@tributary/connector-kit'
import type { ClientConfig, MethodResponse, methods } from '@tributary/contract'
import type { PrivacyServices } from '@tributary/privacy'
import type { ReplayServices } from '@tributary/replays'
import type { SignalServices } from '@tributary/signals'
import type { Blobs, Coordination, LogReader } from '@tributary/storage'
import type { Outbound, SyncServices } from '@tributary/syncs'
import type { AuditRetention } from './audit-records/retention.ts'
import type { Dns } from './custom-domains/dns.ts'
import type { OpenIdSettings } from './openid/openid.ts'

/** Events as JSON texts, or why a call is refused; undefined when the rule of the app leaves it to the general one. */
export type ReceiveWebhookCall = (
  rule: NonNullable<SourceDefinition['webhook']>,
  settings: Settings,
  call: WebhookCall,
) => { events: readonly string[] } | { refusal: WebhookRefusal } | undefined

/** Counters with an expiry, shared by all processes. */
export type Counters = Pick<Coordination, 'increment'>

/** The dependencies of the API, including those of its packages. */
export type ControlDeps = ConfigurationServices &
  AudienceServices &
  BillingServices &
  PrivacyServices &
  ReplayServices &
  SignalServices &
  SyncServices & {
    /** Handles a call to the webhook of a source of an app, exactly as collection does it. */
    receiveWebhook: ReceiveWebhookCall
    counters: Counters
    /** Whether an event with this ID was accepted and is not stored yet; absent where this is unknown. */
    isPendingEvent?(workspaceId: string, eventId: string): Promise<boolean>
    /** The log of deliveries; undefined where this process has none. */
    deliveries?: Pick<LogReader, 'find'> | undefined
    /** The store of pictures. */
    blobs: Blobs
    /** Sends rows of syncs to delivery; absent if this process cannot. */
    outbound?: Outbound | undefined
    /** How many stored events of a workspace have been read for profiles at first; undefined when all are read. */
    profileReading?(workspaceId: string): Promise<{ read: number; total: number } | undefined>
    /** Application key of the realtime gateway, shown to signed-in users. */
    realtimeKey: string
    /** The settings of the web application before sign-in; also whether people may sign up by themselves. */
    clientConfig: ClientConfig
    /** The configuration of the installation, for platform admins. */
    installation(): MethodResponse<typeof methods.installation.get>
    /** The third-party sign-in, when one is configured. */
    openId?: OpenIdSettings | undefined
    /** Called after the commit for every user who lost permissions, so that their realtime connections are closed. */
    onAccessChanged?(userId: string): void
    /** Keys, one for each purpose, derived from the secret key. */
    signing: { codes: Uint8Array; inbox: Uint8Array }
    /** The DNS client for custom domains, and the target of their records; by default the product's own host. */
    customDomains: { dns: Dns; target: string | undefined }
    /** How long audit records are kept, by plan. */
    auditRetention: AuditRetention
    /** Signs a user's identity for the messaging widget; undefined when the widget is not configured. */
    messagingSecret: string | undefined
  }

/**
 * Makes ended sessions and changed memberships of a user take effect immediately: tokens are looked up again and
 * realtime connections are closed. A user who may still subscribe connects again. Call it after the commit.
 */
export type AccessChanged = (userId: string) => void
