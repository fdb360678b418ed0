import { createProfileKeyCache } from '@tributary/configuration'
import { createProfileApi } from '@tributary/control'
import { type Logger, type Metrics, systemClock } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'

/** Connections for reading profiles, including two for changes of the keys. */
const maxConnections = 6

/**
 * Starts the Profile API with its own connections, so that it and the management API do not wait for each other. A
 * statement that takes two seconds is aborted.
 */
export const startProfileApi = async (url: string, { logger, metrics }: { logger: Logger; metrics: Metrics }) => {
  const relational = openRelational({ url, logger, maxConnections, statementMs: 2000 })
  const keys = createProfileKeyCache({ db: relational.db, pool: relational.pool, logger })
  await keys.start()
  return {
    ...createProfileApi({ pool: relational.pool, keys, clock: systemClock, logger, metrics }),
    refresh: () => keys.refresh(),
    async stop(): Promise<void> {
      await keys.stop()
      await relational.close()
    },
  }
}
