import type { AppendRequest, Db, LiveChannel } from '@tributary/api-kit'
import type { BillingSettings } from '@tributary/billing'
import type { Catalog } from '@tributary/configuration'
import type { RequestClient } from '@tributary/connector-kit'
import type { Clock, Logger, SecretBox } from '@tributary/kernel'
import type { EventStore, Files, JobSender } from '@tributary/storage'

/** The services that this package needs from its process. */
export type SyncServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  secretBox: SecretBox
  catalog: Catalog
  /** Sends requests to other servers for tests of destinations. */
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  live: LiveChannel
  appendRequest: AppendRequest
  /** The store of files that users upload for data sources. */
  files: Files
  /** The maximum bytes of an uploaded file, and a check whether the disk has space for more. */
  uploads: { maxBytes: number; diskOk(): boolean }
  /** Resolves when everything that a workspace received before the call is in the event store. */
  whenStored(workspaceId: string, signal: AbortSignal): Promise<void>
  billing: BillingSettings
  /** Returns the public URL of the product, without a trailing slash. Links in mail start with it. */
  publicUrl: () => string
  clock: Clock
  logger: Logger
}
