import { presentMappings, readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/**
 * Returns the mappings of a destination with the options for editing them. A destination without own mappings has those
 * of its app.
 */
export const getMappings =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.mappings.get> =>
  async ({ workspace, params }) => {
    return await presentMappings({ db, catalog }, await readDestination(db, workspace.id, params.destination))
  }
