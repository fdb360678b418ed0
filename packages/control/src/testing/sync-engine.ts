import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type DestinationDefinition,
  type EventOutcome,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import { startPeer } from '@tributary/connector-kit/testing'
import { mysql as mariaDbSource } from '@tributary/connectors/data-sources/mysql'
import { postgresql as source } from '@tributary/connectors/data-sources/postgresql'
import { profiles } from '@tributary/connectors/data-sources/profiles'
import { hubspot } from '@tributary/connectors/destinations/hubspot'
import { mysql } from '@tributary/connectors/destinations/mysql'
import { postgresql as destination } from '@tributary/connectors/destinations/postgresql'
import { createHubspot, token } from '@tributary/connectors/testing/hubspot'
import { deliveryMeta, methods, type SyncMode, type SyncRun } from '@tributary/contract'
import { setFaultHandler, silentLogger } from '@tributary/kernel'
import { openLogReader, openLogWriter } from '@tributary/storage'
import { createPostgresPeer, eventually, type MariaDbPeer, type PostgresPeer } from '@tributary/test-kit'
import {
  type Harness,
  idIn,
  listed,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from './control-harness.ts'

type Crm = ReturnType<typeof createHubspot>

/** A row of a synced table: its primary key, the identifier, and a value. */
export type Row = [id: string | null, email: string | null, plan: string | null]

type Peers = { peer: PostgresPeer; mariaDb: MariaDbPeer | undefined }

/** Connects to the databases and HubSpot to which the syncs write. */
const createConnectors = async (stack: AsyncDisposableStack, { peer, mariaDb }: Peers, crm: Crm) => {
  const checked = validateSettings(destination, { ...peer.access, tls: 'off', schema: 'synced' })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  stack.defer(() => client.close())
  const lifetime = createLifetime()
  stack.defer(() => lifetime.end())
  const { signal } = new AbortController()
  const context = { ...client, settings: checked.settings, lifetime, clock: Date.now, logger: silentLogger, signal }
  const vendor = await startPeer(({ method, url, headers, body }) =>
    crm.answer({
      method,
      host: 'api.hubapi.com',
      path: new URL(url, 'http://vendor.example').pathname,
      headers: { authorization: headers.authorization },
      body: body === '' ? undefined : JSON.parse(body),
    }),
  )
  stack.defer(() => vendor.close())
  const hubspotContext: DeliverContext = {
    ...context,
    settings: { access_token: token },
    request: (asked) => client.request({ ...asked, url: asked.url.replace('https://api.hubapi.com/', vendor.url) }),
  }
  const mariaDbContext: DeliverContext | undefined = mariaDb && {
    ...context,
    settings: { ...context.settings, ...mariaDb.access },
  }
  /** Passes rows to the connector of their destination. */
  return (rows: readonly OutgoingRow[], isForMariaDb: boolean) => {
    if (rows[0]?.object.startsWith('crm/') === true) return hubspot.deliverRows?.(rows, hubspotContext)
    return mariaDbContext !== undefined && isForMariaDb
      ? mysql.deliverRows?.(rows, mariaDbContext)
      : destination.deliverRows?.(rows, context)
  }
}

/** A minimal delivery: passes rows of the stream to the connector, and stores the outcomes. */
const openDelivery = async (stack: AsyncDisposableStack, peers: Peers, crm: Crm, folder: string) => {
  const stream = await openLogWriter({ dir: join(folder, 'stream'), inline: true })
  stack.defer(() => stream.close())
  const told = await openLogWriter({ dir: join(folder, 'outcomes'), inline: true })
  stack.defer(() => told.close())
  const reader = openLogReader({ dir: join(folder, 'stream') })
  stack.defer(() => reader.close())
  const outcomes = openLogReader({ dir: join(folder, 'outcomes') })
  stack.defer(() => outcomes.close())
  const hand = await createConnectors(stack, peers, crm)
  const stopping = new AbortController()
  const state = {
    sent: [] as string[],
    mariaDbId: '',
    held: false,
    away: false,
    refuse: (_key: string, _json: string): boolean => false,
  }

  const deliver = async (rows: readonly OutgoingRow[], destinationId: string): Promise<readonly EventOutcome[]> => {
    const taken = rows.filter(({ key, json }) => !state.refuse(key, json))
    const answer = taken.length === 0 ? [] : (await hand(taken, destinationId === state.mariaDbId))?.outcomes
    return rows.map((row) => {
      const at = taken.indexOf(row)
      if (at === -1) return { kind: 'rejected', reason: 'No such plan' }
      return (Array.isArray(answer) ? answer[at] : undefined) ?? { kind: 'rejected', reason: 'Not answered' }
    })
  }
  const statuses = { delivered: 'delivered', rejected: 'dead', retry: 'retry', skipped: 'filtered' } as const
  const from = (await reader.ends()).map(() => 0)
  const turn = async (partition: number): Promise<void> => {
    for (const record of await reader.read(partition, from[partition] ?? 0, 1024 * 1024)) {
      const { b: producer, d } = deliveryMeta.parse(JSON.parse(record.meta))
      const lines = Buffer.from(record.body).toString().slice(1, -2).split(',\n')
      const rows = lines.map((line): OutgoingRow => {
        const [head = '', json = ''] = line.slice(0, -1).split(',"payload":')
        return { ...JSON.parse(`${head}}`), json }
      })
      const writeOutcomes = async (found: readonly EventOutcome[]): Promise<void> => {
        const body = rows.map(({ recordId }, index) => {
          const outcome = found[index] ?? { kind: 'retry', reason: '' }
          const reason = 'reason' in outcome ? outcome.reason : ''
          return { recordId, destinationId: d[0], status: statuses[outcome.kind], reason, time: Date.now() }
        })
        await told.append({ key: producer?.n ?? '', meta: '{}', body: Buffer.from(JSON.stringify(body)) })
      }
      if (state.away) {
        await writeOutcomes(rows.map(() => ({ kind: 'retry', reason: 'Nobody is there' })))
        await eventually('the destination is back', () => !state.away || stopping.signal.aborted, 60_000)
      }
      const found = await deliver(rows, d[0] ?? '')
      state.sent.push(...rows.map(({ operation, key }) => `${operation} ${key}`))
      await writeOutcomes(found)
      from[partition] = record.offset + 1
    }
  }
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await reader.wait(
        from.map((offset, partition) => ({ partition, offset })),
        stopping.signal,
      )
      await eventually('it may go on', async () => !state.held || stopping.signal.aborted)
      for (const partition of from.keys()) await turn(partition)
    }
  }
  const running = run()
  stack.defer(async () => {
    stopping.abort()
    await running
  })
  return { state, outbound: { streamFor: () => stream, outcomes, mayAppend: () => true } }
}

