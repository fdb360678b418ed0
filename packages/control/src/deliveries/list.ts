import { everyRole, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { cursorEventId, cursorInteger, cursorMs, openPage } from '../paging.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { parkedSummaries } from './parked-summaries.ts'
import { type DeliveryRow, deliveryColumns, presentDelivery } from './read.ts'

/** Newest first: time in epoch ms, then event and attempt. */
const deliveryCursor = z.tuple([cursorMs, cursorEventId, cursorInteger])

/** The attempts of a destination, newest first, and how much is parked for it. */
export const listDeliveries =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.deliveries.list> =>
  async ({ actor, params, query, signal }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, everyRole)
    const { id } = await readDestination(db, workspace.id, params.destination)
    const page = openPage('deliveries.list', params, query, deliveryCursor)
    const conditions = ['workspace_id = {workspace:String}', 'destination_id = {destination:String}']
    if (query.status !== undefined) conditions.push('status = {status:String}')
    if (page.after !== undefined) {
      conditions.push('time <= fromUnixTimestamp64Milli({after:Int64})')
      conditions.push(
        '(time, event_id, attempt) < (fromUnixTimestamp64Milli({after:Int64}), {after_id:String}, {after_attempt:UInt32})',
      )
    }
    const [after, after_id, after_attempt] = page.after ?? []
    const found = await eventStore.query<DeliveryRow>(
      `select ${deliveryColumns} from deliveries where ${conditions.join(' and ')}
       order by time desc, event_id desc, attempt desc limit {limit:UInt32}`,
      {
        workspace: workspace.id,
        destination: id,
        limit: page.size + 1,
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(page.after === undefined ? {} : { after, after_id, after_attempt }),
      },
      { owner: workspace.id, lane: 'short', signal },
    )
    const { rows, next } = page.cut(found, (row) => [Number(row.time_ms), row.event_id, Number(row.attempt)])
    return {
      deliveries: rows.map((row) => presentDelivery(workspace.id, row)),
      next_page_token: next,
      ...(await parkedSummaries(db, id)),
    }
  }
