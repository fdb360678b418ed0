import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { readDestination } from '../../destinations/read.ts'
import { audienceName, readAudience } from '../read.ts'
import { destinationIdOf } from './connect.ts'

/** Ends the sending of who was in when a destination was connected; changes are sent from now on. */
export const cancelAudienceFill =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.audiences.cancelFill> =>
  async ({ actor, workspace, params, body }) => {
    const audience = await readAudience(db, workspace.id, params.audience)
    const destination = await readDestination(db, workspace.id, destinationIdOf(workspace.id, body.destination))
    await db.transaction().execute(async (tx) => {
      const found = await tx
        .updateTable('audience_destinations')
        .set({ state: 'live' })
        .where('audience_id', '=', audience.id)
        .where('destination_id', '=', destination.id)
        .returning('id')
        .executeTakeFirst()
      if (found === undefined) throw notFound('destination not found')
      await audit(tx, {
        actor,
        action: 'audiences.cancelFill',
        resource: audienceName(workspace.id, audience.id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { destination: body.destination },
        time: new Date(clock()),
      })
    })
    return {}
  }
