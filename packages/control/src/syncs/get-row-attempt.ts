import type { methods, SyncRowAttempt } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readSync, readSyncRun } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

type Found = Omit<SyncRowAttempt, 'time'> & { time_ms: number }

/**
 * Returns the last attempt to deliver a row of a run, from the delivery log. Returns null if there is none yet, or it
 * is no longer stored.
 */
export const getSyncRowAttempt =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.syncRuns.getRowAttempt> =>
  async ({ workspace, params, signal }) => {
    const run = await readSyncRun(db, workspace.id, params)
    const { destination_id } = await readSync(db, workspace.id, run.sync_id)
    // The run has no destination: its rows become events and are not delivered themselves.
    if (destination_id === null) return { attempt: null }
    const [found] = await eventStore.query<Found>(
      `select toUnixTimestamp64Milli(time) as time_ms, attempt, http_status, latency_ms, reason, request, response
       from deliveries where workspace_id = {workspace:String} and destination_id = {destination:String}
         and event_id = {id:String} order by time desc, attempt desc limit 1`,
      { workspace: workspace.id, destination: destination_id, id: `${run.id}.${params.row}` },
      { owner: workspace.id, slot: 'short', signal },
    )
    if (found === undefined) return { attempt: null }
    const { time_ms, attempt, http_status, latency_ms, ...told } = found
    return {
      attempt: {
        ...told,
        time: new Date(Number(time_ms)).toISOString(),
        attempt: Number(attempt),
        http_status: Number(http_status),
        latency_ms: Number(latency_ms),
      },
    }
  }
