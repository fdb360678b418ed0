import { createSyncTokenCache } from '@tributary/configuration'
import { createSyncApi } from '@tributary/control'
import { type Logger, type Metrics, systemClock } from '@tributary/kernel'
import type { EventStore, JobSender, Relational } from '@tributary/storage'

/** Starts the API with which orchestrators start syncs. It keeps their tokens in memory. */
export const startSyncApi = async ({
  relational,
  eventStore,
  jobs,
  logger,
  metrics,
}: {
  relational: Relational
  eventStore: EventStore
  jobs: JobSender
  logger: Logger
  metrics: Metrics
}) => {
  const { db, pool } = relational
  const tokens = createSyncTokenCache({ db, pool, logger })
  await tokens.start()
  return {
    ...createSyncApi({ db, jobs, eventStore, clock: systemClock, tokens, logger, metrics }),
    refresh: () => tokens.refresh(),
    stop: () => tokens.stop(),
  }
}
