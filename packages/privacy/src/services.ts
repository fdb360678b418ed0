import type { Db, ForgottenHashes, ProfileLedger } from '@tributary/api-kit'
import type { Catalog } from '@tributary/configuration'
import type { Clock, Logger, SecretBox } from '@tributary/kernel'
import type { EventStore, JobSender, RewriteProgress, RewrittenFiles } from '@tributary/storage'

/** What this package needs of the process that it runs in. */
export type PrivacyServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  secretBox: SecretBox
  catalog: Catalog
  /** Stores which identifiers belong to which profile. */
  profileLedger: ProfileLedger
  forgottenHashes: ForgottenHashes
  /** Resolves once everything of a workspace that was received before the call is in the event store. */
  whenStored(workspaceId: string, signal: AbortSignal): Promise<void>
  /**
   * Resolves once deliveries have learned of every user who was deleted before the call, and their earlier writes are durable.
   * Rejects while that cannot be.
   */
  forgetInDeliveries(): Promise<void>
  /** Puts the notices of a privacy request for destinations into the stream. Rejects while that cannot be. */
  notifyDestinations(requestId: string, workspaceId: string): Promise<void>
  /** When the oldest record of a workspace came that the logs may still hold, epoch ms; Infinity when they hold none. */
  oldestLogged(workspaceId: string): Promise<number>
  /**
   * Rewrites the files of the database, which then hold nothing of what was removed; names what it could not rewrite. Absent where
   * the database is not the embedded one.
   */
  rewriteFiles?: ((signal: AbortSignal, progress: RewriteProgress) => Promise<RewrittenFiles>) | undefined
  /** How long the logs keep what was received and what is sent, ms. */
  logRetentionMs: number
  clock: Clock
  logger: Logger
}
