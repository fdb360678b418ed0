import { audit } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { beginChange, requireWarehouse, showLoad } from '@tributary/warehouses'
import type { ControlDeps } from '../deps.ts'

/** Changes a column of a warehouse in a job. */
export const changeWarehouseColumn =
  ({
    db,
    catalog,
    jobs,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'jobs' | 'clock'>): Handler<typeof methods.warehouseLoads.changeColumn> =>
  async ({ actor, workspace, params, body }) => {
    const destination = await readDestination(db, workspace.id, params.destination)
    const { warehouse } = await requireWarehouse({ catalog }, destination)
    if (body.kind === 'change_type' && !warehouse.types.includes(body.type ?? ''))
      throw badRequest('VALIDATION', 'The warehouse has no such type', { type: `One of ${warehouse.types.join(', ')}` })
    const id = await db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const change = await beginChange(tx, jobs, destination, { change: body, createdBy: actor.userId, time })
      const name = { workspace: workspace.id, destination: destination.id, warehouse_load: change }
      await audit(tx, resourceNames.warehouseLoad.format(name), { ...body })
      return change
    })
    return await showLoad(db, destination, id)
  }
