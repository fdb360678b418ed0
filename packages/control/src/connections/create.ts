import { audit, isId, parseReference, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, newId, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentConnection, readConnection } from './read.ts'

/** Locks the source or destination, so that it cannot be deleted until the connection is stored. */
const requireEnd = async (
  tx: Tx,
  table: 'sources' | 'destinations',
  workspaceId: string,
  end: { workspace: string; id: string },
): Promise<void> => {
  const found =
    end.workspace === workspaceId && isId(end.id)
      ? await tx
          .selectFrom(table)
          .select('id')
          .where('id', '=', end.id)
          .where('workspace_id', '=', workspaceId)
          .where('delete_time', 'is', null)
          .forShare()
          .executeTakeFirst()
      : undefined
  if (found === undefined) throw notFound(`${table === 'sources' ? 'source' : 'destination'} not found`)
}

/** Connects a source and a destination of the workspace. Throws 409 if they are already connected. */
export const createConnection =
  ({ db, catalog, clock }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.connections.create> =>
  async ({ workspace, body }) => {
    const source = parseReference(resourceNames.source, 'source', body.source)
    const destination = parseReference(resourceNames.destination, 'destination', body.destination)
    const id = newId()
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      await requireEnd(tx, 'sources', workspace.id, { workspace: source.workspace, id: source.source })
      await requireEnd(tx, 'destinations', workspace.id, {
        workspace: destination.workspace,
        id: destination.destination,
      })
      const made = await tx
        .insertInto('connections')
        .values({
          id,
          workspace_id: workspace.id,
          source_id: source.source,
          destination_id: destination.destination,
          create_time: time,
        })
        .onConflict((conflicting) => conflicting.columns(['source_id', 'destination_id']).doNothing())
        .returning('id')
        .executeTakeFirst()
      if (made === undefined) throw conflict('ALREADY_EXISTS', 'This source is already connected to this destination')
      await audit(tx, resourceNames.connection.format({ workspace: workspace.id, connection: id }), {
        source: body.source,
        destination: body.destination,
      })
    })
    return await presentConnection(await readConnection(db, workspace.id, id), catalog)
  }
