import { editors, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { audit } from '../audit.ts'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { readDestination } from './read.ts'

/** Makes what is parked for a destination due now. What was dead gets the whole time for retries anew. */
export const retryDestination =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.destinations.retry> =>
  async ({ actor, params, body }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, editors)
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    const states = body.state === undefined ? ['waiting', 'dead'] : [body.state]
    return await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ event_count: string }>`
        with due as (
          update parked_deliveries set
            next_time = ${time}::timestamptz, state = 'waiting',
            first_time = case state when 'dead' then ${time}::timestamptz else first_time end,
            attempts = case state when 'dead' then 0 else attempts end
          where destination_id = ${id} and workspace_id = ${workspace.id} and state = any(${states}::text[])
          returning event_count)
        select coalesce(sum(event_count), 0) as event_count from due`.execute(tx)
      const event_count = Number(rows[0]?.event_count ?? 0)
      await audit(tx, {
        actor,
        action: 'destinations.retry',
        resource: resourceNames.destination.format({ workspace: workspace.id, destination: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { states, event_count },
        time,
      })
      return { event_count }
    })
  }
