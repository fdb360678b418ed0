import type { Db, ProfileLedger } from '@tributary/api-kit'
import type { Clock } from '@tributary/kernel'
import type { EventStore, JobSender } from '@tributary/storage'

/** What this package needs of the process that it runs in. */
export type AudienceServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  profileLedger: ProfileLedger
  /**
   * The places in the log of requests before which every event of a workspace is stored (`formatRecordPlaces`), so that a
   * count of the events before them stays true. '' where that is not known.
   */
  storedBefore?(workspaceId: string): Promise<string>
  clock: Clock
}
