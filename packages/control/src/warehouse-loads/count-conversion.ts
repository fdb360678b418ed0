import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { type AskDeps, askWarehouse } from './ask.ts'

/** Counts in the warehouse how many values of a column would convert to another type. */
export const countConversion =
  (deps: AskDeps): Handler<typeof methods.warehouseLoads.countConversion> =>
  async ({ workspace, params, body, signal }) => {
    const place = { workspaceId: workspace.id, destinationId: params.destination, signal }
    const { answer } = await askWarehouse(deps, place, ({ types, conversion }, context) => {
      if (!types.includes(body.type))
        throw badRequest('VALIDATION', 'The warehouse has no such type', { type: `One of ${types.join(', ')}` })
      return conversion(context, body)
    })
    return {
      value_count: answer.values,
      convert_count: answer.convert,
      from_extra_count: answer.fromExtra,
      examples: [...answer.examples],
    }
  }
