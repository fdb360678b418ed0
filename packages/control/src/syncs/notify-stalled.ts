import { editors, endedSyncRuns } from '@tributary/contract'
import type { ControlDeps } from '../deps.ts'
import { notify } from '../notifications/notify.ts'
import { notEnded } from './end-run.ts'
import { presentRun, syncName } from './read.ts'

/**
 * Notifies those who may do something, administrators and collaborators, of each sync that did not run when its schedule
 * said, because a run has not ended: once for each such run.
 */
export const notifyStalledSyncs = async ({
  db,
  clock,
  live,
}: Pick<ControlDeps, 'db' | 'clock' | 'live'>): Promise<void> => {
  const stalled = await db
    .selectFrom('syncs')
    .innerJoin('sync_runs', 'sync_runs.sync_id', 'syncs.id')
    .innerJoin('workspaces', 'workspaces.id', 'syncs.workspace_id')
    .selectAll('sync_runs')
    .select(['syncs.title', 'workspaces.organization_id'])
    .where('syncs.schedule_note', '=', notEnded)
    .where('syncs.paused', '=', false)
    .where('sync_runs.state', 'not in', [...endedSyncRuns])
    .execute()
  for (const run of stalled) {
    const people = await db
      .selectFrom('memberships')
      .select('user_id')
      .where('organization_id', '=', run.organization_id)
      .where('role', 'in', editors)
      .execute()
    const announce = await db.transaction().execute((tx) =>
      notify(
        tx,
        people.map(({ user_id }) => user_id),
        {
          organizationId: run.organization_id,
          kind: 'sync_stalled',
          title: `${run.title} is not running on schedule`,
          body:
            run.state === 'needs_approval'
              ? `A run needs approval: ${run.message}.`
              : 'The run before has not ended. The sync runs again when it has.',
          link: `/${syncName(run.workspace_id, run.sync_id)}`,
          cause: `${presentRun(run).name}/stalled`,
          now: clock(),
        },
      ),
    )
    announce(live)
  }
}
