import { setTimeout as pause } from 'node:timers/promises'
import { spreadChange } from '@tributary/configuration'
import type { Clock, Logger } from '@tributary/kernel'
import { type LogPosition, logPartitions, partitionsOf, type Relational } from '@tributary/storage'

/**
 * Maximum time in ms for preparing a change, while events are accepted. It is long because the message IDs of a day are
 * read.
 */
const prepareMs = 6 * 3_600_000
/** Maximum time that a workspace's requests are paused, ms. */
const pausedMs = 60_000
const pollMs = 50
/** Length in ms of the last period whose requests are learned while requests are paused. */
const catchUpMs = 5000
/**
 * Maximum waits in ms for deliveries that were never tried. A destination that is slow or away delays a change no longer
 * than this.
 */
const untriedMs = { learning: 30_000, paused: 3000 }
/** Pause between two looks for untried deliveries, ms: each look can read many waiting rows. */
const untriedPollMs = 250
/** Delay before a failed preparation is retried, ms. A group of partitions may have no owner for a while. */
const prepareAgainMs = 2000

/**
 * Which message IDs are learned: those of everything stored before these positions (`formatRecordPlaces`; '' if they
 * were unknown). Later records were appended to the log from `since` on, epoch ms.
 */
export type Learned = { since: number; places: string }

export type SpreadChangeDeps = {
  db: Relational['db']
  /** Brings this process's configuration cache up to date. */
  refresh(): Promise<void>
  /**
   * For each process that accepts requests, the changes for which it has paused (`Pauses`). Rejects while a missing
   * process may still accept some.
   */
  paused(): Promise<readonly (readonly string[])[]>
  /** Resolves when all requests of a workspace that are now in the log are stored. */
  whenStored(workspaceId: string, signal: AbortSignal): Promise<void>
  /** Returns the positions before which everything of a workspace is stored (`formatRecordPlaces`). */
  storedBefore(workspaceId: string): Promise<string>
  /**
   * Makes the owners of the workspace's partitions learn its message IDs: those after `learned`, or all in the
   * deduplication window if it is undefined.
   */
  refill(workspaceId: string, learned: Learned | undefined, signal: AbortSignal): Promise<void>
  /** The current end of the stream, by partition. */
  ends(): Promise<readonly number[]>
  /** The consumers of the stream, each with a function for its next offset by partition. */
  readers: Readonly<Record<string, () => Promise<readonly LogPosition[]>>>
  /** Whether deliveries of a workspace wait in the database that were never tried. */
  hasUntried(workspaceId: string): Promise<boolean>
  clock: Clock
  logger: Logger
  /** Aborted when this process ends. */
  stopping: AbortSignal
}

export type SpreadChange = {
  workspaceId: string
  next: number
  widest: number
  changeTime: Date
  /** When its requests were paused; null if they are not. */
  pauseTime: Date | null
}

/** Thrown if another process continued a change while this process was away: the change now belongs to that process. */
class EndedElsewhere extends Error {
  override readonly name = 'EndedElsewhere'
  override readonly message = 'Another process went on with the change of a spread'
}

/** Waits until a condition holds; `what` describes it for users. */
const until = async (what: string, holds: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
  while (!(await holds())) {
    if (signal.aborted) throw new Error(`Waited too long until ${what}`)
    await pause(pollMs)
  }
}

/** Resolves when all consumers of the stream have read what these partitions contain now. */
const whenRead = async (
  { ends, readers }: Pick<SpreadChangeDeps, 'ends' | 'readers'>,
  partitions: readonly number[],
  signal: AbortSignal,
): Promise<void> => {
  const reached = await ends()
  for (const [name, positions] of Object.entries(readers))
    await until(
      `${name} had read its events`,
      async () => {
        const next = new Map((await positions()).map(({ partition, offset }) => [partition, offset]))
        return partitions.every((partition) => (next.get(partition) ?? 0) >= (reached[partition] ?? 0))
      },
      signal,
    )
}

