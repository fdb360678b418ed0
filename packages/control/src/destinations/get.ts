import { showDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

type Deps = Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>

/** Reads a destination. */
export const getDestination =
  (deps: Deps): Handler<typeof methods.destinations.get> =>
  async ({ workspace, params }) => {
    return await showDestination(deps, workspace.id, params.destination)
  }
