import { instanceCounts } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentCatalogSource } from './present.ts'

/** One entry of the source catalog. */
export const getCatalogSource =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.catalogSources.get> =>
  async ({ workspace, params }) => {
    const entry = catalog.sources.find(({ slug }) => slug === params.app)
    if (entry === undefined) throw notFound('There is no source with this name in the catalog')
    const counts = await instanceCounts(db, 'sources', workspace.id)
    return presentCatalogSource(entry, await entry.load(), counts.get(entry.slug) ?? 0)
  }
