import { endedSyncRuns } from '@tributary/contract'
import { sql } from 'kysely'
import { alertsOf, presentRun } from '../read.ts'
import type { SyncServices } from '../services.ts'
import { alertedBefore } from './alert.ts'
import { slowAlertOf } from './alert-of.ts'
import { type NotifyDeps, notifyOfSync } from './notify.ts'

/**
 * Sends one alert for each active run that takes longer than its sync allows, unless the previous run also had an
 * alert. Call this function each minute.
 */
export const alertSlowRuns = async (deps: NotifyDeps & Pick<SyncServices, 'db' | 'live'>): Promise<void> => {
  const { db, clock, live } = deps
  const now = clock()
  const slow = await db
    .selectFrom('sync_runs')
    .innerJoin('syncs', 'syncs.id', 'sync_runs.sync_id')
    .selectAll('sync_runs')
    .select(['syncs.title', 'syncs.alerts'])
    .where('sync_runs.state', 'not in', [...endedSyncRuns, 'canceling'])
    .where('sync_runs.alert', '=', '')
    .where(
      'sync_runs.start_time',
      '<',
      sql<Date>`${new Date(now)}::timestamptz - make_interval(mins => (syncs.alerts::json ->> 'minutes')::int)`,
    )
    .execute()
  for (const { title, alerts, ...run } of slow) {
    const alert = slowAlertOf(alertsOf({ alerts }), now - Number(run.start_time))
    const announce = await db.transaction().execute(async (tx) => {
      const taken = await tx
        .updateTable('sync_runs')
        .set({ alert })
        .where('id', '=', run.id)
        .where('alert', '=', '')
        .where('state', 'not in', [...endedSyncRuns, 'canceling'])
        .returning('id')
        .executeTakeFirst()
      if (taken === undefined || (await alertedBefore(tx, run))) return undefined
      const link = `/${presentRun(run).name}`
      return await notifyOfSync(tx, deps, {
        type: 'sync.alert',
        sync: { id: run.sync_id, workspace_id: run.workspace_id, title },
        run: link.slice(1),
        what: 'needs attention',
        body: run.state === 'needs_approval' ? `${alert}. It needs approval.` : `${alert}.`,
        link,
        cause: `${link}/slow`,
      })
    })
    announce?.(live)
  }
}
