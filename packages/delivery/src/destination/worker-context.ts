import type { DestinationDefinition, LoadedConnectors, RequestClient } from '@tributary/connector-kit'
import type { WorkShare } from '@tributary/kernel'
import type { OutcomeLog } from '../log/outcome-log.ts'
import type { ParkingContext } from '../parking/parking-context.ts'
import type { AccessTokens, DestinationCache, ForgottenUsers, Profiles } from '../ports.ts'
import type { Shares } from './shares.ts'

/** Dependencies that all workers share. */
export type WorkerContext = ParkingContext & {
  /** For each destination, the shares that this delivery and other deliveries have in its limits. */
  shares: Shares
  destinationCache: DestinationCache
  connectors: Pick<LoadedConnectors<DestinationDefinition>, 'get'>
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  accessTokens: AccessTokens | undefined
  /** Reports outcomes of rows to their producers. */
  outcomes: OutcomeLog
  forgotten: ForgottenUsers
  profiles: Profiles | undefined
  /** Aborted when open requests must end. */
  signal: AbortSignal
  /** Thread time used by the filters and mappings of workspaces. */
  workShare: WorkShare
  /** Bytes queued in all workers together. */
  queued: { bytes: number }
}
