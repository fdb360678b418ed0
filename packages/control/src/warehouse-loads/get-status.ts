import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { showStatus } from '@tributary/warehouses'
import type { ControlDeps } from '../deps.ts'

/** Says how far the tables of a warehouse are complete. */
export const getWarehouseStatus =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger' | 'clock'>,
  ): Handler<typeof methods.warehouseLoads.getStatus> =>
  async ({ workspace, params }) =>
    await showStatus(deps, await readDestination(deps.db, workspace.id, params.destination))
