import { spreadPause } from '@tributary/configuration'
import type { Logger } from '@tributary/kernel'
import type { Relational } from '@tributary/storage'
import { repeatTask } from '../repeat-task.ts'

/** Time in ms that is longer than a main process pauses requests, as measured by this process. */
const orphanedMs = 75_000
const lookMs = 2000

/**
 * Aborts spread changes that have paused requests for longer than a main process would. The main process of such a
 * change has ended, and no other one continues it. The abort changes no spread, and a later main process reads it from
 * the row. `changes` returns the names of the changes that are open here.
 */
export const endOrphanedChanges = ({
  db,
  changes,
  logger,
  everyMs = lookMs,
  afterMs = orphanedMs,
}: {
  db: Relational['db']
  changes: () => readonly string[]
  logger: Pick<Logger, 'warn'>
  everyMs?: number
  afterMs?: number
}): { stop(): Promise<void> } => {
  /** The time at which each change was first seen, by a monotonic clock. */
  const known = new Map<string, number>()
  const giveUp = async (change: string): Promise<void> => {
    const { workspaceId, time } = spreadPause(change)
    const { numUpdatedRows } = await db
      .updateTable('workspace_spreads')
      .set({ next: null, pause_time: null, problem: 'The process that made it ended in the middle' })
      .where('workspace_id', '=', workspaceId)
      .where('pause_time', '=', time)
      .executeTakeFirst()
    if (numUpdatedRows === 1n)
      logger.warn(
        { workspaceId },
        'no process went on with the change of a spread: it was given up, and nothing has changed',
      )
  }
  return repeatTask(everyMs, async () => {
    const open = changes()
    for (const change of known.keys()) if (!open.includes(change)) known.delete(change)
    for (const change of open) {
      const since = known.get(change) ?? performance.now()
      known.set(change, since)
      // If the database is down, this is retried.
      if (performance.now() - since > afterMs) await giveUp(change).catch(() => {})
    }
  })
}
