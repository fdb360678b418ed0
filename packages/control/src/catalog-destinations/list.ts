import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { instanceCounts, offeredDestinations, searched } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentListedDestination } from './present.ts'

/** Lists the apps for destinations, with the number of destinations of each in the workspace. */
export const listCatalogDestinations =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.catalogDestinations.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('catalogDestinations.list', params, query, offsetCursor)
    const { rows, next } = slicePage(
      page,
      searched(await offeredDestinations(catalog, workspace.id), query.search).filter(
        ({ kinds }) => query.data_kind === undefined || kinds.includes(query.data_kind),
      ),
    )
    const counts = await instanceCounts(db, 'destinations', workspace.id)
    return {
      catalog_destinations: rows.map((entry) => presentListedDestination(entry, counts.get(entry.slug) ?? 0)),
      next_page_token: next,
    }
  }
