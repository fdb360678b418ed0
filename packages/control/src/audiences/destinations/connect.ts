import { audit, parseReference } from '@tributary/api-kit'
import { audienceName, countFill, insertConnection, readAudience } from '@tributary/audiences'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, newId, notFound } from '@tributary/kernel'
import { requireSameApp } from '@tributary/syncs'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { takesAudiences } from './takes-audiences.ts'

/**
 * Returns the ID of the destination that the body of a request names. Throws 400 for an invalid name, 404 for a
 * destination of another workspace.
 */
export const destinationIdOf = (workspaceId: string, name: string): string => {
  const { workspace, destination } = parseReference(resourceNames.destination, 'destination', name)
  if (workspace !== workspaceId) throw notFound('destination not found')
  return destination
}

/**
 * Connects a destination to an audience. The destination first gets the current members, and then each entry and exit.
 */
export const connectAudienceDestination =
  ({
    db,
    catalog,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.audiences.connectDestination> =>
  async ({ workspace, params, body }) => {
    const audience = await readAudience(db, workspace.id, params.audience)
    const destination = await readDestination(db, workspace.id, destinationIdOf(workspace.id, body.destination))
    if (!(await takesAudiences(catalog, destination.app)))
      throw badRequest('NO_AUDIENCES', `${destination.title} does not take audiences. Choose another destination`)
    const time = new Date(clock())
    return await db.transaction().execute(async (tx) => {
      await requireSameApp(tx, { kind: 'destination', ...destination })
      // The lock keeps the members of the audience unchanged until the transaction ends.
      await sql`select from audiences where id = ${audience.id}::uuid for update`.execute(tx)
      const { rows } = await sql<{ change: string }>`
        select coalesce(max(id), 0)::text as change from audience_changes where audience_id = ${audience.id}::uuid`.execute(
        tx,
      )
      const change = rows[0]?.change ?? '0'
      const count = body.changes_only ? 0 : await countFill(tx, audience.id, change)
      const connected = await insertConnection(tx, {
        id: newId(),
        workspace_id: workspace.id,
        audience_id: audience.id,
        destination_id: destination.id,
        state: body.changes_only ? 'live' : 'filling',
        first_change: change,
        fill_total: count,
        fill_cursor: null,
        sent_change: change,
        create_time: time,
      })
      if (!connected) throw conflict('ALREADY_CONNECTED', `${destination.title} is connected to this audience already`)
      await audit(tx, audienceName(workspace.id, audience.id), { destination: body.destination, profiles: count })
      return { fill_count: count }
    })
  }
