import type { WriteKeyCache } from '@tributary/configuration'
import { type Logger, systemClock } from '@tributary/kernel'
import type { LogReader, Relational } from '@tributary/storage'
import type { Threads } from '../../threads/threads.ts'
import { pausedProcesses } from '../collecting-processes.ts'
import { repeatTask } from '../repeat-task.ts'
import { changeSpread, type SpreadChange, type SpreadChangeDeps } from './change-spread.ts'
import { askRefill } from './refills.ts'

/** Interval in ms at which open changes are read. */
const lookMs = 2000

/** Reads the oldest open change. */
export const readOpenChange = (db: Relational['db']): Promise<SpreadChange | undefined> =>
  db
    .selectFrom('workspace_spreads')
    .select(['workspace_id as workspaceId', 'next', 'widest', 'change_time as changeTime', 'pause_time as pauseTime'])
    .where('next', 'is not', null)
    .$narrowType<{ next: number }>()
    .orderBy('change_time')
    .orderBy('workspace_id')
    .limit(1)
    .executeTakeFirst()

/** Whether live deliveries of a workspace wait in the database that were never tried. */
export const hasUntriedDeliveries = async (db: Relational['db'], workspaceId: string): Promise<boolean> => {
  const found = await db
    .selectFrom('destinations')
    .innerJoin('parked_deliveries', 'parked_deliveries.destination_id', 'destinations.id')
    .select('parked_deliveries.id')
    .where('destinations.workspace_id', '=', workspaceId)
    .where('state', '=', 'waiting')
    .where('bulk', '=', false)
    .where('attempts', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Executes the requested changes of spreads (`askSpread`), one after the other. Only one process at a time may do this,
 * the main process.
 */
export const startSpreadChanges = ({
  relational: { db, pool },
  keys,
  paused,
  others,
  threads: { pipeline, delivery, profiles, signals },
  deliveries,
  whenStored,
  storedBefore,
  logger,
}: {
  relational: Relational
  keys: Pick<WriteKeyCache, 'refresh'>
  /** Functions for the current pauses of each appender of requests in this process. */
  paused: readonly (() => string[])[]
  /** Whether other processes may collect. */
  others: boolean
  threads: Pick<Threads, 'pipeline' | 'delivery' | 'profiles' | 'signals'>
  /** The stream; undefined if this process cannot read it. */
  deliveries: Pick<LogReader, 'ends'> | undefined
  whenStored: SpreadChangeDeps['whenStored']
  storedBefore: SpreadChangeDeps['storedBefore']
  logger: Logger
}): { stop(): Promise<void> } => {
  const deps: Omit<SpreadChangeDeps, 'stopping'> = {
    db,
    refresh: () => keys.refresh(),
    paused: async () => [...paused.map((ask) => ask()), ...(others ? await pausedProcesses(pool) : [])],
    whenStored,
    storedBefore,
    refill: async (workspaceId, learned, signal) => {
      if (pipeline === undefined) throw new Error('The pipeline does not run in this process')
      await askRefill((request) => pipeline.ask('refill', request), { workspaceId, ...learned }, signal)
    },
    ends: async () => (await deliveries?.ends()) ?? [],
    readers: {
      ...(delivery && { delivery: () => delivery.ask('positions') }),
      ...(profiles && { profiles: () => profiles.ask('needed') }),
      ...(signals && { signals: () => signals.ask('needed') }),
    },
    hasUntried: (workspaceId) => hasUntriedDeliveries(db, workspaceId),
    clock: systemClock,
    logger,
  }
  return repeatTask(lookMs, async (stopping) => {
    try {
      while (!stopping.aborted) {
        const change = await readOpenChange(db)
        if (change === undefined) return
        await changeSpread({ ...deps, stopping }, change)
      }
    } catch (error) {
      // While the database is down, no change can be executed.
      logger.warn({ error: String(error) }, 'Spreads cannot be changed now')
    }
  })
}
