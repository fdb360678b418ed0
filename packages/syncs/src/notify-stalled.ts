import { endedSyncRuns } from '@tributary/contract'
import { type NotifyDeps, notifyOfSync } from './alerts/notify.ts'
import { presentRun, syncName } from './read.ts'
import type { SyncServices } from './services.ts'

type Deps = NotifyDeps & Pick<SyncServices, 'db' | 'live'>

/** Notifies users of each sync that missed its schedule because a run has not ended: once for each such run. */
const notifyOfWaiting = async (deps: Deps): Promise<void> => {
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
      return await notifyOfSync(tx, deps, {
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

/** Notifies users of each sync that will not run because its predecessor was deleted. */
const notifyOfLeft = async (deps: Deps): Promise<void> => {
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
      return await notifyOfSync(tx, deps, {
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
 * Notifies administrators and collaborators of syncs that do not run on schedule, once for each. These are syncs whose
 * run has not ended when the next is due, and syncs whose predecessor was deleted.
 */
export const notifyStalledSyncs = async (deps: Deps): Promise<void> => {
  await notifyOfWaiting(deps)
  await notifyOfLeft(deps)
}
