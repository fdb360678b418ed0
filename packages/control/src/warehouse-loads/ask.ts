import { type ConnectorDeps, callConnector, type DestinationRow, readDestination } from '@tributary/configuration'
import { type DeliverContext, DeliveryError, hideSecrets, type Warehouse } from '@tributary/connector-kit'
import { AppError } from '@tributary/kernel'
import { requireWarehouse } from '@tributary/warehouses'
import type { ControlDeps } from '../deps.ts'

/** Longest wait of a user for an answer of the warehouse, ms. */
const withinMs = 60_000

export type AskDeps = ConnectorDeps & Pick<ControlDeps, 'catalog'>

/** Asks a warehouse while a user waits. Throws 400 for another destination, and 412 with the words of the warehouse. */
export const askWarehouse = async <T>(
  deps: AskDeps,
  place: { workspaceId: string; destinationId: string; signal: AbortSignal },
  question: (warehouse: Warehouse, context: DeliverContext) => Promise<T>,
): Promise<{ answer: T; warehouse: Warehouse }> => {
  const destination: DestinationRow = await readDestination(deps.db, place.workspaceId, place.destinationId)
  const { definition, warehouse } = await requireWarehouse(deps, destination)
  let secrets: readonly string[] = []
  try {
    const options = { withinMs, signal: place.signal }
    const answer = await callConnector(deps, destination, definition, options, (context, texts) => {
      secrets = texts
      return question(warehouse, context)
    })
    return { answer, warehouse }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw new AppError(412, 'DESTINATION_UNREACHABLE', 'The warehouse did not answer.', {
      detail: hideSecrets(error.message, secrets),
    })
  }
}
