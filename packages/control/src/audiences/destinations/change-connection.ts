import { audit, type Tx } from '@tributary/api-kit'
import { audienceName, type ConnectionEnds, endFill, readAudience, removeConnection } from '@tributary/audiences'
import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { destinationIdOf } from './connect.ts'

/** Changes a connection in a transaction; resolves to false if there is none. */
type Change = (tx: Tx, ends: ConnectionEnds) => Promise<boolean>

const changeOf =
  (change: Change) =>
  ({
    db,
  }: Pick<ControlDeps, 'db'>): Handler<
    typeof methods.audiences.cancelFill | typeof methods.audiences.disconnectDestination
  > =>
  async ({ workspace, params, body }) => {
    const audience = await readAudience(db, workspace.id, params.audience)
    const destination = await readDestination(db, workspace.id, destinationIdOf(workspace.id, body.destination))
    await db.transaction().execute(async (tx) => {
      const found = await change(tx, { audienceId: audience.id, destinationId: destination.id })
      if (!found) throw notFound('destination not found')
      await audit(tx, audienceName(workspace.id, audience.id), { destination: body.destination })
    })
    return {}
  }

/** Ends the sending of who was in when a destination was connected; changes are sent from now on. */
export const cancelAudienceFill = changeOf(endFill)

/** Disconnects a destination from an audience. */
export const disconnectAudienceDestination = changeOf(removeConnection)
