import { audit, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Disconnects a source from a destination. */
export const deleteConnection =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.connections.delete> =>
  async ({ workspace, params }) => {
    if (!isId(params.connection)) throw notFound('connection not found')
    await db.transaction().execute(async (tx) => {
      const deleted = await tx
        .deleteFrom('connections')
        .where('id', '=', params.connection)
        .where('workspace_id', '=', workspace.id)
        .returning(['id', 'source_id', 'destination_id'])
        .executeTakeFirst()
      if (deleted === undefined) throw notFound('connection not found')
      await audit(tx, resourceNames.connection.format({ workspace: workspace.id, connection: deleted.id }), {
        source_id: deleted.source_id,
        destination_id: deleted.destination_id,
      })
    })
    return {}
  }
