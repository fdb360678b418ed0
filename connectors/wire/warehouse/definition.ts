import {
  cutToBytes,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type Lifetime,
  type OutgoingEvent,
  type OutgoingRow,
  type Settings,
  type Warehouse,
} from '@tributary/connector-kit'
import { tableObject, tableOf } from '../access/table-object.ts'
import { deleteUsers } from './delete-users.ts'
import { stageTable, type WarehouseSession } from './dialect.ts'
import { ownTables } from './event-rows.ts'
import { loadStaged } from './load.ts'
import { loadHoursOf, stageBatching } from './load-settings.ts'
import { changeType, conversionOf, countRows, dropColumn, listTables, renameColumn } from './repair.ts'
import { stageEvents } from './stage.ts'
import { listTableKeys, writeTableRows } from './table-rows.ts'
import { eventTables } from './warehouse-rows.ts'
import { createWarehouseTables, type TablesCache, type WarehouseTables } from './warehouse-tables.ts'
import { writeEvent } from './write-event.ts'

/** What a warehouse gives to the parts that are the same for all. */
export type WarehouseKind<S extends Settings> = {
  /** Opens a session, which may live only as long as the work with it. */
  withSession: <T>(
    context: DeliverContext<S>,
    work: (session: WarehouseSession) => Promise<T>,
    /** The table of a sync's rows with which the session works, if it does. */
    rowsTable?: string,
  ) => Promise<T>
  /** The place of the tables, for users: server, database, and schema. */
  address: (settings: S) => string
  /** Whether the vendor bills the time that a load takes. */
  billed: (settings: S) => boolean
  /** Types that people can choose for a column. */
  types: readonly string[]
}

/** Minutes between two loads of a destination without a choice. */
const usualMinutes = '60'

/** Time in ms for which the tables of a warehouse are not read again before events are staged. */
const freshMs = 10 * 60 * 1000

/** Adds the statement to an error, so that people see which one failed. */
const telling = (session: WarehouseSession): WarehouseSession => ({
  ...session,
  run: async (statement) => {
    try {
      return await session.run(statement)
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.exchange !== undefined) throw error
      const request = cutToBytes(statement)
      throw error.withExchange({ httpStatus: 0, latencyMs: 0, request, response: cutToBytes(error.message) })
    }
  },
})

/** The objects and actions of events. */
const eventParts = {
  category: 'Databases and storage' as const,
  kinds: ['Event Streams', 'ETL'] as const,
  auth: 'key' as const,
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'One row per event, in the tables for its type and name. Duplicates are stored once.',
      syncModes: ['INSERT_ONLY' as const],
      identifiers: [{ event: 'messageId' as const }],
      actions: ['write_event'],
    },
    {
      name: 'users',
      title: 'Users',
      description: 'One row per user in `users`, with the latest traits from identify events.',
      syncModes: ['UPSERT_ONLY' as const],
      identifiers: [{ event: 'userId' as const }],
      actions: ['write_event'],
    },
  ],
  actions: [writeEvent],
  presets: [{ action: 'write_event', fields: {} }],
}

/** The tables that syncs write. */
const rowObjects = [
  {
    name: 'table',
    title: 'Table',
    description: 'One row per key in a table beside those of events, which is created if it does not exist.',
    syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'] as const,
    listable: true as const,
    reserved: [...ownTables, 'accounts', stageTable],
    address: ({ name, identifier }: { name: string; identifier: string }) =>
      tableObject({ table: name, key: identifier }),
  },
]

/** Returns the parts of a definition that are the same for all warehouses. */
export const warehouseParts = <
  S extends Settings & { readonly load_minutes?: string | undefined; readonly load_hours?: string | undefined },
