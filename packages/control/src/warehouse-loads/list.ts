import { readDestination } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentLoad, selectLoads } from '@tributary/warehouses'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** Lists the loads of a warehouse and the changes of its columns, newest first. */
export const listWarehouseLoads =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.warehouseLoads.list> =>
  async ({ workspace, params, query }) => {
    const destination = await readDestination(db, workspace.id, params.destination)
    const { rows, next } = await newestFirst(
      { name: 'warehouseLoads.list', table: 'warehouse_loads', params, query },
      selectLoads(db, destination),
    )
    return { warehouse_loads: rows.map(presentLoad), next_page_token: next }
  }
