import type { Logger } from '@tributary/kernel'
import type { EventStore, LogPosition, LogWriter } from '@tributary/storage'

/** Where the ends of a log's partitions were at a time. */
type Mark = { time: number; next: number[] }

/**
 * Lets go of log segments whose every record is older than `keepMs` and no longer needed by `needed()` (the lowest
 * offset per partition that a consumer has still to read or may read again). Ages are known from marks taken at each
 * `run`; a log is trimmed only up to a mark that is old enough.
 */
export const createLogRetention = (options: {
  log: Pick<LogWriter, 'stats' | 'trim'>
  keepMs: number
  needed: () => Promise<readonly LogPosition[]>
  clock: () => number
}): { run(): Promise<void> } => {
  const marks: Mark[] = []
  return {
    async run() {
      const now = options.clock()
      const { partitions } = await options.log.stats()
      marks.push({ time: now, next: partitions.toSorted((a, b) => a.partition - b.partition).map(({ next }) => next) })
      const old = marks.findLast(({ time }) => time <= now - options.keepMs)
      if (old === undefined) return
      while (marks[0] !== undefined && marks[0] !== old) marks.shift()
      const needed = new Map((await options.needed()).map(({ partition, offset }) => [partition, offset]))
      await options.log.trim(
        old.next.map((next, partition) => ({ partition, offset: Math.min(next, needed.get(partition) ?? next) })),
      )
    },
  }
}

/** Sets how long the event store keeps events and delivery rows (days; 0 for ever). The engine drops what is over. */
export const applyEventRetention = async (
  store: EventStore,
  retention: { eventsDays: number; deliveriesDays: number },
  logger: Logger,
): Promise<void> => {
  const set = async (table: string, column: string, days: number): Promise<void> => {
    const [row] = await store.query<{ create_table_query: string }>(
      'select create_table_query from system.tables where database = currentDatabase() and name = {table:String}',
      { table },
    )
    const current = row?.create_table_query ?? ''
    const wanted = `toDateTime(${column}) + toIntervalDay(${days})`
    if (days === 0) {
      if (/\bTTL\b/.test(current)) await store.command(`alter table ${table} remove ttl`)
      return
    }
    if (current.includes(`TTL ${wanted}`)) return
    await store.command(`alter table ${table} modify ttl ${wanted}`)
    logger.info({ table, days }, 'retention set')
  }
  await set('events', 'receive_time', retention.eventsDays)
  await set('deliveries', 'time', retention.deliveriesDays)
}
