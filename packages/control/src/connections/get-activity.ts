import { everyRole, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'

const dayMs = 24 * 3_600_000

type Row = { source_id: string; destination_id: string; delivered: number; failed: number }

/**
 * Deliveries and dead letters of the last 24 hours from each source to each destination. A dead letter that was
 * delivered by a retry counts as both: this is what happened, the overview of a destination tells what became of events.
 */
export const getConnectionActivity =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.connections.getActivity> =>
  async ({ actor, params, signal }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, everyRole)
    const rows = await eventStore.query<Row>(
      `select source_id, destination_id,
         countIf(status = 'delivered') as delivered, countIf(status = 'dead') as failed
       from deliveries
       where workspace_id = {workspace:String} and time >= fromUnixTimestamp64Milli({since:Int64})
         and status in ('delivered', 'dead')
       group by source_id, destination_id`,
      { workspace: workspace.id, since: clock() - dayMs },
      { owner: workspace.id, lane: 'short', signal },
    )
    return {
      activities: rows.map(({ source_id, destination_id, delivered, failed }) => ({
        source: resourceNames.source.format({ workspace: workspace.id, source: source_id }),
        destination: resourceNames.destination.format({ workspace: workspace.id, destination: destination_id }),
        delivered: Number(delivered),
        failed: Number(failed),
      })),
    }
  }
