import type { Logger, Metrics } from '@tributary/kernel'
import type { LogEntry, Relational } from '@tributary/storage'
import { takeBack } from './kept-requests.ts'

/** Interval of the checks, ms. */
const lookMs = 5000

/**
 * Appends released requests to the log, and reports the number of requests that are set aside. Only one process at a
 * time may do this, the one that writes the log.
 */
export const createSetAsideWatch = (deps: {
  db: Relational['db']
  append(entry: LogEntry): Promise<unknown>
  /** Called if there are more requests than at the last check. */
  notify(requests: number): Promise<void>
  logger: Logger
  metrics: Metrics
}): { start(): void; stop(): Promise<void> } => {
  const { db, logger, metrics } = deps
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let reported = 0
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
    const { held } = await db
      .selectFrom('held_work')
      .select((row) => row.fn.countAll<string>().as('held'))
      .where('hold_time', 'is not', null)
      .executeTakeFirstOrThrow()
    metrics.gauge('held_work', Number(held))
    if (requests > reported) await deps.notify(requests)
    reported = requests
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
