import { showDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Reads the app of a destination with its settings. */
export const getDestinationApp =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.destinations.getApp> =>
  async ({ workspace, params }) => {
    return (await showDestination(deps, workspace.id, params.destination)).app
  }
