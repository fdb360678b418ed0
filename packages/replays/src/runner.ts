import { AppError, createRest, createWorkShare, inWork, WorkHeld, type WorkNote } from '@tributary/kernel'
import { EventStoreUnavailable, isRelationalUnavailable, LogOverloaded, LogUnavailable } from '@tributary/storage'
import { sql } from 'kysely'
import { endReplay } from './end-replay.ts'
import { createDeadRun } from './run-dead.ts'
import { createHistoryRun } from './run-history.ts'
import {
  defaultReplayRunnerSettings,
  type ReplayRun,
  type ReplayRunnerDeps,
  type ReplayRunnerSettings,
  type ReplayState,
} from './runner-ports.ts'

export type ReplayRunner = {
  /** Starts to look for replays and to send their events. */
  start(): void
  /** Looks for replays immediately. */
  wake(): void
  /** Stops after the current step. The next runner sends the remaining events. */
  stop(): Promise<void>
}

/** Consecutive failures of a single replay after which it is given up. */
const maxFailures = 5

const passes = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof LogUnavailable ||
  error instanceof LogOverloaded ||
  isRelationalUnavailable(error)

/** Whether an error is permanent for the filter of a replay. */
const isPermanent = (error: unknown): error is Error =>
  error instanceof WorkHeld || (error instanceof AppError && error.code === 400)

type Active = { run: ReplayRun; work: WorkNote; dueAt: number }

/**
 * Returns the work note of a replay for the watchdog. If the watchdog holds the replay, it ends with the reason of the
 * hold.
 */
const workOf = ({ id, workspace_id, destination_id }: ReplayState): WorkNote => ({
  step: 'replay',
  workspaceId: workspace_id,
  item: `replay ${destination_id} ${id}`,
})

/**
 * Runs turns one after the other. Each turn resolves to the time to rest, ms; `wake` ends the current or the next rest.
 */
const createTurns = (turn: () => Promise<number>) => {
  const rest = createRest()
  let isStopping = false
  let loop: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (!isStopping) await rest.take(await turn())
  }
  return {
    start(): void {
      loop ??= run()
    },
    wake: rest.wake,
    async stop(): Promise<void> {
      isStopping = true
      rest.wake()
      await loop
    },
  }
}

/**
 * Reads the replays that should run. The oldest replay of each workspace comes before the second one of any workspace.
 */
const readRunning = async ({ db, isMine }: ReplayRunnerDeps, max: number) => {
  const running = await db
    .with('placed', (of) =>
      of
        .selectFrom('replays')
        .select(['id as placed_id'])
        .select(sql<string>`row_number() over (partition by workspace_id order by create_time, id)`.as('place'))
        .where('state', '=', 'running'),
    )
    .selectFrom('placed')
    .innerJoin('replays', 'replays.id', 'placed.placed_id')
    .innerJoin('destinations', 'destinations.id', 'replays.destination_id')
    .selectAll('replays')
    .select('destinations.delete_time')
    // A workspace never has more than this number of replays sending at the same time.
    .where('placed.place', '<=', String(max))
    .orderBy('placed.place')
    .orderBy('replays.create_time')
    .orderBy('replays.id')
    .$if(isMine === undefined, (query) => query.limit(max))
    .execute()
  return running.filter(({ workspace_id: workspaceId }) => isMine?.(workspaceId) !== false).slice(0, max)
}

/**
 * Creates the runner, which sends the events of running replays, each at its rate, one step of one replay at a time. So
 * memory and the load on the stores are bounded for any number of replays. A runner that takes over a replay fences off
 * the previous runner, which can then append nothing.
 */
export const createReplayRunner = (deps: ReplayRunnerDeps): ReplayRunner => {
  const { db, clock, logger } = deps
  const workShare = deps.workShare ?? createWorkShare()
  const settings: ReplayRunnerSettings = { ...defaultReplayRunnerSettings, ...deps.settings }
  const active = new Map<string, Active>()
  const failures = new Map<string, number>()

  const drop = async (id: string): Promise<void> => {
    const known = active.get(id)
    active.delete(id)
    await known?.run.close().catch(() => {})
  }

  const fail = async (id: string, failure: string): Promise<void> => {
    await drop(id)
    failures.delete(id)
    await endReplay(db, id, { state: 'failed', failure }, clock())
  }

  /** Starts the replays that should run, and closes all other replays. */
  const look = async (): Promise<void> => {
    const rows = await readRunning(deps, settings.replays)
    for (const id of active.keys()) if (!rows.some((row) => row.id === id)) await drop(id)
    for (const row of rows) {
      if (row.delete_time !== null) await fail(row.id, 'The destination was deleted')
      else if (!active.has(row.id)) {
        const run =
          row.kind === 'history'
            ? createHistoryRun({ ...deps, workShare }, settings, row)
            : createDeadRun(deps, settings, row)
        active.set(row.id, { run, work: workOf(row), dueAt: clock() })
      }
    }
  }

  const advance = async (id: string, { run, work }: Active): Promise<void> => {
    const began = clock()
    try {
      const wait = await inWork(work, () => run.step())
      failures.delete(id)
      if (wait === undefined) await drop(id)
      else active.set(id, { run, work, dueAt: began + wait })
    } catch (error) {
      // The position of the replay in memory may be ahead of the stored position, so the replay starts again from the
      // stored one.
      await drop(id)
      if (isPermanent(error)) return await fail(id, error.message)
      const count = (failures.get(id) ?? 0) + (passes(error) ? 0 : 1)
      failures.set(id, count)
      logger.warn({ err: error, replay: id }, 'a replay cannot continue now; trying again')
      if (count >= maxFailures) await fail(id, "It stopped at an unexpected error. See the server's log")
      else throw error
    }
  }

  /** Does one step of the replay that is due first; resolves to the time to rest, ms. */
  const turn = async (): Promise<number> => {
    try {
      await look()
      const [next] = [...active].sort(([, a], [, b]) => a.dueAt - b.dueAt)
      if (next === undefined) return settings.pollMs
      const wait = next[1].dueAt - clock()
      if (wait > 0) return Math.min(wait, settings.pollMs)
      await advance(...next)
      return 0
    } catch (error) {
      logger.warn({ err: error }, 'replays cannot continue now; trying again')
      return settings.retryMs
    }
  }

  const { start, wake, stop } = createTurns(turn)
  return {
    start,
    wake,
    async stop() {
      await stop()
      for (const id of active.keys()) await drop(id)
    },
  }
}
