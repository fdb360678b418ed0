import type { AppendRequest } from '@tributary/api-kit'
import type { Clock } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'

/** What this package needs of the process that it runs in. */
export type ReplayServices = { eventStore: EventStore; appendRequest: AppendRequest; clock: Clock }
