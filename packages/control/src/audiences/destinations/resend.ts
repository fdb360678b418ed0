import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { readDestination } from '../../destinations/read.ts'
import { audienceName, readAudience } from '../read.ts'
import { countFill } from './changes.ts'
import { destinationIdOf } from './connect.ts'

/**
 * Sends a destination again who is in an audience, as of the last change that it was told of: changes behind it follow, so that it is
 * right at the end. A run of its own within the connection.
 */
export const resendAudience =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.audiences.resend> =>
  async ({ actor, workspace, params, body }) => {
    const audience = await readAudience(db, workspace.id, params.audience)
    const destination = await readDestination(db, workspace.id, destinationIdOf(workspace.id, body.destination))
    const time = new Date(clock())
    return await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('audience_destinations')
        .select(['id', 'state', 'sent_change', 'run'])
        .where('audience_id', '=', audience.id)
        .where('destination_id', '=', destination.id)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('destination not found')
      if (row.state === 'filling')
        throw conflict('ALREADY_SENDING', `The profiles are being sent to ${destination.title} already`)
      const count = await countFill(tx, audience.id, row.sent_change)
      await tx
        .updateTable('audience_destinations')
        .set({
          state: 'filling',
          first_change: row.sent_change,
          fill_total: count,
          fill_sent: 0,
          fill_cursor: null,
          run: row.run + 1,
          run_time: time,
        })
        .where('id', '=', row.id)
        .execute()
      await audit(tx, {
        actor,
        action: 'audiences.resend',
        resource: audienceName(workspace.id, audience.id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { destination: body.destination, profiles: count },
        time,
      })
      return { fill_count: count }
    })
  }
