import type { AudienceServices } from '@tributary/audiences'
import type { BillingServices } from '@tributary/billing'
import type { ConfigurationServices } from '@tributary/configuration'
import type { ProfileValues, Settings, SourceDefinition, WebhookCall, WebhookRefusal } from '@tributary/connector-kit'
import type { ClientConfig, MethodResponse, methods } from '@tributary/contract'
import type { PrivacyServices } from '@tributary/privacy'
import type { ReplayServices } from '@tributary/replays'
import type { SignalServices } from '@tributary/signals'
import type { Blobs, Coordination, LogReader } from '@tributary/storage'
import type { Outbound, SyncServices } from '@tributary/syncs'
import type { AuditRetention } from './audit-records/retention.ts'
import type { Dns } from './custom-domains/dns.ts'
import type { OpenIdSettings } from './openid/openid.ts'
import type { Passwords } from './users/sign-in/passwords.ts'

/**
 * Reads the events of a webhook call as JSON texts, or returns why the call is refused. Returns undefined if the rule
 * of the app does not apply, so that the general rule does.
 */
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
    /** Handles a call to the webhook of a source that belongs to an app, with the same code as collection. */
    receiveWebhook: ReceiveWebhookCall
    counters: Counters
    /** Whether an event with this ID was accepted and is not stored yet; absent if this process cannot look it up. */
    isPendingEvent?(workspaceId: string, eventId: string): Promise<boolean>
    /** The log of deliveries; undefined if this process has none. */
    deliveries?: Pick<LogReader, 'find'> | undefined
    /** The store of pictures. */
    blobs: Blobs
    /** Sends rows of syncs to delivery; absent if this process cannot. */
    outbound?: Outbound | undefined
    /**
     * Returns how many of the stored events of a workspace have been read in the first reading for profiles. Returns
     * undefined once all are read.
     */
    profileReading?(workspaceId: string): Promise<{ read: number; total: number } | undefined>
    /** Reads the profiles of events for previews of mappings and signals; absent if there are none. */
    profileValues?: Pick<ProfileValues, 'look'>
    /** Application key of the realtime gateway, shown to signed-in users. */
    realtimeKey: string
    /** The settings that the web application needs before sign-in. They include whether anyone can sign up. */
    clientConfig: ClientConfig
    /** The configuration of the installation, for platform admins. */
    installation(): MethodResponse<typeof methods.installation.get>
    /** The settings of third-party sign-in; undefined if it is not configured. */
    openId?: OpenIdSettings | undefined
    /** Called after the commit for every user who lost permissions, so that their realtime connections are closed. */
    onAccessChanged?(userId: string): void
    /** Secret keys that are derived from the secret key of the installation, one for each purpose. */
    signing: { codes: Uint8Array; inbox: Uint8Array }
    /**
     * The DNS client for custom domains, and the target of their CNAME records. If the target is undefined, it is the
     * product's own host.
     */
    customDomains: { dns: Dns; target: string | undefined }
    /** Hashes and verifies passwords, by default at the cost that is recommended for Argon2id. */
    passwords?: Passwords | undefined
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
