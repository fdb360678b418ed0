import type { AppendRequest } from '@tributary/api-kit'
import type { Clock } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'

/** Services of the process that this package needs. */
export type ReplayServices = { eventStore: EventStore; appendRequest: AppendRequest; clock: Clock }
