import { type DestinationRow, readableSettings } from '@tributary/configuration'
import type { LoadHours } from './load-hours.ts'
import { requireWarehouse } from './require-warehouse.ts'
import type { WarehouseServices } from './services.ts'

/** How often a destination is loaded. */
export type Pace = {
  /** Minutes between two loads. */
  everyMinutes: number
  /** The hours of the day in which loads run by schedule; undefined for all day. */
  hours: LoadHours | undefined
  /** Whether the vendor bills the time that a load takes. */
  billed: boolean
  /** Longest time in ms that an event waits for others before both are staged. */
  stageWaitMs: number
}

/** Returns how often a destination is loaded, by its settings. Throws 400 if it is no warehouse. */
export const paceOf = async (
  deps: Pick<WarehouseServices, 'catalog' | 'secretBox' | 'logger'>,
  destination: DestinationRow,
): Promise<Pace> => {
  const { definition, warehouse } = await requireWarehouse(deps, destination)
  const settings = readableSettings(`destinations/${destination.id}`, destination, deps.secretBox, deps.logger)
  return {
    everyMinutes: warehouse.everyMinutes(settings),
    hours: warehouse.hours(settings),
    billed: warehouse.billed(settings),
    stageWaitMs: definition.batching(settings).maxWaitMs,
  }
}
