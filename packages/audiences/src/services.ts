import type { Db, ProfileLedger } from '@tributary/api-kit'
import type { Clock } from '@tributary/kernel'
import type { EventStore, JobSender } from '@tributary/storage'

/** The services that this package needs from its process. */
export type AudienceServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  profileLedger: ProfileLedger
  /**
   * Returns the positions in the log of requests before which every event of a workspace is stored
   * (`formatRecordPlaces`), so that a count of the events before them stays true. '' if unknown.
   */
  storedBefore?(workspaceId: string): Promise<string>
  clock: Clock
}
