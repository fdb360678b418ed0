import { endedSyncRuns, sentSyncRuns, syncLimits } from '@tributary/contract'
import { alertSlowRuns } from './alerts/alert-slow-runs.ts'
import { beginRun, queueSync } from './begin-run.ts'
import { dryRunJob } from './dry-runs/begin.ts'
import { unfinishedDryRuns } from './dry-runs/read.ts'
import { notifyStalledSyncs } from './notify-stalled.ts'
import { nextRunTime } from './schedule.ts'
import type { SyncServices } from './services.ts'
import { clearOrphans } from './store.ts'

/** Time in ms for which the rows of the last run of a sync are stored, to show how rows change. */
const keptMs = 7 * 24 * 60 * 60_000
/** Time in ms for which the rows of a dry run are stored. */
const shownMs = 60 * 60_000

type Deps = Pick<SyncServices, 'db' | 'eventStore' | 'jobs' | 'clock' | 'live' | 'publicUrl'>

/** Minimum difference in ms that shows that a clock was set back. The clocks of two servers differ by less. */
const backwardsMs = 5 * 60_000

/**
 * Computes the next run times of syncs again if the clock was ahead when they were computed. Otherwise these syncs
 * would wait too long.
 */
const setBack = async ({ db, clock }: Deps): Promise<void> => {
  const now = clock()
  const ahead = await db
    .selectFrom('syncs')
    .select(['id', 'interval_minutes', 'cron', 'cron_time_zone'])
    .where('next_run_from', '>', new Date(now + backwardsMs))
    .execute()
  for (const { id, ...schedule } of ahead)
    await db
      .updateTable('syncs')
      .set({ next_run_time: nextRunTime(schedule, now), next_run_from: new Date(now) })
      .where('id', '=', id)
      .where('next_run_from', '>', new Date(now + backwardsMs))
      .execute()
}

/**
 * Starts the runs that are due. After several missed times, only one run starts. A sync whose previous run has not
 * ended starts no run, and shows the reason.
 */
const beginDue = async ({ db, jobs, clock }: Deps): Promise<void> => {
  const now = clock()
  const due = await db
    .selectFrom('syncs')
    .select(['id', 'interval_minutes', 'cron', 'cron_time_zone'])
    .where('next_run_time', '<=', new Date(now))
    .where('paused', '=', false)
    .execute()
  for (const { id, ...schedule } of due)
    await db.transaction().execute(async (tx) => {
      const taken = await tx
        .updateTable('syncs')
        .set({ next_run_time: nextRunTime(schedule, now), next_run_from: new Date(now) })
        .where('id', '=', id)
        .where('next_run_time', '<=', new Date(now))
        .where('paused', '=', false)
        .returning('id')
        .executeTakeFirst()
      // Another process has started the run.
      if (taken === undefined) return
      const begun = await beginRun(tx, jobs, id, { trigger: 'schedule', resync: false, time: new Date(now) })
      const schedule_state = begun === undefined ? 'not_ended' : 'on_time'
      await tx.updateTable('syncs').set({ schedule_state, schedule_title: '' }).where('id', '=', id).execute()
    })
}

/**
 * Starts the syncs that are due, and notifies users of slow runs and of syncs that cannot start. Continues runs whose
 * process was killed or that wait for their destination. Removes the rows of deleted runs and syncs from the event
 * store. Call this function each minute.
 */
export const queueDueSyncs = async (deps: Deps): Promise<void> => {
  const { db, eventStore, jobs, clock } = deps
  const now = clock()
  await setBack(deps)
  await beginDue(deps)
  await notifyStalledSyncs(deps)
  await alertSlowRuns(deps)
  const open = await db
    .selectFrom('sync_runs')
    .select('sync_id')
    .where('state', 'not in', [...endedSyncRuns, 'needs_approval'])
    .execute()
  for (const { sync_id } of open) await queueSync(db, jobs, sync_id)
  await db
    .deleteFrom('sync_dry_runs')
    .where((where) =>
      where.or([
        where('finish_time', '<', new Date(now - shownMs)),
        where('create_time', '<', new Date(now - shownMs - dryRunJob.maxSeconds * 1000)),
      ]),
    )
    .execute()
  await clearOrphans(eventStore, async () => {
    const syncs = await db.selectFrom('syncs').select('id').execute()
    const dryRuns = await db
      .selectFrom('sync_dry_runs')
      .select('id')
      .where('state', 'in', [...unfinishedDryRuns])
      .execute()
    const runs = await db
      .selectFrom('sync_runs')
      .innerJoin('syncs', 'syncs.id', 'sync_runs.sync_id')
      .select(['sync_runs.id', 'sync_runs.sync_id', 'sync_runs.state', 'sync_runs.finish_time'])
      .whereRef('sync_runs.number', '>', (query) => query.eb('syncs.run_number', '-', syncLimits.runs))
      .orderBy('sync_runs.number')
      .execute()
    const underWay = [...dryRuns, ...runs.filter(({ state }) => !endedSyncRuns.includes(state))]
    const lastSent = new Map(
      runs
        .filter(({ state, finish_time }) => sentSyncRuns.includes(state) && Number(finish_time) > now - keptMs)
        .map(({ sync_id, id }) => [sync_id, id]),
    )
    return {
      syncs: new Set(syncs.map(({ id }) => id)),
      runs: new Set([...runs, ...dryRuns].map(({ id }) => id)),
      staged: new Set([...underWay.map(({ id }) => id), ...lastSent.values()]),
    }
  })
}
