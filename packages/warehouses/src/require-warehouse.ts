import { type DestinationRow, requireDefinition } from '@tributary/configuration'
import type { DestinationDefinition, Warehouse } from '@tributary/connector-kit'
import { badRequest } from '@tributary/kernel'
import type { WarehouseServices } from './services.ts'

/** The definition of a warehouse. */
export type WarehouseDefinition = { definition: DestinationDefinition; warehouse: Warehouse }

/** Loads the definition of a destination. Throws 400 if it is no warehouse. */
export const requireWarehouse = async (
  { catalog }: Pick<WarehouseServices, 'catalog'>,
  row: DestinationRow,
): Promise<WarehouseDefinition> => {
  const definition = await requireDefinition(catalog, row, 'destination')
  const { warehouse } = definition
  if (warehouse === undefined) throw badRequest('NOT_A_WAREHOUSE', 'The destination is not a warehouse')
  return { definition, warehouse }
}
