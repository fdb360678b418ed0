import { audit, isId, parseReference } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { retryParked } from '@tributary/storage'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { groupIdOf, inGroup } from '../failure-groups/read.ts'

const parkedIdOf = (name: string, place: { workspaceId: string; destinationId: string }): string => {
  const ids = parseReference(resourceNames.parkedDelivery, 'parked_delivery', name)
  if (ids.workspace !== place.workspaceId || ids.destination !== place.destinationId || !isId(ids.parked_delivery))
    throw notFound('parked delivery not found')
  return ids.parked_delivery
}

/**
 * Makes all or some parked events of a destination due now. Events that no longer exist cause no error. Dead letters
 * get the full retry time again, and no longer belong to a replay that had selected them.
 */
export const retryDestination =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.destinations.retry> =>
  async ({ workspace, params, body }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    const states = body.state === undefined ? ['waiting', 'dead'] : [body.state]
    const place = { workspaceId: workspace.id, destinationId: id }
    const group = body.failure_group === undefined ? undefined : groupIdOf('failure_group', body.failure_group, place)
    const parked = body.parked_delivery === undefined ? undefined : parkedIdOf(body.parked_delivery, place)
    const which = sql.join(
      [
        sql`destination_id = ${id} and workspace_id = ${workspace.id} and state = any(${states}::text[])`,
        ...(group === undefined ? [] : [inGroup(group)]),
        ...(parked === undefined ? [] : [sql`id = ${parked}`]),
      ],
      sql` and `,
    )
    return await db.transaction().execute(async (tx) => {
      const event_count = await retryParked(tx, which, time)
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: id }), {
        states,
        event_count,
        ...(group === undefined ? {} : { failure_group: group }),
        ...(parked === undefined ? {} : { parked_delivery: parked }),
      })
      return { event_count }
    })
  }