/**
 * Waits until no delivery of a workspace waits that was never tried. A later event of its user, which is in another
 * partition after the change, would otherwise overtake it. Resolves to whether this is so within the time.
 */
const whenTried = async (
  { hasUntried, clock }: Pick<SpreadChangeDeps, 'hasUntried' | 'clock'>,
  workspaceId: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const end = clock() + withinMs
  while (await hasUntried(workspaceId)) {
    signal.throwIfAborted()
    if (clock() >= end) return false
    await pause(untriedPollMs)
  }
  return true
}

/**
 * Selects a change only while it is open. A change that has ended is not updated. It may have ended although the
 * response was lost, or another main process may have ended it.
 */
const unended = ({ db }: Pick<SpreadChangeDeps, 'db'>, { workspaceId, next, changeTime }: SpreadChange) =>
  db
    .updateTable('workspace_spreads')
    .where('workspace_id', '=', workspaceId)
    .where('next', '=', next)
    .where('change_time', '=', changeTime)

/** @throws EndedElsewhere unless the change's requests are still paused since `pauseTime` */
const requirePaused = async (
  { db }: Pick<SpreadChangeDeps, 'db'>,
  { workspaceId, next, changeTime }: SpreadChange,
  pauseTime: Date,
): Promise<void> => {
  const row = await db
    .selectFrom('workspace_spreads')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .where('next', '=', next)
    .where('change_time', '=', changeTime)
    .where('pause_time', '=', pauseTime)
    .executeTakeFirst()
  if (row === undefined) throw new EndedElsewhere()
}

/** Records why a change does not proceed; resolves to the text. */
const noteProblem = async (
  deps: Pick<SpreadChangeDeps, 'db'>,
  change: SpreadChange,
  error: unknown,
  values: { next?: null; pause_time?: null } = {},
): Promise<string> => {
  const problem = error instanceof Error ? error.message : String(error)
  await unended(deps, change)
    .set({ ...values, problem })
    .execute()
  return problem
}

