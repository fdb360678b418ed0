import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentListedDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Lists the kinds of data sources in the catalog. */
export const listCatalogDataSources =
  ({ catalog }: Pick<ControlDeps, 'catalog'>): Handler<typeof methods.catalogDataSources.list> =>
  async ({ params, query }) => {
    const page = openPage('catalogDataSources.list', params, query, offsetCursor)
    const { rows, next } = slicePage(page, catalog.dataSources)
    return {
      catalog_data_sources: rows.map((entry) => presentListedDataSource(entry.slug, entry)),
      next_page_token: next,
    }
  }
