import { type DestinationRow, storeSettings } from '@tributary/configuration'
import {
  createEgressPolicy,
  createRequestClient,
  type DeliverContext,
  type DestinationDefinition,
  defineSettings,
  type LoadReport,
  listDestination,
  setting,
} from '@tributary/connector-kit'
import { createSecretBox, newId, noMetrics, silentLogger } from '@tributary/kernel'
import { type EventStore, openPgBossJobs, type Relational } from '@tributary/storage'
import { type LoadRow, loadJob } from './begin-load.ts'
import type { WarehouseServices } from './services.ts'

/** The time at which each test begins. */
export const startTime = Date.parse('2026-03-04T05:06:07.000Z')
export const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs
/** Longest time that events wait before they are staged. */
export const waitMs = 10 * minuteMs

/** A secret of each destination of the tests. */
export const secret = 'hush-hush-secret'

/** Returns the report of a load of these rows. */
export const reportOf = (rows: Record<string, number> = {}, more = false): LoadReport => ({
  batches: 1,
  rows,
  bytes: 10,
  unfit: 1,
  more,
})

/** A warehouse: what it was asked, and how it answers. Without a script it accepts everything. */
export const createWarehouse = () => {
  const state = {
    /** The methods that were called, in their order. */
    calls: [] as string[],
    /** The hours in which loads run by schedule. */
    hours: undefined as { from: number; to: number } | undefined,
    load: async (_context: DeliverContext): Promise<LoadReport> => reportOf(),
    change: async (_context: DeliverContext): Promise<void> => undefined,
    count: async (_span: { from: number; to: number }): Promise<Record<string, number>> => ({}),
  }
  const change = (name: string) => async (context: DeliverContext, given: object) => {
    state.calls.push(`${name} ${JSON.stringify(given)}`)
    await state.change(context)
  }
  const definition: DestinationDefinition = {
    slug: 'tables',
    title: 'Tables',
    description: 'd',
    docs: { url: 'https://docs.example', steps: [] },
    settings: defineSettings({
      load_minutes: setting.text({ label: 'Minutes', help: '', default: '60' }),
      password: setting.secret({ label: 'Password', help: '', required: true, sentTo: [] }),
    }),
    category: 'Databases and storage',
    kinds: ['Event Streams'],
    auth: 'key',
    objects: [],
    actions: [],
    presets: [],
    batching: () => ({ maxEvents: 1, maxBytes: 1, maxWaitMs: waitMs }),
    testConnection: async () => ({ ok: true, message: '' }),
    deliver: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
    warehouse: {
      everyMinutes: ({ load_minutes }) => Number(load_minutes ?? 60),
      hours: () => state.hours,
      billed: () => false,
      types: ['text', 'number'],
      tablesOf: ({ type, event }) => (type === 'track' ? ['tracks', event.toLowerCase()] : [`${type}s`]),
      load: async (context) => {
        state.calls.push('load')
        return await state.load(context)
      },
      tables: async () => [],
      count: async (_, span) => {
        state.calls.push('count')
        return await state.count(span)
      },
      conversion: async () => ({ values: 0, convert: 0, fromExtra: 0, examples: [] }),
      changeType: change('change_type'),
      renameColumn: change('rename_column'),
      dropColumn: change('drop_column'),
    },
  }
  return { state, definition }
}

