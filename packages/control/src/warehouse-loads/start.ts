import { audit } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { beginLoad, requireWarehouse, showLoad } from '@tributary/warehouses'
import type { ControlDeps } from '../deps.ts'

/** Loads now what is staged. */
export const startWarehouseLoad =
  ({
    db,
    catalog,
    jobs,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'jobs' | 'clock'>): Handler<typeof methods.warehouseLoads.start> =>
  async ({ actor, workspace, params }) => {
    const destination = await readDestination(db, workspace.id, params.destination)
    await requireWarehouse({ catalog }, destination)
    const id = await db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const load = await beginLoad(tx, jobs, destination, { trigger: 'user', createdBy: actor.userId, time })
      await audit(
        tx,
        resourceNames.warehouseLoad.format({
          workspace: workspace.id,
          destination: destination.id,
          warehouse_load: load,
        }),
      )
      return load
    })
    return await showLoad(db, destination, id)
  }
