import type { GrantState, OAuth2Client, ProfileValues, SignalPlatformSettings } from '@tributary/connector-kit'
import type { EventConditions, EventMapping, PersonDataPaths, PipelineEvent } from '@tributary/contract'

/** A destination for delivery. Any change makes a new object. */
export type DestinationEntry = {
  id: string
  workspaceId: string
  title: string
  /** Slug of the destination's connector. */
  app: string
  enabled: boolean
  /** Number of partitions that the workspace of the destination is spread over; one if absent. */
  spread?: number
  /** Maximum number of partitions over which the workspace was ever spread; if absent, the current number applies. */
  widest?: number
  /** All settings, with decrypted secrets. */
  settings: Readonly<Record<string, unknown>>
  /** Secrets that a user must enter again before anything is sent, because its connector sends them elsewhere. */
  secretsToEnter?: readonly string[]
  /** The destination's own mappings; undefined while it uses the presets of its connector. */
  mappings: readonly EventMapping[] | undefined
  /** The version of its connector's presets that the destination uses. */
  presetVersion: number
  /** Consent categories that an event's user must have agreed to. */
  consentCategories: readonly string[]
  /** Filters of its connections, by source. */
  filters: ReadonlyMap<string, EventConditions>
  /** The OAuth 2 grant of the destination; undefined if there is none. */
  grant?: GrantState | undefined
  /** The settings of signals for this destination, by signal ID; absent if no signal sends to it. */
  signals?: ReadonlyMap<string, SignalPlatformSettings> | undefined
  /** The paths at which the workspace has the data of people; the defaults if absent. */
  personData?: PersonDataPaths | undefined
}

/** The destinations in memory, kept current by the cache's owner; deleted destinations are absent. */
export type DestinationCache = {
  get(id: string): DestinationEntry | undefined
  /** Resolves once the first snapshot is complete. */
  ready(): Promise<void>
}

/**
 * Resolves to the current token of a destination's grant. Given a token that got a 401, resolves to another one; with
 * `again`, to none. Throws DeliveryErrors.
 */
export type AccessTokens = (
  destinationId: string,
  ask: { client: OAuth2Client; grantId: string; refused?: string | undefined; again?: boolean | undefined },
) => Promise<string>

/** Reads the profiles of events. Without it, mappings get no values of profiles. */
export type Profiles = ProfileValues

/** Deleted users, whose earlier events are no longer delivered. Called for each event, so it reads only memory. */
export type ForgottenUsers = {
  /** Events of a workspace received up to this time may belong to a deleted user, epoch ms; 0 if there is none. */
  until(workspaceId: string): number
  /** A text that changes with each deletion of a user in a workspace; '' before the first. */
  version(workspaceId: string): string
  /** Whether an event belongs to a user who was deleted after it was received. */
  isOf(workspaceId: string, event: Pick<PipelineEvent, 'userId' | 'anonymousId' | 'receivedAt'>): boolean
}
