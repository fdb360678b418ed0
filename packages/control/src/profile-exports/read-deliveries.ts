import type { Delivery } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'
import { type DeliveryRow, deliveryColumns, presentDelivery } from '../deliveries/read.ts'

/** Maximum number of delivery attempts that one call returns. */
const attempts = 10_000

/** Selects deliveries: a condition and its parameters, of which `workspace` is the ID of the workspace. */
export type Deliveries = { where: string; params: { workspace: string } & Record<string, unknown> }

/**
 * Reads deliveries about one person, oldest first. Leaves out the sample of a request that contained other events,
 * because these may be about other people.
 */
export const readOwnDeliveries = async (
  eventStore: Pick<EventStore, 'query'>,
  { where, params }: Deliveries,
  signal: AbortSignal,
): Promise<Delivery[]> => {
  const options = { owner: params.workspace, slot: 'short', signal } as const
  const own = `workspace_id = {workspace:String} and ${where}`
  const [rows, shared] = await Promise.all([
    eventStore.query<DeliveryRow>(
      `select ${deliveryColumns} from deliveries where ${own} order by time, attempt limit ${attempts}`,
      params,
      options,
    ),
    // All events of one request have the same time in the delivery log.
    eventStore.query<{ destination_id: string; time_ms: number }>(
      `select destination_id, toUnixTimestamp64Milli(time) as time_ms from deliveries
       where workspace_id = {workspace:String} and (destination_id, time) in
         (select destination_id, time from deliveries where ${own} and (request != '' or response != ''))
       group by destination_id, time having countIf(not (${where})) > 0`,
      params,
      options,
    ),
  ])
  const keyOf = (row: { destination_id: string; time_ms: number }): string => `${row.destination_id} ${row.time_ms}`
  const withOthers = new Set(shared.map(keyOf))
  return rows.map((row) =>
    presentDelivery(params.workspace, withOthers.has(keyOf(row)) ? { ...row, request: '', response: '' } : row, false),
  )
}
