import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { instanceCounts, searched } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentListedSource } from './present.ts'

/** Lists the apps for sources, with the number of sources of each in the workspace. */
export const listCatalogSources =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.catalogSources.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('catalogSources.list', params, query, offsetCursor)
    const product = query.target_product
    const listed = catalog.sources.filter((entry) => product === undefined || entry.targetProduct === product)
    const { rows, next } = slicePage(page, searched(listed, query.search))
    const counts = await instanceCounts(db, 'sources', workspace.id)
    return {
      catalog_sources: rows.map((entry) => presentListedSource(entry, counts.get(entry.slug) ?? 0)),
      next_page_token: next,
    }
  }
