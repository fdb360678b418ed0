import { audit } from '@tributary/api-kit'
import { readDestination, removeGrant, showDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Removes the grant of a destination, and a pending consent. A destination without both is unchanged. */
export const disconnectDestination =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.disconnect> =>
  async ({ workspace, params }) => {
    const { db } = deps
    const { id } = await readDestination(db, workspace.id, params.destination)
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('oauth_consents').where('destination_id', '=', id).execute()
      const account = await removeGrant(tx, id)
      await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: id }), {
        account: account ?? '',
      })
    })
    return await showDestination(deps, workspace.id, id)
  }
