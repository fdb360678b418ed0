import { audit, type Tx } from '@tributary/api-kit'
import { audienceName, type ConnectionEnds, endFill, readAudience, removeConnection } from '@tributary/audiences'
import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { destinationIdOf } from './connect.ts'

/**
 * Changes the connection of an audience and a destination, in a transaction. Resolves to false if the two are not
 * connected.
 */
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

/**
 * Stops sending the members that an audience had when it was connected to the destination. Only later entries and exits
 * are sent.
 */
export const cancelAudienceFill = changeOf(endFill)

/** Disconnects a destination from an audience. */
export const disconnectAudienceDestination = changeOf(removeConnection)