/** Returns the functions that write and read rows of the stores. */
const rowsOf = (db: Relational['db'], store: EventStore, workspace: string, clock: { now: number }) => ({
  /** Adds a row of the delivery log: an event that was staged, at a time. */
  staged: (destination: DestinationRow, given: { time?: number; eventId?: string; status?: string } = {}) =>
    store.insert(
      'deliveries',
      JSON.stringify({
        workspace_id: workspace,
        source_id: workspace,
        destination_id: destination.id,
        event_id: given.eventId ?? newId(),
        message_id: newId(),
        event_type: 'track',
        event: 'Order',
        time: given.time ?? clock.now,
        attempt: 1,
        status: given.status ?? 'delivered',
      }),
      { token: newId() },
    ),
  /** Adds an event that was received at a time. */
  received: (eventId: string, time: number, given: { type?: string; event?: string; messageId?: string } = {}) =>
    store.insert(
      'events',
      JSON.stringify({
        workspace_id: workspace,
        source_id: workspace,
        event_id: eventId,
        message_id: given.messageId ?? eventId,
        type: given.type ?? 'track',
        event: given.event ?? 'Order',
        status: 'accepted',
        receive_time: time,
        timestamp: time,
        original: '{}',
      }),
      { token: newId() },
    ),
  /** Adds an event that waits for a destination: in a range since it was received, or since its first attempt. */
  park: (
    destination: DestinationRow,
    time: number,
    { state = 'waiting', isTried = false }: { state?: 'waiting' | 'dead'; isTried?: boolean } = {},
  ) =>
    db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: workspace,
        source_id: newId(),
        destination_id: destination.id,
        log_partition: 0,
        log_offset: time,
        log_end: isTried ? null : time + 1,
        event_indexes: isTried ? [0] : [],
        event_count: 1,
        state,
        first_time: new Date(time),
        next_time: new Date(time),
      })
      .execute(),
  /** Returns the loads and changes of a destination in their order. */
  loadsOf: (destination: DestinationRow): Promise<LoadRow[]> =>
    db
      .selectFrom('warehouse_loads')
      .selectAll()
      .where('destination_id', '=', destination.id)
      .orderBy('create_time')
      .orderBy('id')
      .execute(),
  stateOf: (destination: DestinationRow) =>
    db
      .selectFrom('warehouse_states')
      .selectAll()
      .where('destination_id', '=', destination.id)
      .executeTakeFirstOrThrow(),
})

/** Opens the engine of warehouses on a database and an event store, with a clock that tests set. */
export const createEngine = async (database: Pick<Relational, 'db' | 'pool'>, store: EventStore) => {
  const { db } = database
  const warehouse = createWarehouse()
  const other: DestinationDefinition = { ...warehouse.definition, slug: 'other', title: 'Other' }
  delete other.warehouse
  const errors: unknown[] = []
  const clock = { now: startTime }
  const requestClient = createRequestClient({ egress: createEgressPolicy({ allow: [] }), logger: silentLogger })
  const secretBox = createSecretBox(Buffer.alloc(32, 7))
  const jobs = await openPgBossJobs({
    pool: database.pool,
    kinds: [loadJob],
    logger: silentLogger,
    metrics: noMetrics,
    lookSeconds: 1,
  })
  const services: WarehouseServices = {
    db,
    catalog: {
      sources: [],
      dataSources: [],
      destinations: [warehouse.definition, other].map((each) => listDestination(each, '/logo.svg')),
    },
    eventStore: store,
    jobs,
    requestClient,
    secretBox,
    live: () => undefined,
    clock: () => clock.now,
    logger: { ...silentLogger, error: (detail) => void errors.push(detail) },
  }
  const workspace = newId()
  const organization = newId()
  await db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await db.insertInto('workspaces').values({ id: workspace, organization_id: organization, title: 'Main' }).execute()

  /** Makes a destination of the warehouse. */
  const makeDestination = async (settings: Record<string, string> = {}, app = 'tables'): Promise<DestinationRow> => {
    const id = newId()
    const given = { load_minutes: '60', password: secret, ...settings }
    return await db
      .insertInto('destinations')
      .values({
        id,
        workspace_id: workspace,
        title: 'Tables',
        app,
        ...storeSettings(`destinations/${id}`, warehouse.definition, given, secretBox),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  return {
    ...warehouse,
    services,
    jobs,
    clock,
    /** What the log of the server has as errors. */
    errors,
    makeDestination,
    ...rowsOf(db, store, workspace, clock),
    close: () => requestClient.close(),
  }
}

export type Engine = Awaited<ReturnType<typeof createEngine>>