type Made = { peer: PostgresPeer; harness: Harness; organization: Organization; dataSource: string; target: string }

/** Executes a dry run, as its job would. */
const lookAt = async ({ harness, organization }: Made, name: string, attempt = 1) => {
  const { administrator, workspaceId: workspace } = organization
  const run = { signal: new AbortController().signal, attempt }
  await harness.dryRunSync({ dry_run: idIn(name) }, run)
  return await administrator.ok(methods.syncDryRuns.get, { workspace, dry_run: idIn(name) })
}

/** Counts the rows of a run or dry run that are in the event store. */
const leftOf = async ({ harness }: Made, name: string): Promise<number> => {
  const found = await harness.eventStore.query<{ n: number }>(
    `select (select count() from sync_staged where run_id = {run:String}) + (
       select count() from sync_changes where run_id = {run:String}) as n`,
    { run: idIn(name) },
    { owner: 'system' },
  )
  return found[0]?.n ?? 0
}
const createOpening = (made: Made) => {
  const { peer, harness, organization, dataSource, target } = made
  let tables = 0

  /** Makes a table, a model that reads it, and a sync to a table of the same name at the destination. */
  const open = async (mode: SyncMode, more: Record<string, unknown> = {}) => {
    const { administrator, workspaceId: workspace } = organization
    const table = `people${++tables}`
    await peer.query(`create table shop.${table} (id bigint, email text, plan text, seen timestamptz, spent numeric)`)
    await peer.query(`grant select on shop.${table} to ${peer.access.user}`)
    const model = await administrator.ok(
      methods.models.create,
      { workspace },
      { body: { title: 'People', data_source: dataSource, query: { schema: 'shop', table }, primary_key: ['id'] } },
    )
    const fields = ['email', 'plan', 'seen', 'spent'].map((name) => ({ column: name, target: name }))
    const sync = await administrator.ok(
      methods.syncs.create,
      { workspace },
      {
        body: {
          title: 'People',
          model: model.name,
          destination: target,
          object: 'table',
          object_name: table,
          mode,
          identifier: 'email',
          fields,
          ...more,
        },
      },
    )
    const params = { workspace, sync: idIn(sync.name) }
    const work = () => harness.runSync({ sync: params.sync }, { signal: new AbortController().signal, attempt: 3 })
    const last = async (): Promise<SyncRun> => {
      const { runs } = await administrator.ok(methods.syncRuns.list, params)
      const [run] = runs
      if (run === undefined) throw new Error('There is no run')
      return await administrator.ok(methods.syncRuns.get, { ...params, run: idIn(run.name) })
    }
    return {
      table,
      params,
      model,
      work,
      last,
      begin: (resync = false) => administrator.ok(methods.syncs.run, params, { body: { resync } }),
      run: async (resync = false): Promise<SyncRun> => {
        await administrator.ok(methods.syncs.run, params, { body: { resync } })
        await work()
        return await last()
      },
      fill: async (rows: readonly Row[]): Promise<void> => {
        await peer.query(`truncate shop.${table}`)
        await peer.query(
          `insert into shop.${table} select id::bigint, email, plan, '2026-01-02 03:04:05+00', 12345678901234567890.10
           from unnest($1::text[], $2::text[], $3::text[]) as t (id, email, plan)`,
          [rows.map(([id]) => id), rows.map(([, email]) => email), rows.map(([, , plan]) => plan)],
        )
      },
      dryRun: async (body: object = {}) => {
        const begun = await administrator.ok(methods.syncDryRuns.createForSync, params, { body })
        return await lookAt(made, begun.name)
      },
      there: async (): Promise<string[]> =>
        (
          await peer.query<{ email: string; plan: string }>(`select email, plan from synced.${table} order by email`)
        ).map(({ email, plan }) => `${email} ${plan}`),
      rows: async (run: SyncRun, query = {}) =>
        (await administrator.ok(methods.syncRuns.listRows, { ...params, run: idIn(run.name) }, { query })).rows,
    }
  }

  return {
    open,
    lookedAt: (name: string, attempt?: number) => lookAt(made, name, attempt),
    leftOf: (name: string) => leftOf(made, name),
  }
}

