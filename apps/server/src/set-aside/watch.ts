import type { Logger, Metrics } from '@tributary/kernel'
import type { LogEntry, Relational } from '@tributary/storage'
import { takeBack } from './kept-requests.ts'

/** How often it is looked, ms. */
const lookMs = 5000

/**
 * Appends requests that were set aside and are to be processed again, and tells how many there are. One process at a time has to do
 * this, the one that writes the log.
 */
export const createSetAsideWatch = (deps: {
  db: Relational['db']
  append(entry: LogEntry): Promise<unknown>
  /** Told while there are any. */
  notify(requests: number): Promise<void>
  logger: Logger
  metrics: Metrics
}): { start(): void; stop(): Promise<void> } => {
  const { db, logger, metrics } = deps
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let told = 0
  const look = async (): Promise<void> => {
    const again = await takeBack(db, deps.append)
    if (again > 0) logger.info({ requests: again }, 'Requests that were set aside are processed again')
    const { count } = await db
      .selectFrom('set_aside_requests')
      .select((row) => row.fn.countAll<string>().as('count'))
      .where('body', 'is not', null)
      .executeTakeFirstOrThrow()
    const requests = Number(count)
    metrics.gauge('set_aside_requests', requests)
    if (requests > told) await deps.notify(requests)
    told = requests
  }
  return {
    start() {
      timer = setInterval(() => {
        looking ??= look()
          .catch((error: unknown) => logger.warn({ err: error }, 'Requests that are set aside cannot be looked at now'))
          .finally(() => {
            looking = undefined
          })
      }, lookMs)
    },
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
