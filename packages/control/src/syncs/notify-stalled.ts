import { endedSyncRuns } from '@tributary/contract'
import type { ControlDeps } from '../deps.ts'
import { type TellDeps, tellOfSync } from './alerts/tell.ts'
import { presentRun, syncName } from './read.ts'

type Deps = TellDeps & Pick<ControlDeps, 'db' | 'live'>

/** Tells of each sync that did not run when its schedule said, because a run has not ended: once for each such run. */
const tellOfWaiting = async (deps: Deps): Promise<void> => {
  const { db, live } = deps
  const stalled = await db
    .selectFrom('syncs')
    .innerJoin('sync_runs', 'sync_runs.sync_id', 'syncs.id')
    .selectAll('sync_runs')
    .select('syncs.title')
    .where('syncs.schedule_state', '=', 'not_ended')
    .where('syncs.paused', '=', false)
    .where('sync_runs.state', 'not in', [...endedSyncRuns])
    .where('sync_runs.told_stalled', '=', false)
    .execute()
  for (const { title, ...run } of stalled) {
    const announce = await db.transaction().execute(async (tx) => {
      const taken = await tx
        .updateTable('sync_runs')
        .set({ told_stalled: true })
        .where('id', '=', run.id)
        .where('told_stalled', '=', false)
        .returning('id')
        .executeTakeFirst()
      if (taken === undefined) return undefined
      return await tellOfSync(tx, deps, {
        type: 'sync.stalled',
        sync: { id: run.sync_id, workspace_id: run.workspace_id, title },
        run: presentRun(run).name,
        what: 'is not running on schedule',
        body:
          run.state === 'needs_approval'
            ? `A run needs approval: ${run.message}.`
            : 'The run before has not ended. The sync runs again when it has.',
        link: `/${syncName(run.workspace_id, run.sync_id)}`,
        cause: `${presentRun(run).name}/stalled`,
      })
    })
    announce?.(live)
  }
}

/** Tells of each sync that will not run because the one it ran after is gone. */
const tellOfLeft = async (deps: Deps): Promise<void> => {
  const { db, live } = deps
  const left = await db
    .selectFrom('syncs')
    .select('id')
    .where('schedule_state', '=', 'deleted')
    .where('schedule_told', '=', false)
    .execute()
  for (const { id } of left) {
    const announce = await db.transaction().execute(async (tx) => {
      const sync = await tx
        .updateTable('syncs')
        .set({ schedule_told: true })
        .where('id', '=', id)
        .where('schedule_state', '=', 'deleted')
        .where('schedule_told', '=', false)
        .returning(['id', 'workspace_id', 'title', 'schedule_title'])
        .executeTakeFirst()
      if (sync === undefined) return undefined
      return await tellOfSync(tx, deps, {
        type: 'sync.stalled',
        sync,
        run: '',
        what: 'is not running on schedule',
        body: `It ran after ${sync.schedule_title}, which was deleted. Choose another schedule.`,
        link: `/${syncName(sync.workspace_id, id)}`,
        cause: '',
      })
    })
    announce?.(live)
  }
}

/**
 * Tells administrators and collaborators of syncs that do not run on schedule: of those whose run has not ended when the next is
 * due, and of those whose predecessor was deleted, each once.
 */
export const notifyStalledSyncs = async (deps: Deps): Promise<void> => {
  await tellOfWaiting(deps)
  await tellOfLeft(deps)
}
