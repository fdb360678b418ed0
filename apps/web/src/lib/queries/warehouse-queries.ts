import { methods, type WarehouseLoad } from '@tributary/contract'
import { destinationIds } from '../format/names.ts'
import { pagesQuery, query } from './query.ts'

/** Whether a load or a change of a column waits or runs. */
export const isOpen = ({ state }: Pick<WarehouseLoad, 'state'>): boolean => state === 'waiting' || state === 'running'

/**
 * Reads the loads of a warehouse and the changes of its columns, newest first, by pages of 20. Reads them often while
 * one of them waits or runs.
 */
export const warehouseLoadsQuery = (destination: string) =>
  pagesQuery(
    methods.warehouseLoads.list,
    { params: destinationIds(destination), query: { page_size: 20 } },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.pages.some(({ warehouse_loads }) => warehouse_loads.some(isOpen)) === true ? 1500 : 10_000,
    },
  )

/** How far the tables of a warehouse are complete, and its next load. */
export const warehouseStatusQuery = (destination: string) =>
  query(
    methods.warehouseLoads.getStatus,
    { params: destinationIds(destination) },
    { staleTime: 0, refetchInterval: 10_000 },
  )

/** Asks the warehouse for its tables with their columns. The answer is kept until it is refreshed. */
export const warehouseTablesQuery = (destination: string) =>
  query(methods.warehouseLoads.listTables, { params: destinationIds(destination) }, { staleTime: 60_000 })

/** Asks the warehouse how many values of a column would convert to another type. */
export const conversionQuery = (destination: string, change: { table: string; column: string; type: string }) =>
  query(
    methods.warehouseLoads.countConversion,
    { params: destinationIds(destination), body: change },
    { staleTime: 0, gcTime: 0 },
  )