/** Makes a data source and a destination that use MariaDB. */
const createMariaDbEnds = async ({ administrator, workspaceId: workspace }: Organization, { access }: MariaDbPeer) => {
  const settings = { ...access, tls: 'off' }
  const dataSource = await administrator.ok(
    methods.dataSources.create,
    { workspace },
    { body: { title: 'MariaDB', app: { name: 'catalogDataSources/mysql' }, settings } },
  )
  const target = await administrator.ok(
    methods.destinations.create,
    { workspace },
    { body: { title: 'MariaDB', app: { name: 'catalogDestinations/mysql' }, settings } },
  )
  return { dataSource: dataSource.name, target: target.name }
}

/**
 * Starts the control plane with PostgreSQL as a data source and destination, and HubSpot as a destination. Tests can
 * hold or break their deliveries, or make them refuse rows. Syncs run only when a test runs them. If a MariaDB is
 * given, it is also a data source and a destination.
 */
export const startSyncEngine = async (postgresUrl: string, mariaDb?: MariaDbPeer) => {
  const stack = new AsyncDisposableStack()
  const crm = createHubspot()
  const peer = stack.use(await createPostgresPeer(postgresUrl))
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  const folder = await mkdtemp(join(tmpdir(), 'tributary-syncs-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const delivery = await openDelivery(stack, { peer, mariaDb }, crm, folder)
  const harness = stack.use(
    await startControl({
      catalog: {
        ...testCatalog,
        destinations: listed(destination as DestinationDefinition, hubspot, mysql as DestinationDefinition),
        dataSources: listedDataSources(source, mariaDbSource, profiles),
      },
      outbound: delivery.outbound,
    }),
  )
  const organization = await startOrganization(harness)
  const workspace = { workspace: organization.workspaceId }
  const { administrator } = organization
  const settings = { ...peer.access, tls: 'off' }
  const dataSource = (
    await administrator.ok(methods.dataSources.create, workspace, {
      body: { title: 'Shop', app: { name: 'catalogDataSources/postgresql' }, settings },
    })
  ).name
  const target = (
    await administrator.ok(methods.destinations.create, workspace, {
      body: {
        title: 'Customers',
        app: { name: 'catalogDestinations/postgresql' },
        settings: { ...settings, schema: 'synced' },
      },
    })
  ).name
  const hubspotTarget = (
    await administrator.ok(methods.destinations.create, workspace, {
      body: {
        title: 'HubSpot',
        app: { name: 'catalogDestinations/hubspot' },
        settings: { access_token: token },
      },
    })
  ).name

  const ofMariaDb = mariaDb && (await createMariaDbEnds(organization, mariaDb))
  delivery.state.mariaDbId = ofMariaDb === undefined ? '' : idIn(ofMariaDb.target)
  const made = { peer, harness, organization, dataSource, target }
  return {
    ...made,
    mariaDb: ofMariaDb,
    delivery,
    hubspotTarget,
    crm,
    ...createOpening(made),
    /** Resets everything that tests have changed. */
    calm: (): void => {
      setFaultHandler(undefined)
      delivery.state.held = false
      delivery.state.away = false
      delivery.state.refuse = () => false
      delivery.state.sent.length = 0
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Whether the counts of a run add up to the number of rows that it has read. */
export const sums = ({ counts }: SyncRun): boolean => {
  if (counts === null) return false
  const { read, added, changed, updated, sent_again, unchanged, skipped, invalid, rejected, waiting, not_sent } = counts
  const written = added + changed + updated + sent_again
  return read === written + unchanged + skipped + invalid + rejected + waiting + not_sent
}

/**
 * The rows of a first run. In `second`, one of them is unchanged, one has changed, one is missing, and one row is new.
 */
export const first: Row[] = [
  ['1', 'ada', 'pro'],
  ['2', 'bob', 'free'],
  ['3', 'cyd', 'free'],
]
/** The rows of a second run after `first`. */
export const second: Row[] = [
  ['1', 'ada', 'pro'],
  ['2', 'bob', 'pro'],
  ['4', 'dee', 'free'],
]
