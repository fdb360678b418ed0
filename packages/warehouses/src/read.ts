import { type Db, displayName, isId } from '@tributary/api-kit'
import type { DestinationRow } from '@tributary/configuration'
import { resourceNames, type WarehouseLoad, type WarehouseStatus } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import { changeText } from './change-text.ts'
import { nextLoadTime } from './load-hours.ts'
import { paceOf } from './pace.ts'
import type { WarehouseServices } from './services.ts'

type Place = Pick<DestinationRow, 'id' | 'workspace_id'>

/** Selects the loads of a destination with the users who started them. */
export const selectLoads = (db: Db, destination: Place) =>
  db
    .selectFrom('warehouse_loads')
    .leftJoin('users', 'users.id', 'warehouse_loads.created_by')
    .selectAll('warehouse_loads')
    .select(['users.email', 'users.first_name', 'users.last_name'])
    .where('warehouse_loads.destination_id', '=', destination.id)
    .where('warehouse_loads.workspace_id', '=', destination.workspace_id)

type ShownLoad = Awaited<ReturnType<ReturnType<typeof selectLoads>['executeTakeFirstOrThrow']>>

const wire = (time: Date | null): string | null => time?.toISOString() ?? null

/** Returns a load in the form of the API. */
export const presentLoad = (row: ShownLoad): WarehouseLoad => {
  const { workspace_id: workspace, destination_id: destination } = row
  const tables = Object.entries(row.table_rows)
    .map(([table, row_count]) => ({ table, row_count }))
    .toSorted((a, b) => b.row_count - a.row_count || (a.table < b.table ? -1 : 1))
  const creator =
    row.created_by === null || row.email === null
      ? null
      : {
          name: resourceNames.user.format({ user: row.created_by }),
          display_name: displayName({
            email: row.email,
            first_name: row.first_name ?? '',
            last_name: row.last_name ?? '',
          }),
        }
  return {
    name: resourceNames.warehouseLoad.format({ workspace, destination, warehouse_load: row.id }),
    kind: row.kind,
    change: changeText(row),
    state: row.state,
    trigger: row.trigger,
    creator,
    create_time: row.create_time.toISOString(),
    start_time: wire(row.start_time),
    finish_time: wire(row.finish_time),
    tables,
    row_count: tables.reduce((sum, { row_count }) => sum + row_count, 0),
    bytes: Number(row.bytes),
    unfit_count: Number(row.unfit_count),
    attempts: row.attempts,
    reason: row.reason,
    statement: row.statement,
  }
}

/** Reads a load of a destination. Throws 404 if it does not exist there. */
export const showLoad = async (db: Db, destination: Place, id: string): Promise<WarehouseLoad> => {
  const row = isId(id)
    ? await selectLoads(db, destination).where('warehouse_loads.id', '=', id).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('load not found')
  return presentLoad(row)
}

const dayMs = 24 * 60 * 60_000

/** Says how far the tables of a warehouse are complete. */
export const showStatus = async (
  deps: Pick<WarehouseServices, 'db' | 'catalog' | 'secretBox' | 'logger' | 'clock'>,
  destination: DestinationRow,
): Promise<WarehouseStatus> => {
  const { db, clock } = deps
  const { everyMinutes, hours, billed } = await paceOf(deps, destination)
  const state = await db
    .selectFrom('warehouse_states')
    .selectAll()
    .where('destination_id', '=', destination.id)
    .executeTakeFirst()
  const waiting = await db
    .selectFrom('parked_deliveries')
    .select(({ fn }) => fn.sum<string | null>('event_count').as('events'))
    .where('destination_id', '=', destination.id)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  const ended = await db
    .selectFrom('warehouse_loads')
    .select(['start_time', 'finish_time'])
    .where('destination_id', '=', destination.id)
    .where('kind', '=', 'load')
    .where('finish_time', '>', new Date(clock() - dayMs))
    .execute()
  // The check of each minute brings the plan to the pace of now.
  const latest = clock() + everyMinutes * 60_000
  const planned = state === undefined ? undefined : Math.min(state.next_load_time.getTime(), latest)
  const next = planned === undefined ? undefined : nextLoadTime(hours, Math.max(planned, clock()))
  const ms = ended.reduce((sum, each) => sum + (Number(each.finish_time) - Number(each.start_time)), 0)
  return {
    every_minutes: everyMinutes,
    billed,
    next_load_time: destination.enabled && next !== undefined ? new Date(next).toISOString() : null,
    complete_time: wire(state?.complete_time ?? null),
    waiting_event_count: Number(waiting?.events ?? 0),
    loads_last_day: ended.length,
    seconds_last_day: Math.round(ms / 1000),
    comparison: (state?.comparison ?? null) as WarehouseStatus['comparison'],
  }
}
