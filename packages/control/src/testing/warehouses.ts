import { methods } from '@tributary/contract'
import { type Caller, idIn, type Organization } from './control-harness.ts'

/** Makes a destination of the warehouse of the tests. Resolves to its resource name. */
export const makeWarehouse = async (
  workspaceId: string,
  editor: Caller,
  settings: Record<string, string> = {},
): Promise<string> => {
  const body = {
    title: 'Tables',
    app: { name: 'catalogDestinations/tables' },
    settings: { host: 'warehouse.example', password: 'very secret', ...settings },
  }
  return (await editor.ok(methods.destinations.create, { workspace: workspaceId }, { body })).name
}

/** Returns the path parameters of a method about the loads of a new warehouse, which has a load. */
export const warehouseParams = async ({ administrator, workspaceId: workspace }: Organization) => {
  const destination = idIn(await makeWarehouse(workspace, administrator))
  const load = await administrator.ok(methods.warehouseLoads.start, { workspace, destination }, { body: {} })
  return { destination, warehouse_load: idIn(load.name) }
}
