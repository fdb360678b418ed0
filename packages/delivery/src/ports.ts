import type { GrantState, OAuth2Client, SignalPlatformSettings } from '@tributary/connector-kit'
import type { EventConditions, EventMapping, PipelineEvent } from '@tributary/contract'

/** A destination as delivery needs it. Any change makes a new object. */
export type DestinationEntry = {
  id: string
  workspaceId: string
  title: string
  /** Slug of its connector. */
  app: string
  enabled: boolean
  /** Number of partitions its workspace is spread over; one unless given. */
  spread?: number
  /** Maximum number it was ever spread over; as many as now unless given. */
  widest?: number
  /** All settings, secrets in clear. */
  settings: Readonly<Record<string, unknown>>
  /** Its own mappings; undefined while it uses the presets of its connector. */
  mappings: readonly EventMapping[] | undefined
  /** Consent categories that an event's user must have agreed to. */
  consentCategories: readonly string[]
  /** Filters of its connections, by source. */
  filters: ReadonlyMap<string, EventConditions>
  /** Its OAuth 2 grant; undefined when there is none. */
  grant?: GrantState | undefined
  /** What signals send it, by the ID of the signal; absent where none does. */
  signals?: ReadonlyMap<string, SignalPlatformSettings> | undefined
}

/** A snapshot of destinations in memory, kept current by its owner; deleted destinations are absent. */
export type DestinationCache = {
  get(id: string): DestinationEntry | undefined
  /** Resolves once the first snapshot is complete. */
  ready(): Promise<void>
}

/**
 * Resolves to the current token of a destination's grant; with a token that was answered 401, another one, or none with
 * `again`. Throws DeliveryErrors.
 */
export type AccessTokens = (
  destinationId: string,
  ask: { client: OAuth2Client; grantId: string; refused?: string | undefined; again?: boolean | undefined },
) => Promise<string>

/** Deleted users: their earlier events are not delivered any more. Called for each event, so it answers from memory. */
export type ForgottenUsers = {
  /** Events of a workspace received up to this time may belong to a deleted user, epoch ms; 0 for none. */
  until(workspaceId: string): number
  /** A text that changes with each deletion of a user of a workspace; '' before the first. */
  version(workspaceId: string): string
  /** Whether an event belongs to a user who was deleted after it was received. */
  isOf(workspaceId: string, event: Pick<PipelineEvent, 'userId' | 'anonymousId' | 'receivedAt'>): boolean
}
