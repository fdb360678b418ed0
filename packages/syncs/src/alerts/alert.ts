import type { Announce, Tx } from '@tributary/api-kit'
import { type SyncRunState, sentSyncRuns } from '@tributary/contract'
import { unsentRows } from '../counts.ts'
import { readAll } from '../cursor.ts'
import { alertsOf, countsOf, presentRun, readSyncRun, type SyncRow, type SyncRunRow } from '../read.ts'
import { alertOf } from './alert-of.ts'
import { type NotifyDeps, notifyOfSync } from './notify.ts'

/** Number of runs that determine the usual number of rows. */
const usualRuns = 10

const quiet: Announce = () => {}

/** Selects the runs before a run that were not canceled, the latest first. */
const runsBefore = (tx: Tx, { sync_id, number }: Pick<SyncRunRow, 'sync_id' | 'number'>) => {
  const endedStates: readonly SyncRunState[] = [...sentSyncRuns, 'failed']
  return tx
    .selectFrom('sync_runs')
    .select(['state', 'counts', 'alert', 'rerun_of', 'cursor'])
    .where('sync_id', '=', sync_id)
    .where('number', '<', number)
    .where('state', 'in', [...endedStates])
    .orderBy('number', 'desc')
    .limit(usualRuns)
    .execute()
}

/** Whether the previous run had an alert, so that users were already notified. */
export const alertedBefore = async (tx: Tx, run: Pick<SyncRunRow, 'sync_id' | 'number'>): Promise<boolean> =>
  ((await runsBefore(tx, run))[0]?.alert ?? '') !== ''

/**
 * Notifies users when a run has just ended. Reports the first run with an alert by the rules of its sync, and the first
 * good run after it. An alert for a slow run is not repeated at its end. A canceled run reports nothing. Call the
 * returned function after the commit.
 */
export const alertRun = async (tx: Tx, deps: NotifyDeps, sync: SyncRow, id: string): Promise<Announce> => {
  const run = await readSyncRun(tx, sync.workspace_id, { sync: sync.id, run: id })
  if (run.state === 'canceled') return quiet
  const before = await runsBefore(tx, run)
  const counts = countsOf(run)
  const { start_time, finish_time } = run
  const rules = alertsOf(sync)
  const ended = {
    failed: run.state === 'failed',
    message: run.message,
    read: counts?.read ?? 0,
    rejected: counts?.rejected ?? 0,
    unsent: counts === null ? 0 : unsentRows(counts),
    milliseconds: start_time === null || finish_time === null ? null : Number(finish_time) - Number(start_time),
  }
  // The alert compares runs of the same kind only: it skips runs of rejected rows, and compares full runs with full
  // runs.
  const reads =
    run.rerun_of !== null
      ? []
      : before.flatMap((each) =>
          sentSyncRuns.includes(each.state) && each.rerun_of === null && readAll(each) === readAll(run)
            ? [countsOf(each)?.read ?? 0]
            : [],
        )
  const alert = alertOf(rules, ended, reads)
  const alertedUnderWay = run.alert !== ''
  // A failed run that was slow gets the alert for its duration, even if the sync sends no alerts for failures.
  if (alert !== '') await tx.updateTable('sync_runs').set({ alert }).where('id', '=', id).execute()
  const hadAlert = (before[0]?.alert ?? '') !== ''
  const recovered = hadAlert && !alertedUnderWay && alert === '' && sentSyncRuns.includes(run.state)
  const news = alertedUnderWay ? alertOf({ ...rules, minutes: null }, ended, reads) : alert
  if (news === '' ? !recovered : hadAlert) return quiet
  const link = `/${presentRun(run).name}`
  return await notifyOfSync(tx, deps, {
    type: recovered ? 'sync.recovered' : 'sync.alert',
    sync,
    run: link.slice(1),
    what: recovered ? 'has recovered' : 'needs attention',
    body: recovered ? 'The last run was as it should be.' : `${news}.`,
    link,
    cause: link,
  })
}
