import { referenceIn } from '@tributary/api-kit'
import { readDestination, readSource } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentConnection, selectConnections } from './read.ts'

/** The connections of a workspace, of one of its sources or of one of its destinations; newest first. */
export const listConnections =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.connections.list> =>
  async ({ workspace, params, query }) => {
    let select = selectConnections(db, workspace.id)
    if (query.source !== undefined) {
      const named = referenceIn(workspace.id, resourceNames.source, { field: 'source', name: query.source })
      const source = await readSource(db, workspace.id, named.source)
      select = select.where('connections.source_id', '=', source.id)
    }
    if (query.destination !== undefined) {
      const field = { field: 'destination', name: query.destination }
      const named = referenceIn(workspace.id, resourceNames.destination, field)
      const destination = await readDestination(db, workspace.id, named.destination)
      select = select.where('connections.destination_id', '=', destination.id)
    }
    const { rows: shown, next } = await newestFirst(
      { name: 'connections.list', table: 'connections', params, query },
      select,
    )
    return {
      connections: await Promise.all(shown.map((row) => presentConnection(row, catalog))),
      next_page_token: next,
    }
  }