>(
  kind: WarehouseKind<S>,
) => {
  const caches = new WeakMap<Lifetime, { cache: TablesCache; at: number }>()

  /** The tables as they were read for the events before, while that is not long ago. */
  const tablesFor = ({ lifetime, clock }: DeliverContext<S>, session: WarehouseSession): WarehouseTables => {
    const now = clock()
    const found = caches.get(lifetime)
    const cache = found !== undefined && now - found.at < freshMs ? found.cache : {}
    if (cache !== found?.cache) caches.set(lifetime, { cache, at: now })
    return createWarehouseTables(session, cache)
  }

  const using = <T>(
    context: DeliverContext<S>,
    work: (session: WarehouseSession, tables: WarehouseTables) => Promise<T>,
    rowsTable?: string,
  ): Promise<T> =>
    kind.withSession(
      context,
      async (plain) => {
        const session = telling(plain)
        const tables = tablesFor(context, session)
        try {
          return await work(session, tables)
        } catch (error) {
          tables.forget()
          throw error
        }
      },
      rowsTable,
    )

  const deliver = async (batch: readonly OutgoingEvent[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const started = performance.now()
    const events = batch.length === 1 ? '1 event' : `${batch.length} events`
    await using(context, (session, tables) => stageEvents(session, tables, { events: batch, now: context.clock() }))
    const latencyMs = Math.round(performance.now() - started)
    context.onExchange?.({
      httpStatus: 0,
      latencyMs,
      request: cutToBytes(`${events} to the stage of ${kind.address(context.settings)}\n\n${batch[0]?.json ?? ''}`),
      response: 'Staged',
    })
    return { outcomes: { kind: 'delivered' }, httpStatus: 0, latencyMs }
  }

  const deliverRows = async (rows: readonly OutgoingRow[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const started = performance.now()
    const keyed = tableOf(rows[0]?.object ?? '')
    const outcomes = await using(
      context,
      (session, tables) =>
        keyed === undefined ? deleteUsers(session, tables, rows) : writeTableRows(session, tables, keyed, rows),
      keyed?.table,
    )
    const request = `${rows.length === 1 ? '1 row' : `${rows.length} rows`} to ${kind.address(context.settings)}`
    const response = outcomes.find((outcome) => outcome.kind === 'rejected')?.reason ?? 'Written'
    return { outcomes, httpStatus: 0, latencyMs: Math.round(performance.now() - started), request, response }
  }

  const listKeys = (
    context: DeliverContext<S>,
    object: string,
    onKeys: (keys: readonly string[]) => Promise<void>,
  ): Promise<void> => {
    const keyed = tableOf(object)
    if (keyed === undefined) return Promise.resolve()
    return using(context, (session, tables) => listTableKeys(session, tables, keyed, onKeys), keyed.table)
  }

  const warehouse: Warehouse<S> = {
    everyMinutes: ({ load_minutes }) => Number(load_minutes ?? usualMinutes),
    hours: ({ load_hours }) => loadHoursOf(load_hours),
    billed: kind.billed,
    load: (context) =>
      using(context, (session, tables) => {
        tables.forget()
        return loadStaged(session, tables)
      }),
    tables: (context) => using(context, (_, tables) => listTables(tables)),
    count: (context, span) => using(context, (session, tables) => countRows(session, tables, span)),
    tablesOf: ({ type, event }) => eventTables(type, event),
    types: kind.types,
    conversion: (context, change) => using(context, (session, tables) => conversionOf(session, tables, change)),
    changeType: (context, change) => using(context, (session, tables) => changeType(session, tables, change)),
    renameColumn: (context, change) => using(context, (session, tables) => renameColumn(session, tables, change)),
    dropColumn: (context, change) => using(context, (session, tables) => dropColumn(session, tables, change)),
  }

  return {
    ...eventParts,
    batching: (settings: S) => stageBatching(settings.load_minutes ?? usualMinutes, kind.billed(settings)),
    // The newest row of a user holds, so batches are staged in their order.
    concurrency: 1,
    ordered: () => true,
    deliver,
    deliverRows,
    deletesUsers: true as const,
    listKeys,
    rowObjects,
    warehouse,
  }
}
