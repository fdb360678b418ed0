import { cursorInteger, openPage } from '@tributary/api-kit'
import type { methods, SyncRunRow } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readSyncRun, shownChange } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** SQL for the last outcome of a row, from the log of outcomes and the planned operation. */
const outcome = `multiIf(change.change in ('invalid', 'duplicate'), 'invalid', told.status in ('dead', 'blocked'), 'rejected',
  change.operation = '', 'skipped', told.status = 'delivered', 'delivered', told.status = 'filtered', 'skipped',
  told.status = 'retry', 'retrying', {canceled:Bool}, 'not_sent', 'waiting')`

/** Lists the rows of a run that were changed or have a message, in the order in which they are sent. */
export const listSyncRunRows =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.syncRuns.listRows> =>
  async ({ workspace, params, query, signal }) => {
    const page = openPage('syncRuns.listRows', params, query, cursorInteger)
    const run = await readSyncRun(db, workspace.id, params)
    const found = await eventStore.query<SyncRunRow>(
      `select change.number as number, change.key as key, change.source_key as source_key, ${shownChange('change')} as change,
         change.operation as operation, ${outcome} as outcome,
         if(change.reason = '', told.reason, change.reason) as reason, change.rows as rows
       from sync_changes as change
       left join (
         select number, argMax(status, version) as status, argMax(reason, version) as reason
         from sync_outcomes where run_id = {run:String} group by number
       ) as told on told.number = change.number
       where change.run_id = {run:String} and change.number > {after:UInt64}
         ${query.key === undefined ? '' : 'and (change.key = {key:String} or change.source_key = {key:String})'}
         ${query.outcome === undefined ? '' : `and ${outcome} = {outcome:String}`}
       order by change.number limit {limit:UInt32}`,
      {
        run: run.id,
        after: page.after ?? 0,
        limit: page.size + 1,
        key: query.key ?? '',
        outcome: query.outcome ?? '',
        canceled: run.state === 'canceled',
      },
      { owner: workspace.id, slot: 'heavy', signal },
    )
    const { rows, next } = page.cut(found, ({ number }) => number)
    return { rows, next_page_token: next }
  }
