import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { destinationsOf, lockOwnConnector } from './read.ts'

/** Deletes an own connector with its versions. Throws 409 while destinations use it. */
export const deleteOwnConnector =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.delete> =>
  async ({ workspace, params }) => {
    await db.transaction().execute(async (tx) => {
      // A destination is created under a shared lock of the row, so none appears before the commit.
      const row = await lockOwnConnector(tx, workspace.id, params.own_connector)
      const used = await destinationsOf(tx, row).execute()
      if (used.length > 0)
        throw conflict(
          'IN_USE',
          `Destinations use it: ${used.map(({ title }) => title).join(', ')}. Delete them first`,
          Object.fromEntries(used.map(({ id, title }) => [id, title])),
        )
      await tx.deleteFrom('own_connectors').where('id', '=', row.id).execute()
      await audit(tx, resourceNames.ownConnector.format({ workspace: workspace.id, own_connector: row.id }), {
        title: row.title,
      })
    })
    return {}
  }
