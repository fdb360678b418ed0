import { presentMappings, readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The mappings of a destination, those of its app where it has none of its own, and what they may be made of. */
export const getMappings =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.mappings.get> =>
  async ({ workspace, params }) => {
    return await presentMappings(await readDestination(db, workspace.id, params.destination), catalog)
  }
