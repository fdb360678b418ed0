import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { presentCatalogDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** One kind of data source. */
export const getCatalogDataSource =
  ({ catalog }: Pick<ControlDeps, 'catalog'>): Handler<typeof methods.catalogDataSources.get> =>
  async ({ params }) => {
    const entry = catalog.dataSources.find(({ slug }) => slug === params.app)
    if (entry === undefined) throw notFound('There is no data source with this name in the catalog')
    return presentCatalogDataSource(entry, await entry.load())
  }
