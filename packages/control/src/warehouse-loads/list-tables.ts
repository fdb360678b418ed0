import { fixedColumns } from '@tributary/connector-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type AskDeps, askWarehouse } from './ask.ts'

/** Asks the warehouse for its tables of events. */
export const listWarehouseTables =
  (deps: AskDeps): Handler<typeof methods.warehouseLoads.listTables> =>
  async ({ workspace, params, signal }) => {
    const place = { workspaceId: workspace.id, destinationId: params.destination, signal }
    const { answer, warehouse } = await askWarehouse(deps, place, ({ tables }, context) => tables(context))
    return {
      tables: answer.map(({ name, columns }) => ({
        table: name,
        columns: columns.map(({ name: column, type }) => ({ column, type, fixed: fixedColumns.has(column) })),
      })),
      types: [...warehouse.types],
    }
  }
