import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readDestination, showDestination } from './read.ts'

/** Forgets what a destination was permitted, and what is being asked for. What is not connected stays so. */
export const disconnectDestination =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.disconnect> =>
  async ({ actor, workspace, params }) => {
    const { db, clock } = deps
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('oauth_consents').where('destination_id', '=', id).execute()
      const ended = await tx
        .deleteFrom('oauth_grants')
        .where('destination_id', '=', id)
        .returning('account')
        .executeTakeFirst()
      await audit(tx, {
        actor,
        action: 'destinations.disconnect',
        resource: resourceNames.destination.format({ workspace: workspace.id, destination: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { account: ended?.account ?? '' },
        time,
      })
    })
    return await showDestination(deps, workspace.id, id)
  }
