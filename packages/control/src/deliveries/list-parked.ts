import { everyRole, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type SqlBool, sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { createdCursor, openPage } from '../paging.ts'
import { requireWorkspace } from '../workspace-access.ts'

/** The time of a row to the millisecond, as a cursor carries it. */
const parkedTime = sql<Date>`date_trunc('milliseconds', first_time)`

/** What is parked for a destination, latest first. */
export const listParkedDeliveries =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.deliveries.listParked> =>
  async ({ actor, params, query }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, everyRole)
    const { id } = await readDestination(db, workspace.id, params.destination)
    const page = openPage('deliveries.listParked', params, query, createdCursor)
    const { after } = page
    const { state } = query
    const found = await db
      .selectFrom('parked_deliveries')
      .selectAll()
      .where('destination_id', '=', id)
      .where('workspace_id', '=', workspace.id)
      .$if(state !== undefined, (select) => select.where('state', '=', state ?? 'waiting'))
      .$if(after !== undefined, (select) =>
        select.where(sql<SqlBool>`(${parkedTime}, id) < (${after?.[0] ?? ''}::timestamptz, ${after?.[1] ?? ''}::uuid)`),
      )
      .orderBy(parkedTime, 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, (row) => [row.first_time.toISOString(), row.id])
    return {
      parked_deliveries: rows.map((row) => ({
        name: resourceNames.parkedDelivery.format({
          workspace: workspace.id,
          destination: id,
          parked_delivery: row.id,
        }),
        source: resourceNames.source.format({ workspace: workspace.id, source: row.source_id }),
        destination: resourceNames.destination.format({ workspace: workspace.id, destination: id }),
        state: row.state,
        event_count: row.event_count,
        attempts: row.attempts,
        first_time: row.first_time.toISOString(),
        next_time: row.next_time.toISOString(),
        last_status: row.last_status,
        last_reason: row.last_reason,
        request: row.request,
        response: row.response,
      })),
      next_page_token: next,
    }
  }
