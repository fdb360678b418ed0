import type {
  DestinationDefinition,
  GrantState,
  LoadedConnectors,
  OAuth2Client,
  RequestClient,
  SignalPlatformSettings,
} from '@tributary/connector-kit'
import type { EventConditions, EventMapping, PipelineEvent } from '@tributary/contract'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { EventStore, LogReader } from '@tributary/storage'
import type { AttemptLog } from './log/attempts.ts'
import type { OutcomeLog } from './log/outcome-log.ts'
import type { Parking } from './retry/parking.ts'
import type { DeliverySettings } from './settings.ts'
import type { Shares } from './worker/shares.ts'

/** A destination as deliveries need it. A change of anything gives a new object. */
export type DestinationEntry = {
  id: string
  workspaceId: string
  title: string
  /** Slug of its connector. */
  app: string
  enabled: boolean
  /** Over how many partitions its workspace is spread; one unless given. */
  spread?: number
  /** Over how many it ever was; as many as now unless given. */
  widest?: number
  /** All settings, secrets in clear. */
  settings: Readonly<Record<string, unknown>>
  /** Its own mappings; undefined while it uses the presets of its connector. */
  mappings: readonly EventMapping[] | undefined
  /** What an event's user must have agreed to. */
  consentCategories: readonly string[]
  /** What its connections let through, by source. */
  filters: ReadonlyMap<string, EventConditions>
  /** What it was permitted by OAuth 2; undefined when nothing was. */
  grant?: GrantState | undefined
  /** What signals send it, by the id of the signal; absent where none does. */
  signals?: ReadonlyMap<string, SignalPlatformSettings> | undefined
}

/** A snapshot of destinations in memory, kept fresh by its owner; deleted destinations are absent. */
export type DestinationCache = {
  get(id: string): DestinationEntry | undefined
  /** Resolves once the first snapshot is complete. */
  ready(): Promise<void>
}

/**
 * The current token of a destination's grant; with a token that was answered 401, another one, or
 * with `again` none. Throws DeliveryErrors.
 */
export type AccessTokens = (
  destinationId: string,
  ask: { client: OAuth2Client; grantId: string; refused?: string | undefined; again?: boolean | undefined },
) => Promise<string>

/** Who was deleted: what came of them before is not delivered any more. Asked for each event, so it answers from memory. */
export type ForgottenUsers = {
  /** Events of a workspace that were received until then may be of somebody who was deleted, epoch ms; 0 for none. */
  until(workspaceId: string): number
  /** Another text whenever somebody of a workspace was deleted; '' while nobody was. */
  version(workspaceId: string): string
  /** Whether an event belongs to somebody who was deleted after it was received. */
  isOf(workspaceId: string, event: Pick<PipelineEvent, 'userId' | 'anonymousId' | 'receivedAt'>): boolean
}

/** What all workers share. */
export type WorkerContext = {
  reader: LogReader
  /** What each destination allows this delivery, and others. */
  shares: Shares
  /** Partitions that this delivery was given: of others nothing is read, sent or looked up. */
  owned: ReadonlySet<number>
  /** Whether the log was read through an offset: what lies there and before was offered. */
  isRead(partition: number, offset: number): boolean
  destinationCache: DestinationCache
  connectors: Pick<LoadedConnectors<DestinationDefinition>, 'get'>
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  accessTokens: AccessTokens | undefined
  attempts: AttemptLog
  /** What was delivered before is looked up there. */
  eventStore: Pick<EventStore, 'query'>
  /** Where producers of rows learn their outcomes. */
  outcomes: OutcomeLog
  forgotten: ForgottenUsers
  parking: Parking
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
  /** Aborted when requests must end. */
  signal: AbortSignal
  /** What workspaces have taken of this thread for their filters and mappings. */
  workShare: WorkShare
  /** Bytes queued over all workers. */
  queued: { bytes: number }
}
