import { callConnector, type DestinationRow } from '@tributary/configuration'
import { DeliveryError, hideSecrets } from '@tributary/connector-kit'
import type { EventType, WarehouseStatus } from '@tributary/contract'
import { AppError } from '@tributary/kernel'
import { readWarehouses } from './queue-due-loads.ts'
import { requireWarehouse, type WarehouseDefinition } from './require-warehouse.ts'
import type { WarehouseServices } from './services.ts'

const dayMs = 24 * 60 * 60_000
/** Longest time of the statement that counts rows, ms. */
const withinMs = 2 * 60_000

type Comparison = NonNullable<WarehouseStatus['comparison']>

/** Counts the events that were received on a day and delivered to a destination, each once, by table. */
const countDelivered = async (
  { eventStore }: Pick<WarehouseServices, 'eventStore'>,
  { id, workspace_id }: DestinationRow,
  { warehouse }: WarehouseDefinition,
  { from, to }: { from: number; to: number },
): Promise<Map<string, number>> => {
  const rows = await eventStore.query<{ type: EventType; event: string; found: number }>(
    `select type, event, uniqExact(message_id) as found from events
      where workspace_id = {workspace:String} and receive_time >= fromUnixTimestamp64Milli({from:Int64})
        and receive_time < fromUnixTimestamp64Milli({to:Int64})
        and event_id in (select event_id from deliveries where workspace_id = {workspace:String}
          and destination_id = {destination:String} and time >= fromUnixTimestamp64Milli({from:Int64}) and status = 'delivered')
      group by type, event`,
    { workspace: workspace_id, destination: id, from, to },
    { owner: workspace_id, slot: 'heavy' },
  )
  const counts = new Map<string, number>()
  for (const { type, event, found } of rows)
    for (const table of warehouse.tablesOf({ type, event })) counts.set(table, (counts.get(table) ?? 0) + Number(found))
  return counts
}

/** The tables with one row for each event; the others have one for each user or group. */
const isOfEvents = (table: string): boolean => table !== 'users' && table !== 'accounts'

const compareDay = async (deps: WarehouseServices, destination: DestinationRow, from: number): Promise<Comparison> => {
  const span = { from, to: from + dayMs }
  const day = new Date(from).toISOString().slice(0, 10)
  const compare_time = new Date(deps.clock()).toISOString()
  let secrets: readonly string[] = []
  try {
    const found = await requireWarehouse(deps, destination)
    const delivered = await countDelivered(deps, destination, found, span)
    const options = { withinMs, signal: AbortSignal.timeout(withinMs) }
    const rows = await callConnector(deps, destination, found.definition, options, (context, texts) => {
      secrets = texts
      return found.warehouse.count(context, span)
    })
    const names = [...new Set([...delivered.keys(), ...Object.keys(rows)])].filter(isOfEvents).toSorted()
    const tables = names
      .map((table) => ({ table, event_count: delivered.get(table) ?? 0, row_count: rows[table] ?? 0 }))
      .filter(({ event_count, row_count }) => event_count > 0 || row_count > 0)
    return { day, compare_time, tables, reason: '' }
  } catch (error) {
    if (!(error instanceof DeliveryError) && !(error instanceof AppError)) throw error
    return { day, compare_time, tables: [], reason: hideSecrets(error.message, secrets) }
  }
}

/**
 * Compares the last whole day (UTC) of each warehouse with what was delivered to it, once a day, when all of the day is
 * loaded. Asks a warehouse again that did not answer. Call it each hour.
 */
export const compareWarehouses = async (deps: WarehouseServices): Promise<void> => {
  const { db, clock, logger } = deps
  const today = Math.floor(clock() / dayMs) * dayMs
  const yesterday = new Date(today - dayMs).toISOString().slice(0, 10)
  for (const destination of await readWarehouses(deps)) {
    const state = await db
      .selectFrom('warehouse_states')
      .select(['complete_time', 'comparison'])
      .where('destination_id', '=', destination.id)
      .executeTakeFirst()
    const last = state?.comparison as Comparison | null | undefined
    if (state === undefined || (state.complete_time?.getTime() ?? 0) < today) continue
    if (last?.day === yesterday && last.reason === '') continue
    await compareDay(deps, destination, today - dayMs).then(
      (comparison) =>
        db
          .updateTable('warehouse_states')
          .set({ comparison: JSON.stringify(comparison) })
          .where('destination_id', '=', destination.id)
          .execute(),
      (error: unknown) =>
        logger.error({ err: error, destination: destination.id }, 'a warehouse could not be compared'),
    )
  }
}
