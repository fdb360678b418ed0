import type { Db, ForgottenHashes, ProfileLedger } from '@tributary/api-kit'
import type { Catalog } from '@tributary/configuration'
import type { Clock, Logger, SecretBox } from '@tributary/kernel'
import type { EventStore, JobSender, RewriteProgress, RewrittenFiles } from '@tributary/storage'

/** The services that this package needs from its process. */
export type PrivacyServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  secretBox: SecretBox
  catalog: Catalog
  /** Stores which identifiers belong to which profile. */
  profileLedger: ProfileLedger
  forgottenHashes: ForgottenHashes
  /** Resolves once everything that a workspace received before the call is in the event store. */
  whenStored(workspaceId: string, signal: AbortSignal): Promise<void>
  /**
   * Resolves once all threads that deliver have noted every user who was deleted before the call, and everything that
   * these threads wrote before is durable. Rejects while that is not possible.
   */
  forgetInDeliveries(): Promise<void>
  /** Appends the notices of a privacy request for destinations to the stream. Rejects while that is not possible. */
  notifyDestinations(requestId: string, workspaceId: string): Promise<void>
  /**
   * Returns the arrival time of the oldest record of a workspace that may still be in the logs, epoch ms; Infinity if
   * there is none.
   */
  oldestLogged(workspaceId: string): Promise<number>
  /**
   * Rewrites the files of the database without the removed data, and returns the names of the tables that it could not
   * rewrite. Absent if the database is not embedded.
   */
  rewriteFiles?: ((signal: AbortSignal, progress: RewriteProgress) => Promise<RewrittenFiles>) | undefined
  /** How long the logs keep received and outgoing records, ms. */
  logRetentionMs: number
  clock: Clock
  logger: Logger
}
