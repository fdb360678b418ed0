import { audit, changesOf } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentConnection, readConnection } from './read.ts'

/** Switches a connection on or off, or changes its filter. */
export const updateConnection =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.connections.update> =>
  async ({ workspace, params, body }) => {
    const { id, ...before } = await readConnection(db, workspace.id, params.connection)
    const { enabled, filter } = body
    if (enabled !== undefined || filter !== undefined) {
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('connections')
          .set({
            ...(enabled === undefined ? {} : { enabled }),
            ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
          })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) return
        await audit(tx, resourceNames.connection.format({ workspace: workspace.id, connection: id }), body, {
          changes: changesOf(before, { enabled, filter }),
        })
      })
    }
    return presentConnection(await readConnection(db, workspace.id, id), catalog)
  }
