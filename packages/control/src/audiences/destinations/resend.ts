import { audit } from '@tributary/api-kit'
import { audienceName, countFill, readAudience, setConnection } from '@tributary/audiences'
import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { destinationIdOf } from './connect.ts'

/**
 * Sends a destination the members of an audience again, as of the last entry or exit that it received. Sends the later
 * entries and exits afterwards, so that the destination is up to date at the end. This counts as a new run of the
 * connection.
 */
export const resendAudience =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.audiences.resend> =>
  async ({ workspace, params, body }) => {
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
      await setConnection(tx, row.id, {
        state: 'filling',
        first_change: row.sent_change,
        fill_total: count,
        fill_sent: 0,
        fill_cursor: null,
        run: row.run + 1,
        run_time: time,
      })
      await audit(tx, audienceName(workspace.id, audience.id), { destination: body.destination, profiles: count })
      return { fill_count: count }
    })
  }
