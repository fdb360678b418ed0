import { audit } from '@tributary/api-kit'
import { readDestination, removeGrant } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { removeSyncsOf } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a destination with its connections, its syncs and its secrets. */
export const deleteDestination =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.destinations.delete> =>
  async ({ workspace, params }) => {
    const destination = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const deleted = await tx
        .updateTable('destinations')
        .set({ delete_time: time, update_time: time, secrets_encrypted: null })
        .where('id', '=', destination.id)
        .where('delete_time', 'is', null)
        .returning('id')
        .executeTakeFirst()
      if (deleted === undefined) throw notFound('destination not found')
      await removeGrant(tx, destination.id)
      await tx.deleteFrom('oauth_consents').where('destination_id', '=', destination.id).execute()
      await tx.deleteFrom('connections').where('destination_id', '=', destination.id).execute()
      await removeSyncsOf(tx, 'destination_id', [destination.id])
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: destination.id }), {
        title: destination.title,
      })
    })
    return {}
  }