/** Waits until everything in the log is stored. Resolves to the message IDs that a refill from then on learns. */
const storedNow = async (
  { clock, whenStored, storedBefore }: SpreadChangeDeps,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Learned> => {
  const since = clock()
  await whenStored(workspaceId, signal)
  return { since, places: await storedBefore(workspaceId) }
}

/**
 * Repeats the refill for message IDs that arrived during the last refill, until nearly none are left. Resolves to what
 * is learned.
 */
const catchUp = async (
  deps: SpreadChangeDeps,
  workspaceId: string,
  from: Learned,
  signal: AbortSignal,
): Promise<Learned> => {
  let learned = from
  for (;;) {
    const missingMs = deps.clock() - learned.since
    if (missingMs <= catchUpMs) return learned
    const next = await storedNow(deps, workspaceId, signal)
    await deps.refill(workspaceId, learned, signal)
    learned = next
    // A further refill would not be faster: IDs arrive as fast as they are learned.
    if (deps.clock() - learned.since > 0.9 * missingMs) return learned
  }
}

/** The result of the preparation of a workspace, before its requests are paused. */
type Prepared = {
  learned: Learned
  /** Whether its destinations take events. If not, untried deliveries are not awaited while requests are paused. */
  isDelivering: boolean
}

/** Makes the owners learn the message IDs while events are accepted as usual. */
const prepare = async (deps: SpreadChangeDeps, change: SpreadChange): Promise<Prepared> => {
  const { workspaceId, widest, changeTime } = change
  const left = (): number => prepareMs - (deps.clock() - changeTime.getTime())
  for (;;) {
    const signal = AbortSignal.any([deps.stopping, AbortSignal.timeout(Math.max(0, left()))])
    try {
      // As long as a process is missing, nothing is paused.
      await deps.paused()
      // Also learns events that were accepted earlier and may have waited for a long time.
      const learned = await storedNow(deps, workspaceId, signal)
      await whenRead(deps, partitionsOf(workspaceId, widest, logPartitions), signal)
      await deps.refill(workspaceId, undefined, signal)
      const isDelivering = await whenTried(deps, workspaceId, untriedMs.learning, signal)
      return { learned: await catchUp(deps, workspaceId, learned, signal), isDelivering }
    } catch (error) {
      if (deps.stopping.aborted || left() < 0) throw error
      await noteProblem(deps, change, error)
      deps.logger.info({ error: String(error) }, 'A change of a spread is prepared again')
      await pause(prepareAgainMs, undefined, { signal: deps.stopping })
    }
  }
}

/** Moves a workspace whose requests are paused, after the message IDs of `learned`. */
const move = async (
  deps: SpreadChangeDeps,
  change: SpreadChange,
  pauseTime: Date,
  { learned, isDelivering }: Prepared,
): Promise<void> => {
  const { clock } = deps
  const { workspaceId, next, widest } = change
  const left = pausedMs - (clock() - pauseTime.getTime())
  if (left <= 0) throw new Error('The process that made it ended in the middle')
  const signal = AbortSignal.any([deps.stopping, AbortSignal.timeout(left)])
  const name = spreadChange(workspaceId, pauseTime)
  const whenPaused = (): Promise<void> =>
    until(
      'all processes that collect had paused',
      async () => {
        await requirePaused(deps, change, pauseTime)
        return (await deps.paused()).every((changes) => changes.includes(name))
      },
      signal,
    )
  await whenPaused()
  await deps.whenStored(workspaceId, signal)
  await whenRead(deps, partitionsOf(workspaceId, widest, logPartitions), signal)
  await deps.refill(workspaceId, learned, signal)
  if (isDelivering) await whenTried(deps, workspaceId, untriedMs.paused, signal)
  // A process may have started in the meantime.
  await whenPaused()
  signal.throwIfAborted()
  const { numUpdatedRows } = await unended(deps, change)
    .set({ spread: next, next: null, pause_time: null, problem: '' })
    .where('pause_time', '=', pauseTime)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new EndedElsewhere()
  const ms = clock() - pauseTime.getTime()
  deps.logger.info({ workspaceId, partitions: next, pausedMs: ms }, 'A workspace was spread anew')
}

/**
 * Changes the number of partitions that a workspace is spread over (ADR 74), or continues a change of another process.
 * First the future owners of the workspace's partitions learn its message IDs, while its events are accepted as usual.
 * Then its requests are paused: accepted requests are stored, read by all consumers of the stream, and tried at the
 * destinations that take events, and the last IDs are learned. Only then are events appended to other partitions. So each event is stored once, and in the order of its
 * user, even if processes are killed at any time. A change that takes too long is abandoned without effect. Rejects if
 * that cannot be recorded.
 */
export const changeSpread = async (deps: SpreadChangeDeps, change: SpreadChange): Promise<void> => {
  const { clock, logger } = deps
  const { workspaceId } = change
  try {
    if (change.pauseTime !== null)
      await move(deps, change, change.pauseTime, {
        learned: { since: change.changeTime.getTime(), places: '' },
        isDelivering: true,
      })
    else {
      const prepared = await prepare(deps, change)
      const pauseTime = new Date(clock())
      const { numUpdatedRows } = await unended(deps, change)
        .set({ pause_time: pauseTime })
        .where('pause_time', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows !== 1n) throw new EndedElsewhere()
      await deps.refresh()
      await move(deps, change, pauseTime, prepared)
    }
  } catch (error) {
    // The next main process continues the change.
    if (deps.stopping.aborted) return
    if (error instanceof EndedElsewhere) return logger.warn({ workspaceId }, error.message)
    const problem = await noteProblem(deps, change, error, { next: null, pause_time: null })
    logger.warn({ workspaceId, problem }, 'The change of a spread was given up, and nothing has changed')
  }
  await deps.refresh()
}
