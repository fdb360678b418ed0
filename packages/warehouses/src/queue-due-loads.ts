import type { DestinationRow } from '@tributary/configuration'
import { warehouseLimits } from '@tributary/contract'
import { beginLoad, queueLoads } from './begin-load.ts'
import { isLoadTime } from './load-hours.ts'
import { paceOf } from './pace.ts'
import type { WarehouseServices } from './services.ts'
import { stagedUntil } from './staged-until.ts'

const minuteMs = 60_000

/** Rows of the delivery log come some seconds after the outcome. */
const logMs = 5 * minuteMs

/** Whether anything was staged since the last load. Rows of the delivery log show it without asking the warehouse. */
const hasStaged = async (
  { eventStore }: Pick<WarehouseServices, 'eventStore'>,
  destination: Pick<DestinationRow, 'id' | 'workspace_id'>,
  since: Date | null,
): Promise<boolean> => {
  const rows = await eventStore.query<{ found: number }>(
    `select 1 as found from deliveries
      where workspace_id = {workspace:String} and destination_id = {destination:String}
        and time >= fromUnixTimestamp64Milli({since:Int64}) and status = 'delivered' limit 1`,
    {
      workspace: destination.workspace_id,
      destination: destination.id,
      since: since === null ? 0 : since.getTime() - logMs,
    },
    { owner: destination.workspace_id, slot: 'short' },
  )
  return rows.length > 0
}

const queueDue = async (deps: WarehouseServices, destination: DestinationRow): Promise<void> => {
  const { db, jobs, clock } = deps
  const now = clock()
  const pace = await paceOf(deps, destination)
  const everyMs = pace.everyMinutes * minuteMs
  const state = await db
    .insertInto('warehouse_states')
    .values({ destination_id: destination.id, next_load_time: new Date(now + everyMs) })
    .onConflict((conflict) => conflict.column('destination_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  const known =
    state ??
    (await db
      .selectFrom('warehouse_states')
      .selectAll()
      .where('destination_id', '=', destination.id)
      .executeTakeFirstOrThrow())
  const next = known.next_load_time.getTime()
  // A shorter pace holds at once, and so does a clock that was set back.
  if (next > now + everyMs)
    await db
      .updateTable('warehouse_states')
      .set({ next_load_time: new Date(now + everyMs) })
      .where('destination_id', '=', destination.id)
      .execute()
  if (next > now || !isLoadTime(pace.hours, now)) return
  // A load in the future ran before the clock was set back.
  const since = known.load_time !== null && known.load_time.getTime() > now ? null : known.load_time
  const isStaged = await hasStaged(deps, destination, since)
  const until = isStaged ? undefined : await stagedUntil(deps, destination.id, pace)
  await db.transaction().execute(async (tx) => {
    const taken = await tx
      .updateTable('warehouse_states')
      .set({
        next_load_time: new Date(now + everyMs),
        ...(until === undefined || known.load_time === null ? {} : { complete_time: until }),
      })
      .where('destination_id', '=', destination.id)
      .where('next_load_time', '<=', new Date(now))
      .returning('destination_id')
      .executeTakeFirst()
    if (taken === undefined || !isStaged) return
    await beginLoad(tx, jobs, destination, { trigger: 'schedule', createdBy: null, time: new Date(now) })
  })
}

/** Reads the enabled destinations that are warehouses. */
export const readWarehouses = async ({
  db,
  catalog,
}: Pick<WarehouseServices, 'db' | 'catalog'>): Promise<DestinationRow[]> => {
  const apps = catalog.destinations
    .filter(({ abilities }) => abilities.includes('Tables for analysts'))
    .map(({ slug }) => slug)
  if (apps.length === 0) return []
  return await db
    .selectFrom('destinations')
    .selectAll()
    .where('app', 'in', apps)
    .where('enabled', '=', true)
    .where('delete_time', 'is', null)
    .execute()
}

/**
 * Starts the loads that are due, if anything was staged since the last one, and continues loads whose process was killed.
 * Removes loads that are older than 30 days. Call this function each minute.
 */
export const queueDueLoads = async (deps: WarehouseServices): Promise<void> => {
  const { db, jobs, clock, logger } = deps
  for (const destination of await readWarehouses(deps))
    await queueDue(deps, destination).catch((error: unknown) => {
      logger.error({ err: error, destination: destination.id }, 'the next load of a warehouse could not be started')
    })
  const open = await db
    .selectFrom('warehouse_loads')
    .innerJoin('destinations', 'destinations.id', 'warehouse_loads.destination_id')
    .select(['destinations.id', 'destinations.workspace_id'])
    .distinct()
    .where('warehouse_loads.state', 'in', ['waiting', 'running'])
    .where('destinations.delete_time', 'is', null)
    .execute()
  for (const destination of open) await queueLoads(db, jobs, destination)
  await db
    .deleteFrom('warehouse_loads')
    .where('state', 'in', ['succeeded', 'failed'])
    .where('create_time', '<', new Date(clock() - warehouseLimits.loadDays * 24 * 60 * minuteMs))
    .execute()
}
