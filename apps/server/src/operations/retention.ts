import type { Logger } from '@tributary/kernel'
import { type EventStore, type LogPosition, type LogWriter, systemOwner } from '@tributary/storage'

type Position = LogPosition & { incarnation: string }

/** A role that responds to a message with positions in its log. */
export type PositionsRole<Name extends string> = { ask(name: Name): Promise<Position[]> }

/**
 * Requests positions in its log from a role. Rejects if the role is not running, does not have the message, or responds
 * with anything else. So a missing response never looks like a response that needs no records.
 */
export const askPositions = async <Name extends string>(
  role: PositionsRole<NoInfer<Name>> | undefined,
  name: Name,
): Promise<Position[]> => {
  if (role === undefined) throw new Error('The consumer of the log does not run in this process')
  return await role.ask(name)
}

/**
 * Trims log segments whose records are all older than `keepMs` and no longer needed. `needed()` returns, by partition,
 * the lowest offset that a consumer may still read. A partition that it does not name is needed from its start: it has
 * no reader, or its position is unknown. If `needed` rejects, nothing is trimmed.
 */
export const createLogRetention = (options: {
  log: Pick<LogWriter, 'trim'>
  /** Offsets such that every earlier record was written before a time (epoch ms). */
  positionsBefore: (time: number) => Promise<LogPosition[]>
  keepMs: number
  needed: () => Promise<readonly LogPosition[]>
  clock: () => number
}): { run(): Promise<void> } => ({
  async run() {
    const old = await options.positionsBefore(options.clock() - options.keepMs)
    if (old.length === 0) return
    const needed = new Map((await options.needed()).map(({ partition, offset }) => [partition, offset]))
    await options.log.trim(
      old.map(({ partition, offset }) => ({ partition, offset: Math.min(offset, needed.get(partition) ?? 0) })),
    )
  },
})

/**
 * Sets how long the event store keeps events and delivery rows (days; 0 for no limit). The engine drops expired rows.
 */
export const applyEventRetention = async (
  store: EventStore,
  retention: { eventsDays: number; deliveriesDays: number },
  logger: Logger,
): Promise<void> => {
  const set = async (table: string, column: string, days: number): Promise<void> => {
    const [row] = await store.query<{ create_table_query: string }>(
      'select create_table_query from system.tables where database = currentDatabase() and name = {table:String}',
      { table },
      { owner: systemOwner },
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
  await set('replayed_events', 'time', retention.eventsDays)
  await set('deliveries', 'time', retention.deliveriesDays)
}
