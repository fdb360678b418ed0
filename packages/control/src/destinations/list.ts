import { instanceCounts, presentDestination, readGrants } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The destinations of a workspace, newest first. */
export const listDestinations =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.destinations.list> =>
  async ({ workspace, params, query }) => {
    const { db } = deps
    const { rows: shown, next } = await newestFirst(
      { name: 'destinations.list', table: 'destinations', params, query },
      db
        .selectFrom('destinations')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('delete_time', 'is', null),
    )
    const counts = await instanceCounts(db, 'destinations', workspace.id)
    const grants = await readGrants(
      db,
      shown.map((row) => row.id),
    )
    return {
      destinations: await Promise.all(shown.map((row) => presentDestination(row, counts, grants.get(row.id), deps))),
      next_page_token: next,
    }
  }
