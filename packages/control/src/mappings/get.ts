import { presentMappings, readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/**
 * Returns the mappings of a destination, or those of its app if it has no own ones, with the options for editing them.
 */
export const getMappings =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.mappings.get> =>
  async ({ workspace, params }) => {
    return await presentMappings(await readDestination(db, workspace.id, params.destination), catalog)
  }
