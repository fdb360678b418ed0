import type { Logger } from '@tributary/kernel'
import { type EventStore, type LogPosition, type LogWriter, systemOwner } from '@tributary/storage'
import { z } from 'zod'
import type { RoleThread } from '../roles/role-thread.ts'

const offset = z.number().int().min(0)
/** An answer that names no incarnation is of nobody who knows one. */
const positions = z.array(z.object({ partition: offset, offset, incarnation: z.string().default('') }))

/**
 * What a role's thread says of places in its log. Rejects when it does not run, does not know the question or answers
 * with something else: an answer that is missing must not look like one that needs nothing.
 */
export const askPositions = async (
  thread: Pick<RoleThread, 'ask'> | undefined,
  question: string,
): Promise<(LogPosition & { incarnation: string })[]> => {
  if (thread === undefined) throw new Error('The consumer of the log does not run in this process')
  return positions.parse(await thread.ask(question))
}

/**
 * Lets go of log segments whose every record is older than `keepMs` and no longer needed by `needed()` (the lowest
 * offset per partition that a consumer has still to read or may read again). A partition that it does not name is needed
 * from its start: nobody has read it, or nobody knows. When it rejects, nothing goes.
 */
export const createLogRetention = (options: {
  log: Pick<LogWriter, 'trim'>
  /** Offsets below which every record was written before a time (epoch ms). */
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
