import type { Tx } from '@tributary/api-kit'
import { type SyncRunState, sentSyncRuns } from '@tributary/contract'
import type { Announce } from '../../notifications/notify.ts'
import { readAll } from '../cursor.ts'
import { alertsOf, countsOf, presentRun, readSyncRun, type SyncRow, type SyncRunRow } from '../read.ts'
import { alertOf } from './alert-of.ts'
import { type TellDeps, tellOfSync } from './tell.ts'

/** Runs that tell how many rows are usual. */
const usualRuns = 10

const quiet: Announce = () => {}

/** The runs before one that ended by themselves, the last first. */
const runsBefore = (tx: Tx, { sync_id, number }: Pick<SyncRunRow, 'sync_id' | 'number'>) => {
  const told: readonly SyncRunState[] = [...sentSyncRuns, 'failed']
  return tx
    .selectFrom('sync_runs')
    .select(['state', 'counts', 'alert', 'rerun_of', 'cursor'])
    .where('sync_id', '=', sync_id)
    .where('number', '<', number)
    .where('state', 'in', [...told])
    .orderBy('number', 'desc')
    .limit(usualRuns)
    .execute()
}

/** Whether the run before this one was not as it should be: then people know. */
export const alertedBefore = async (tx: Tx, run: Pick<SyncRunRow, 'sync_id' | 'number'>): Promise<boolean> =>
  ((await runsBefore(tx, run))[0]?.alert ?? '') !== ''

/**
 * Tells people, when a run has just ended, that it is the first one to be told of by the rules of its sync, or the first one after that to
 * be as it should be. That it takes too long is not told again where it was told while it was under way. A canceled run
 * says nothing. Call what it returns once the transaction is committed.
 */
export const alertRun = async (tx: Tx, deps: TellDeps, sync: SyncRow, id: string): Promise<Announce> => {
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
    milliseconds: start_time === null || finish_time === null ? null : Number(finish_time) - Number(start_time),
  }
  // A run of rejected rows alone tells nothing of how many are usual, nor does one of all rows where others read by a cursor.
  const reads =
    run.rerun_of !== null
      ? []
      : before.flatMap((each) =>
          sentSyncRuns.includes(each.state) && each.rerun_of === null && readAll(each) === readAll(run)
            ? [countsOf(each)?.read ?? 0]
            : [],
        )
  const alert = alertOf(rules, ended, reads)
  const toldUnderWay = run.alert !== ''
  // One that failed where nobody wants to hear of that was slow all the same.
  if (alert !== '') await tx.updateTable('sync_runs').set({ alert }).where('id', '=', id).execute()
  const toldBefore = (before[0]?.alert ?? '') !== ''
  const recovered = toldBefore && !toldUnderWay && alert === '' && sentSyncRuns.includes(run.state)
  const news = toldUnderWay ? alertOf({ ...rules, minutes: null }, ended, reads) : alert
  if (news === '' ? !recovered : toldBefore) return quiet
  const link = `/${presentRun(run).name}`
  return await tellOfSync(tx, deps, {
    type: recovered ? 'sync.recovered' : 'sync.alert',
    sync,
    run: link.slice(1),
    what: recovered ? 'has recovered' : 'needs attention',
    body: recovered ? 'The last run was as it should be.' : `${news}.`,
    link,
    cause: link,
  })
}
