import { createdCursor, createdCursorOf, olderThan, openPage, parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { readSource } from '../sources/read.ts'
import { presentConnection, selectConnections } from './read.ts'

/** The connections of a workspace, of one of its sources or of one of its destinations; newest first. */
export const listConnections =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.connections.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('connections.list', params, query, createdCursor)
    const own = (id: string): string => (id === workspace.id ? id : '')
    let select = selectConnections(db, workspace.id)
    if (query.source !== undefined) {
      const reference = parseReference(resourceNames.source, 'source', query.source)
      const source = await readSource(db, own(reference.workspace), reference.source)
      select = select.where('connections.source_id', '=', source.id)
    }
    if (query.destination !== undefined) {
      const reference = parseReference(resourceNames.destination, 'destination', query.destination)
      const destination = await readDestination(db, own(reference.workspace), reference.destination)
      select = select.where('connections.destination_id', '=', destination.id)
    }
    const rows = await select
      .where(olderThan('connections', page.after))
      .orderBy('connections.create_time', 'desc')
      .orderBy('connections.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { connections: shown.map((row) => presentConnection(row, catalog)), next_page_token: next }
  }
