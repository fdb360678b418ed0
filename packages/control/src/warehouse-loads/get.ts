import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { showLoad } from '@tributary/warehouses'
import type { ControlDeps } from '../deps.ts'

/** Reads a load of a warehouse. */
export const getWarehouseLoad =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.warehouseLoads.get> =>
  async ({ workspace, params }) =>
    await showLoad(db, await readDestination(db, workspace.id, params.destination), params.warehouse_load)
