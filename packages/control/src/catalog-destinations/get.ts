import { instanceCounts, offeredDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentCatalogDestination } from './present.ts'

/** One entry of the destination catalog. */
export const getCatalogDestination =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.catalogDestinations.get> =>
  async ({ workspace, params }) => {
    const entry = await offeredDestination({ db, catalog }, workspace.id, params.app)
    if (entry === undefined) throw notFound('There is no destination with this name in the catalog')
    const counts = await instanceCounts(db, 'destinations', workspace.id)
    return presentCatalogDestination(entry, await entry.load(), counts.get(entry.slug) ?? 0)
  }
