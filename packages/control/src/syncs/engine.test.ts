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
import { postgresql as source } from '@tributary/connectors/data-sources/postgresql'
import { profiles } from '@tributary/connectors/data-sources/profiles'
import { hubspot } from '@tributary/connectors/destinations/hubspot'
import { postgresql as destination } from '@tributary/connectors/destinations/postgresql'
import { createHubspot, token } from '@tributary/connectors/testing/hubspot'
import { deliveryMeta, methods, peopleTables, type SyncMode, type SyncRun, syncLimits } from '@tributary/contract'
import { newId, setFaultHandler, silentLogger } from '@tributary/kernel'
import { openLogReader, openLogWriter } from '@tributary/storage'
import { createPostgresPeer, eventually, type PostgresPeer } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import {
  type Harness,
  idIn,
  listed,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { trialAudience } from '../testing/requests.ts'

const stack = new AsyncDisposableStack()
let peer: PostgresPeer
let harness: Harness
let organization: Organization
let delivery: Awaited<ReturnType<typeof openDelivery>>
let dataSource: string
let target: string
/** A destination that is HubSpot, and what is there. */
let hubspotTarget: string
const crm = createHubspot()

/** Delivery in its smallest form: hands rows of the stream to the connector, and writes down what it answers. */
const openDelivery = async (folder: string) => {
  const stream = await openLogWriter({ dir: join(folder, 'stream'), inline: true })
  stack.defer(() => stream.close())
  const told = await openLogWriter({ dir: join(folder, 'outcomes'), inline: true })
  stack.defer(() => told.close())
  const reader = openLogReader({ dir: join(folder, 'stream') })
  stack.defer(() => reader.close())
  const outcomes = openLogReader({ dir: join(folder, 'outcomes') })
  stack.defer(() => outcomes.close())
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
      body: JSON.parse(body),
    }),
  )
  stack.defer(() => vendor.close())
  const hubspotContext: DeliverContext = {
    ...context,
    settings: { access_token: token },
    request: (asked) => client.request({ ...asked, url: asked.url.replace('https://api.hubapi.com/', vendor.url) }),
  }
  const hand = (rows: readonly OutgoingRow[]) =>
    rows[0]?.object.startsWith('crm/') === true
      ? hubspot.deliverRows?.(rows, hubspotContext)
      : destination.deliverRows?.(rows, context)
  const stopping = new AbortController()
  const state = { sent: [] as string[], held: false, away: false, refuse: (_key: string): boolean => false }

  const deliver = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const taken = rows.filter(({ key }) => !state.refuse(key))
    const answer = taken.length === 0 ? [] : (await hand(taken))?.outcomes
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
      const tell = async (found: readonly EventOutcome[]): Promise<void> => {
        const body = rows.map(({ recordId }, index) => {
          const outcome = found[index] ?? { kind: 'retry', reason: '' }
          const reason = 'reason' in outcome ? outcome.reason : ''
          return { recordId, destinationId: d[0], status: statuses[outcome.kind], reason, time: Date.now() }
        })
        await told.append({ key: producer?.n ?? '', meta: '{}', body: Buffer.from(JSON.stringify(body)) })
      }
      if (state.away) {
        await tell(rows.map(() => ({ kind: 'retry', reason: 'Nobody is there' })))
        await eventually('the destination is back', () => !state.away || stopping.signal.aborted, 60_000)
      }
      const found = await deliver(rows)
      state.sent.push(...rows.map(({ operation, key }) => `${operation} ${key}`))
      await tell(found)
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
  return { state, outbound: { stream, outcomes, mayAppend: () => true } }
}

beforeAll(async () => {
  peer = stack.use(await createPostgresPeer(inject('postgresUrl')))
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  const folder = await mkdtemp(join(tmpdir(), 'tributary-syncs-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  delivery = await openDelivery(folder)
  harness = stack.use(
    await startControl({
      catalog: {
        ...testCatalog,
        destinations: listed(destination as DestinationDefinition, hubspot),
        dataSources: listedDataSources(source, profiles),
      },
      outbound: delivery.outbound,
    }),
  )
  organization = await startOrganization(harness)
  const workspace = { workspace: organization.workspaceId }
  const { administrator } = organization
  const settings = { ...peer.access, tls: 'off' }
  dataSource = (
    await administrator.ok(methods.dataSources.create, workspace, {
      body: { title: 'Shop', app: { name: 'catalogDataSources/postgresql' }, settings },
    })
  ).name
  target = (
    await administrator.ok(methods.destinations.create, workspace, {
      body: {
        title: 'Customers',
        app: { name: 'catalogDestinations/postgresql' },
        settings: { ...settings, schema: 'synced' },
      },
    })
  ).name
  hubspotTarget = (
    await administrator.ok(methods.destinations.create, workspace, {
      body: {
        title: 'HubSpot',
        app: { name: 'catalogDestinations/hubspot' },
        settings: { access_token: token },
      },
    })
  ).name
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  setFaultHandler(undefined)
  delivery.state.held = false
  delivery.state.away = false
  delivery.state.refuse = () => false
  delivery.state.sent.length = 0
})

let tables = 0
type Row = [id: string | null, email: string | null, plan: string | null]

/** A table of its own, a model of it and a sync to a table of the same name. */
const open = async (mode: SyncMode, more: Record<string, unknown> = {}) => {
  const { administrator, workspaceId: workspace } = organization
  const table = `people${++tables}`
  await peer.query(`create table shop.${table} (id bigint, email text, plan text, seen timestamptz, spent numeric)`)
  await peer.query(`grant select on shop.${table} to ${peer.access.user}`)
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    {
      body: { title: 'People', data_source: dataSource, query: { schema: 'shop', table }, primary_key: ['id'] },
    },
  )
  const fields = ['email', 'plan', 'seen', 'spent'].map((name) => ({ column: name, target: name }))
  const made = await administrator.ok(
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
  const params = { workspace, sync: idIn(made.name) }
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
      return await lookedAt(begun.name)
    },
    there: async (): Promise<string[]> =>
      (await peer.query<{ email: string; plan: string }>(`select email, plan from synced.${table} order by email`)).map(
        ({ email, plan }) => `${email} ${plan}`,
      ),
    rows: async (run: SyncRun, query = {}) =>
      (await administrator.ok(methods.syncRuns.listRows, { ...params, run: idIn(run.name) }, { query })).rows,
  }
}

/** Does a dry run, as its job would. */
const lookedAt = async (name: string, attempt = 1) => {
  const { administrator, workspaceId: workspace } = organization
  const run = { signal: new AbortController().signal, attempt }
  await harness.dryRunSync({ dry_run: idIn(name) }, run)
  return await administrator.ok(methods.syncDryRuns.get, { workspace, dry_run: idIn(name) })
}

/** What the event store has of a run or a dry run. */
const leftOf = async (name: string): Promise<number> => {
  const found = await harness.eventStore.query<{ n: number }>(
    `select (select count() from sync_staged where run_id = {run:String}) + (
       select count() from sync_changes where run_id = {run:String}) as n`,
    { run: idIn(name) },
    { owner: 'system' },
  )
  return found[0]?.n ?? 0
}

const sums = ({ counts }: SyncRun): boolean => {
  if (counts === null) return false
  const { read, added, changed, unchanged, skipped, invalid, rejected, waiting } = counts
  return read === added + changed + unchanged + skipped + invalid + rejected + waiting
}
const first: Row[] = [
  ['1', 'ada', 'pro'],
  ['2', 'bob', 'free'],
  ['3', 'cyd', 'free'],
]
const second: Row[] = [
  ['1', 'ada', 'pro'],
  ['2', 'bob', 'pro'],
  ['4', 'dee', 'free'],
]

// First: a change of the event store looks at every part, and each run has its own.
test('after a deletion nothing of the user is left of a sync of profiles but the key of a mirrored row, which goes when the next run has removed it there; what is of others stays', async () => {
  const people = await openPeople('FULL_SYNC', 'all')
  const { administrator } = organization
  await know(people.workspace, ['zoe', 'yan'])
  const run = await people.run()
  if (run === undefined) throw new Error('There is no run')
  await logDeliveries(people, run, ['zoe', 'yan'])
  const dry = await administrator.ok(methods.syncDryRuns.createForSync, people.params, { body: { resync: true } })
  await harness.dryRunSync({ dry_run: idIn(dry.name) }, { signal: new AbortController().signal, attempt: 1 })
  const stores = ['sync_staged', 'sync_changes', 'sync_confirmed', 'deliveries', 'sync_dry_runs', 'parked_deliveries']
  expect(await mentions('zoe')).toEqual(stores)
  const deletion = await deleteUser(people.workspace, 'zoe')
  for (const point of ['erasure.before-sync-rows', 'erasure.after-sync-rows']) {
    setFaultHandler((name) => {
      if (name !== point) return
      setFaultHandler(undefined)
      throw new Error(`broken off at ${point}`)
    })
    await expect(deletion.work()).rejects.toThrow(point)
  }
  await deletion.work()
  expect(await mentions('zoe')).toEqual(['sync_confirmed', 'privacy_syncs'])
  expect(await mentions('yan')).toEqual(stores.filter((store) => store !== 'sync_dry_runs'))
  expect(await deletion.deliveries()).toEqual(['running', 'Waiting for a run of Reachable'])
  const there = async () => (await people.there()).map(({ user_id }) => user_id)
  expect(await there()).toContain('zoe')
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 4, removed: 1 } })
  expect(await there()).toEqual(['ada', 'bob', 'cyd', 'yan'])
  expect(await mentions('zoe')).toContain('sync_changes')
  await harness.finishPrivacyRequests()
  expect(await mentions('zoe')).toEqual([])
  expect(await mentions('yan')).toContain('sync_confirmed')
  expect(await deletion.deliveries()).toEqual(['done', ''])
})

test('a run under way does not send who was deleted since it read, and what no run removes goes when it has ended, also keys of emails that were replaced', async () => {
  const people = await openPeople('UPSERT_ONLY', 'all', 'email')
  const { administrator } = organization
  await know(people.workspace, ['xia', 'wim'])
  const known = { sync_id: people.params.sync, key: 'xia@old.example', hash: 'x'.repeat(16), held: 1, version: 1 }
  await harness.eventStore.insert('sync_confirmed', [JSON.stringify(known)], { token: newId() })
  await administrator.ok(methods.syncs.run, people.params, { body: {} })
  setFaultHandler((name) => {
    if (name === 'sync.after-plan') throw new Error('broken off')
  })
  const job = { sync: people.params.sync }
  const run = { signal: new AbortController().signal, attempt: 1 }
  await expect(harness.runSync(job, run)).rejects.toThrow('broken off')
  setFaultHandler(undefined)
  const [first] = (await administrator.ok(methods.syncRuns.list, people.params)).runs
  const id = idIn(first?.name ?? '')
  const { n } = (
    await harness.eventStore.query<{ n: number }>(
      "select countIf(operation != '') as n from sync_changes where run_id = {id:String}",
      { id },
      { owner: 'system' },
    )
  )[0] ?? { n: 0 }
  await harness.db.updateTable('sync_runs').set({ state: 'sending', plan_size: n }).where('id', '=', id).execute()
  const deletion = await deleteUser(people.workspace, 'xia')
  await deletion.work()
  expect(await deletion.deliveries()).toEqual(['running', 'Waiting for a run of Reachable'])
  await harness.runSync(job, run)
  expect(delivery.state.sent.join()).toContain('wim')
  expect(delivery.state.sent.join()).not.toContain('xia')
  await harness.finishPrivacyRequests()
  expect(await mentions('xia')).toEqual([])
  expect(await mentions('wim')).toEqual(['sync_staged', 'sync_changes', 'sync_confirmed'])
  expect(await deletion.deliveries()).toEqual(['done', ''])
})

test('a sync is found by its title until it is deleted', async () => {
  const { administrator, workspaceId: workspace } = organization
  const { params } = await open('UPSERT_ONLY', { title: 'Zebras' })
  const found = async () =>
    (await administrator.ok(methods.workspaces.search, { workspace }, { query: { search: 'zebras' } })).objects
  expect(await found()).toMatchObject([{ kind: 'sync', title: 'Zebras' }])
  await administrator.ok(methods.syncs.delete, params)
  expect(await found()).toEqual([])
})

test('a sync runs from one database to another: what is new, changed and gone there is the same, and each row counts once', async () => {
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill(first)
  const begun = await sync.run()
  expect(begun).toMatchObject({ state: 'succeeded', counts: { read: 3, added: 3 }, rows_read: 3 })
  expect(Object.keys(begun.state_times)).toEqual(['queued', 'extracting', 'diffing', 'sending', 'succeeded'])
  expect(await sync.there()).toEqual(['ada pro', 'bob free', 'cyd free'])
  expect(
    await peer.query(`select spent::text, seen at time zone 'UTC' as seen from synced.${sync.table} limit 1`),
  ).toEqual([{ spent: '12345678901234567890.10', seen: expect.anything() }])
  await sync.fill(second)
  const run = await sync.run()
  expect(run).toMatchObject({
    state: 'succeeded',
    planned: { added: 1, changed: 1, removed: 1 },
    counts: { read: 3, added: 1, changed: 1, unchanged: 1, waiting: 0, removed: 1 },
  })
  expect(sums(run)).toBe(true)
  expect(await sync.there()).toEqual(['ada pro', 'bob pro', 'dee free'])
  delivery.state.sent.length = 0
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 3, unchanged: 3 } })
  expect(delivery.state.sent).toEqual([])
})

test.each([
  ['UPSERT_ONLY', ['ada pro', 'bob pro', 'cyd free', 'dee free', 'eve theirs']],
  ['INSERT_ONLY', ['ada pro', 'bob free', 'cyd free', 'dee free', 'eve theirs']],
  ['UPDATE_ONLY', ['eve pro']],
] as const)('%s leaves what it promises in a table that others have filled', async (mode, expected) => {
  const sync = await open(mode, { guard_percent: 100 })
  await peer.query(`create schema if not exists synced authorization ${peer.access.user}`)
  await peer.query(
    `create table synced.${sync.table} (email text primary key, plan text, seen timestamptz, spent numeric)`,
  )
  await peer.query(`alter table synced.${sync.table} owner to ${peer.access.user}`)
  await peer.query(`insert into synced.${sync.table} values ('eve', 'theirs')`)
  await sync.fill(first)
  await sync.run()
  await sync.fill([...second, ['5', 'eve', 'pro']])
  const run = await sync.run()
  expect(sums(run)).toBe(true)
  expect(run.state).toBe('succeeded')
  expect(await sync.there()).toEqual(
    mode === 'UPSERT_ONLY' ? expected.map((row) => row.replace('eve theirs', 'eve pro')) : expected,
  )
})

test.each([
  ['FULL_SYNC', ['ada pro', 'bob pro', 'dee free']],
  ['UPSERT_ONLY', ['ada pro', 'bob pro', 'cyd free', 'dee free']],
  ['INSERT_ONLY', ['ada pro', 'bob free', 'cyd free', 'dee free']],
  ['UPDATE_ONLY', []],
] as const)('%s leaves what it promises in HubSpot, and each row counts once', async (mode, expected) => {
  const type = `p1_${mode.toLowerCase()}`
  const more = { destination: hubspotTarget, object: 'custom_object', object_name: type }
  const sync = await open(mode, { ...more, guard_percent: 100 })
  await sync.fill([...first, ['9', 'odd', 'bad']])
  crm.refuseBad(type)
  const begun = await sync.run()
  expect(sums(begun)).toBe(true)
  const updates = mode === 'UPDATE_ONLY'
  expect(begun).toMatchObject({
    state: updates ? 'succeeded' : 'partial',
    counts: updates ? { read: 4, skipped: 4 } : { read: 4, added: 3, rejected: 1 },
  })
  await sync.fill(second)
  const run = await sync.run()
  expect(sums(run)).toBe(true)
  expect(run).toMatchObject({ state: 'succeeded', counts: { waiting: 0, removed: mode === 'FULL_SYNC' ? 1 : 0 } })
  const there = crm.read(type).map(({ email, plan }) => `${email} ${plan}`)
  expect(there.toSorted()).toEqual(expected)
})

test('null and duplicate keys are invalid with their reasons, rejected rows go again, and each is found by its key', async () => {
  const sync = await open('UPSERT_ONLY')
  await sync.fill([
    ['1', 'ada', 'pro'],
    ['2', 'bob', 'x'],
    ['3', 'bob', 'y'],
    [null, 'cyd', 'z'],
    ['5', null, 'z'],
  ])
  delivery.state.refuse = (key) => key === 'ada'
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'partial', counts: { read: 5, added: 0, invalid: 4, rejected: 1 } })
  expect(await sync.rows(run, { key: 'ada' })).toMatchObject([{ outcome: 'rejected', reason: 'No such plan' }])
  expect(await sync.rows(run, { key: 'bob' })).toMatchObject([
    { outcome: 'invalid', rows: 2, reason: 'Several rows have this key' },
  ])
  expect(await sync.rows(run, { key: 'cyd' })).toMatchObject([{ reason: 'The primary key is null' }])
  expect((await sync.rows(run, { outcome: 'invalid' })).map(({ reason }) => reason).toSorted()).toEqual([
    'Several rows have this key',
    'The primary key is null',
    'email is null',
  ])
  delivery.state.refuse = () => false
  await peer.query(`update shop.${sync.table} set plan = 'later' where id = 1`)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1, invalid: 4, rejected: 0 } })
  expect(await sync.there()).toEqual(['ada later'])
})

test('a rerun sends the rejected rows alone, with their latest values, and counts only these', async () => {
  const { administrator } = organization
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill([...first, ['4', 'dee', 'free']])
  await sync.run()
  // One is refused as changed, one as a removal, two as new, of which one is gone by the next time.
  delivery.state.refuse = () => true
  await sync.fill([
    ['1', 'ada', 'pro'],
    ['2', 'bob', 'pro'],
    ['3', 'cyd', 'free'],
    ['5', 'eve', 'x'],
    ['6', 'fay', 'x'],
  ])
  const partial = await sync.run()
  expect(partial).toMatchObject({
    state: 'partial',
    counts: { read: 5, unchanged: 2, rejected: 3, removals_rejected: 1 },
  })
  const rerun = (run: SyncRun) =>
    administrator.ok(methods.syncRuns.rerun, { ...sync.params, run: idIn(run.name) }, { body: {} })
  delivery.state.refuse = () => false
  delivery.state.sent.length = 0
  await sync.fill([
    ['1', 'ada', 'changed'],
    ['2', 'bob', 'later'],
    ['3', 'cyd', 'free'],
    ['5', 'eve', 'x'],
    ['7', 'new', 'x'],
  ])
  expect(await rerun(partial)).toMatchObject({ state: 'queued', rerun_of: partial.name })
  await sync.work()
  const run = await sync.last()
  expect(run).toMatchObject({
    state: 'succeeded',
    counts: { read: 2, added: 1, changed: 1, unchanged: 0, rejected: 0, removed: 1 },
  })
  expect(sums(run)).toBe(true)
  expect(delivery.state.sent.toSorted()).toEqual(['delete dee', 'upsert bob', 'upsert eve'])
  expect(await sync.there()).toEqual(['ada pro', 'bob later', 'cyd free', 'eve x'])
  expect(await sync.run()).toMatchObject({ counts: { read: 5, added: 1, changed: 1, unchanged: 3, removed: 0 } })
  await expect(rerun(run)).rejects.toThrow('SYNC_RUN_STATE')
})

test('of a rejected row the last attempt is told with request and response, and nothing of a row of another run', async () => {
  const { administrator, workspaceId } = organization
  const sync = await open('UPSERT_ONLY')
  await sync.fill(first)
  delivery.state.refuse = (key) => key === 'bob'
  const run = await sync.run()
  const [row] = await sync.rows(run, { key: 'bob' })
  const params = { ...sync.params, run: idIn(run.name), row: String(row?.number) }
  const attemptOf = async (given = params) => (await administrator.ok(methods.syncRuns.getRowAttempt, given)).attempt
  expect(await attemptOf()).toBeNull()
  const log = (attempt: number, request: string) =>
    harness.eventStore.insert(
      'deliveries',
      JSON.stringify({
        workspace_id: workspaceId,
        destination_id: idIn(target),
        source_id: sync.params.sync,
        event_id: `${params.run}.${params.row}`,
        time: '2026-01-01 00:00:00.000',
        attempt,
        status: attempt === 1 ? 'retry' : 'dead',
        http_status: 422,
        latency_ms: 5,
        reason: 'No such plan',
        request,
        response: 'no',
      }),
      { token: `${params.run} ${attempt}` },
    )
  await log(1, 'first')
  await log(2, 'second')
  expect(await attemptOf()).toEqual({
    time: '2026-01-01T00:00:00.000Z',
    attempt: 2,
    http_status: 422,
    latency_ms: 5,
    reason: 'No such plan',
    request: 'second',
    response: 'no',
  })
  const next = await sync.run()
  expect(await attemptOf({ ...params, run: idIn(next.name) })).toBeNull()
})

test('a rerun of rows that are not in the model any more sends nothing, asks nothing, and ends well', async () => {
  const { administrator } = organization
  const sync = await open('UPSERT_ONLY')
  await sync.fill(first)
  delivery.state.refuse = (key) => key === 'bob'
  const partial = await sync.run()
  delivery.state.refuse = () => false
  delivery.state.sent.length = 0
  await sync.fill(first.slice(0, 1))
  await administrator.ok(methods.syncRuns.rerun, { ...sync.params, run: idIn(partial.name) }, { body: {} })
  await sync.work()
  expect(await sync.last()).toMatchObject({ state: 'succeeded', counts: { read: 0, unchanged: 0 } })
  expect(delivery.state.sent).toEqual([])
})

test('a run that would change or remove more than its share asks, and sends only once it is approved', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  await sync.run()
  await sync.fill([])
  const asking = await sync.run()
  expect(asking).toMatchObject({ state: 'needs_approval', message: 'The model has no rows', planned: { removed: 3 } })
  expect(await sync.there()).toHaveLength(3)
  const { administrator } = organization
  const params = { ...sync.params, run: idIn(asking.name) }
  expect(
    await administrator.call('POST', `/workspaces/${sync.params.workspace}/syncs/${sync.params.sync}:run`, {}),
  ).toMatchObject({
    status: 409,
    body: { reason: 'SYNC_RUNNING' },
  })
  await administrator.ok(methods.syncRuns.cancel, params, { body: {} })
  await sync.fill(first.slice(0, 2))
  const again = await sync.run()
  expect(again).toMatchObject({ state: 'needs_approval', message: expect.stringContaining('remove 1 of 3') })
  await administrator.ok(methods.syncRuns.approve, { ...params, run: idIn(again.name) }, { body: {} })
  await sync.work()
  expect(await sync.last()).toMatchObject({
    state: 'succeeded',
    counts: { removed: 1 },
    approved_by: `users/${administrator.userId}`,
  })
  expect(await sync.there()).toEqual(['ada pro', 'bob free'])
})

test.each(['sync.after-stage', 'sync.after-plan', 'sync.after-append', 'sync.after-outcomes', 'sync.after-confirm'])(
  'broken off at %s it ends in the same result, and sends nothing twice',
  async (point) => {
    const sync = await open('FULL_SYNC', { guard_percent: 100 })
    await sync.fill(first)
    await sync.run()
    await sync.fill(second)
    delivery.state.sent.length = 0
    await sync.begin()
    setFaultHandler((name) => {
      if (name === point) throw new Error(`broken off at ${point}`)
    })
    await expect(sync.work()).rejects.toThrow(point)
    setFaultHandler(undefined)
    await sync.work()
    expect(await sync.last()).toMatchObject({
      state: 'succeeded',
      counts: { read: 3, added: 1, changed: 1, unchanged: 1, removed: 1, waiting: 0 },
    })
    expect(await sync.there()).toEqual(['ada pro', 'bob pro', 'dee free'])
    expect(delivery.state.sent.toSorted()).toEqual(['delete cyd', 'upsert bob', 'upsert dee'])
    expect(await sync.run()).toMatchObject({ counts: { unchanged: 3 } })
  },
)

test('a canceled run waits for what was handed to delivery, and what it did counts', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  delivery.state.held = true
  const run = await sync.begin()
  const working = sync.work()
  await eventually(
    'all rows are appended',
    async () => (await delivery.outbound.stream.lastSequences(`sync ${sync.params.sync}`)).length > 0,
  )
  const params = { ...sync.params, run: idIn(run.name) }
  expect(await organization.administrator.ok(methods.syncRuns.cancel, params, { body: {} })).toMatchObject({
    state: 'canceling',
  })
  delivery.state.held = false
  await working
  expect(await sync.last()).toMatchObject({ state: 'canceled', counts: { added: 3, waiting: 0 } })
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { unchanged: 3 } })
})

test('a resync sends every row again; after a reset the next run counts as the first', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  await sync.run()
  expect(await sync.run(true)).toMatchObject({ state: 'succeeded', counts: { changed: 3, unchanged: 0 } })
  await organization.administrator.ok(methods.syncs.reset, sync.params, { body: {} })
  await sync.fill(first.slice(1))
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 2, removed: 0 } })
  expect(await sync.there()).toEqual(['ada pro', 'bob free', 'cyd free'])
})

test('a model that lost a column, and a database that refuses, end the run with words', async () => {
  const sync = await open('UPSERT_ONLY')
  await sync.fill(first)
  await peer.query(`alter table shop.${sync.table} rename column plan to tier`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: 'The model has no column plan any more' })
  await peer.query(`drop table shop.${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: expect.stringContaining('does not exist') })
})

test('a table that is renamed between dry run and run fails the run with words, and nothing is sent', async () => {
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill(first)
  await sync.run()
  await sync.fill(second)
  delivery.state.sent.length = 0
  expect(await sync.dryRun()).toMatchObject({ state: 'done', counts: { added: 1, changed: 1, removed: 1 } })
  await peer.query(`alter table shop.${sync.table} rename to ${sync.table}_old`)
  expect(await sync.run()).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(`relation "shop.${sync.table}" does not exist`),
  })
  expect(delivery.state.sent).toEqual([])
  expect(await sync.there()).toEqual(['ada pro', 'bob free', 'cyd free'])
  await peer.query(`alter table shop.${sync.table}_old rename to ${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1, changed: 1, removed: 1 } })
})

test('a column whose type is another than in the run before marks those rows changed whose value is written otherwise', async () => {
  const sync = await open('UPSERT_ONLY', { guard_percent: 100 })
  await sync.fill([
    ['1', 'ada', '07'],
    ['2', 'bob', null],
  ])
  await sync.run()
  await peer.query(`alter table shop.${sync.table} alter column plan type integer using plan::integer`)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 2, changed: 1, unchanged: 1 } })
  expect(await sync.there()).toEqual(['ada 7', 'bob null'])
})

test('a database that goes away while it is read fails the run in words once it was tried again, sends nothing, and the next run is whole', async () => {
  const sync = await open('UPSERT_ONLY')
  await peer.query(`alter table shop.${sync.table} rename to ${sync.table}_rows`)
  const view = (more: string) =>
    peer.query(`create or replace view shop.${sync.table} as select * from shop.${sync.table}_rows ${more}`)
  // It has given thousands of rows when it comes to the one that it never gives.
  await view(`union all select null, null, null, null, null from pg_sleep(600)`)
  await peer.query(`grant select on shop.${sync.table} to ${peer.access.user}`)
  await peer.query(
    `insert into shop.${sync.table}_rows (id, email, plan) select n, 'k' || n, 'p' from generate_series(1, 5000) as n`,
  )
  await sync.begin()
  const stop = () =>
    peer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and usename = '${peer.access.user}'`,
    )
  for (const attempt of [1, 3]) {
    const working = harness.runSync({ sync: sync.params.sync }, { signal: new AbortController().signal, attempt })
    await eventually('it was in the midst of it', async () => (await stop()).length > 0)
    await (attempt === 1 ? expect(working).rejects.toThrow() : working)
  }
  expect(await sync.last()).toMatchObject({ state: 'failed', message: expect.stringMatching(/./) })
  expect(delivery.state.sent).toEqual([])
  await view('')
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 5000, added: 5000 } })
})

test('a run whose destination goes away midway waits for it, says how many rows wait, and sends each once when it is back', async () => {
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill(first)
  await sync.run()
  await sync.fill(second)
  delivery.state.sent.length = 0
  delivery.state.away = true
  const begun = await sync.begin()
  const working = sync.work()
  await eventually('it is told that they wait', async () => {
    const rows = await sync.rows(begun, { outcome: 'retrying' })
    return rows.length === 3 && rows.every(({ reason }) => reason === 'Nobody is there')
  })
  expect(await sync.last()).toMatchObject({
    state: 'sending',
    counts: { unchanged: 1, waiting: 2, removals_waiting: 1 },
  })
  delivery.state.away = false
  await working
  expect(await sync.last()).toMatchObject({
    state: 'succeeded',
    counts: { added: 1, changed: 1, removed: 1, waiting: 0 },
  })
  expect(delivery.state.sent.toSorted()).toEqual(['delete cyd', 'upsert bob', 'upsert dee'])
})

test('what is due runs once however many look for it, and says so when the run before had not ended', async () => {
  const sync = await open('UPSERT_ONLY', { interval_minutes: 15 })
  await sync.fill(first)
  harness.advance(61 * 60_000)
  await Promise.all([harness.queueDueSyncs(), harness.queueDueSyncs()])
  const { administrator } = organization
  expect((await administrator.ok(methods.syncRuns.list, sync.params)).runs).toMatchObject([
    { state: 'queued', trigger: 'schedule' },
  ])
  harness.advance(16 * 60_000)
  await harness.queueDueSyncs()
  expect(await administrator.ok(methods.syncs.get, sync.params)).toMatchObject({
    schedule_note: 'The run before had not ended',
  })
  await sync.work()
  expect(await sync.last()).toMatchObject({ state: 'succeeded' })
})

test('two schedulers that both see that a sync is due begin one run', async () => {
  const sync = await open('UPSERT_ONLY', { interval_minutes: 15 })
  harness.advance(16 * 60_000)
  const waiting = async () =>
    (
      await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'update "syncs" set "next_run_time"%'`.execute(
        harness.db,
      )
    ).rows[0]?.n
  let schedulers: Promise<unknown> = Promise.resolve()
  await harness.db.transaction().execute(async (tx) => {
    await tx.selectFrom('syncs').select('id').where('id', '=', sync.params.sync).forUpdate().execute()
    schedulers = Promise.all([harness.queueDueSyncs(), harness.queueDueSyncs()])
    await eventually('both have found it due', async () => (await waiting()) === 2)
  })
  await schedulers
  expect((await organization.administrator.ok(methods.syncRuns.list, sync.params)).runs).toHaveLength(1)
  expect(await organization.administrator.ok(methods.syncs.get, sync.params)).toMatchObject({ schedule_note: '' })
})

test('a clock that went backwards keeps no schedule waiting for as long as it was ahead', async () => {
  const { administrator } = organization
  const now = harness.now()
  const dueIn = async (params: { workspace: string; sync: string }) =>
    Date.parse((await administrator.ok(methods.syncs.get, params)).next_run_time ?? '') - now
  harness.advance(3 * 60 * 60_000)
  const often = await open('UPSERT_ONLY', { interval_minutes: 60 })
  const byClock = await open('UPSERT_ONLY', { cron: { expression: '*/5 * * * *', time_zone: 'UTC' } })
  harness.advance(-3 * 60 * 60_000)
  for (const { params } of [often, byClock]) expect(await dueIn(params)).toBeGreaterThan(3 * 60 * 60_000)
  await harness.queueDueSyncs()
  expect(await dueIn(often.params)).toBeLessThan(61 * 60_000)
  expect(await dueIn(byClock.params)).toBeLessThanOrEqual(5 * 60_000)
  for (const { params } of [often, byClock])
    expect((await administrator.ok(methods.syncRuns.list, params)).runs).toEqual([])
})

test('a sync whose predecessor is deleted, also with its model, says so until it has another schedule, and is told of once', async () => {
  const { administrator, collaborator, guest, workspaceId: workspace } = organization
  const nameOf = ({ params }: { params: { sync: string } }) => `workspaces/${workspace}/syncs/${params.sync}`
  const first = await open('UPSERT_ONLY', { title: 'Accounts' })
  const second = await open('UPSERT_ONLY', { after: nameOf(first) })
  const third = await open('UPSERT_ONLY', { after: nameOf(second) })
  const told = async (who: typeof guest, of: typeof first) =>
    (await who.ok(methods.notifications.list, { user: who.userId })).notifications
      .filter(({ kind, link }) => kind === 'sync_stalled' && link.includes(of.params.sync))
      .map(({ title, body }) => `${title}: ${body}`)
  await administrator.ok(methods.syncs.delete, first.params)
  const note = 'This sync ran after Accounts, which was deleted. Choose another schedule'
  expect(await administrator.ok(methods.syncs.get, second.params)).toMatchObject({ after: null, schedule_note: note })
  await Promise.all([harness.queueDueSyncs(), harness.queueDueSyncs()])
  await harness.queueDueSyncs()
  for (const verb of ['pause', 'resume'] as const)
    expect(await administrator.ok(methods.syncs[verb], second.params, { body: {} })).toMatchObject({
      schedule_note: note,
    })
  await second.begin()
  await harness.queueDueSyncs()
  for (const who of [administrator, collaborator])
    expect(await told(who, second)).toEqual([
      'People is not running on schedule: It ran after Accounts, which was deleted. Choose another schedule.',
    ])
  expect(await told(guest, second)).toEqual([])
  const mails = await harness.mailsTo(collaborator.email)
  expect(mails.filter(({ body_text }) => body_text.includes(`${second.params.sync}`))).toMatchObject([
    { subject: 'People is not running on schedule' },
  ])
  expect(await administrator.ok(methods.syncs.update, second.params, { body: { interval_minutes: 60 } })).toMatchObject(
    { schedule_note: '' },
  )
  await administrator.ok(methods.models.delete, { workspace, model: idIn(second.model.name) })
  await harness.queueDueSyncs()
  expect(await administrator.ok(methods.syncs.get, third.params)).toMatchObject({
    schedule_note: expect.stringContaining('which was deleted'),
  })
  expect(await told(administrator, third)).toHaveLength(1)
})

test('a run that takes too long is told of while it is under way and not again at its end, but what else was wrong with it is', async () => {
  const { administrator, collaborator } = organization
  const alerts = { failed: true, rejected_percent: null, minutes: 30, rows_percent: null }
  const sync = await open('UPSERT_ONLY', { alerts })
  const told = async () =>
    (await administrator.ok(methods.notifications.list, { user: administrator.userId })).notifications
      .filter(({ link }) => link.includes(sync.params.sync))
      .map(({ title, body }) => `${title}: ${body}`)
  // A model without rows waits for approval.
  const slow = async () => {
    await sync.begin()
    await sync.work()
    const params = { ...sync.params, run: idIn((await sync.last()).name) }
    harness.advance(29 * 60_000)
    await harness.queueDueSyncs()
    expect(await sync.last()).toMatchObject({ state: 'needs_approval', alert: '' })
    harness.advance(2 * 60_000)
    await Promise.all([harness.queueDueSyncs(), harness.queueDueSyncs()])
    expect(await sync.last()).toMatchObject({
      state: 'needs_approval',
      alert: 'The run has not ended after 30 minutes',
    })
    await administrator.ok(methods.syncRuns.approve, params, { body: {} })
    await sync.work()
    return await sync.last()
  }
  const news = 'People needs attention: The run has not ended after 30 minutes. It needs approval.'
  expect(await slow()).toMatchObject({ state: 'succeeded', alert: expect.stringMatching(/^The run took 3\d minutes/) })
  expect(await told()).toEqual([news])
  // The next one is slow, too: people know.
  await slow()
  expect(await told()).toEqual([news])
  await sync.fill(first)
  await sync.run()
  const recovered = 'People has recovered: The last run was as it should be.'
  expect(await told()).toEqual([recovered, news])
  expect(
    (await harness.mailsTo(collaborator.email))
      .filter(({ body_text }) => body_text.includes(sync.params.sync))
      .map(({ subject }) => subject),
  ).toEqual(['People needs attention', 'People has recovered'])
  delivery.state.refuse = (key) => key === 'ada'
  await administrator.ok(methods.syncs.update, sync.params, { body: { alerts: { ...alerts, rejected_percent: 10 } } })
  await sync.fill([['1', 'ada', 'other'], ...first.slice(1)])
  await administrator.ok(methods.syncs.update, sync.params, { body: { guard_percent: 0 } })
  await slow()
  expect((await told())[0]).toBe('People needs attention: 1 of 3 rows were rejected, which is more than 10%.')
})

test('a sync begins at the times of its cron expression, and one that follows it begins when its run has ended well', async () => {
  const { administrator, workspaceId: workspace } = organization
  const cron = { expression: '30 6 * * *', time_zone: 'Europe/Berlin' }
  const first = await open('UPSERT_ONLY', { cron })
  const second = await open('UPSERT_ONLY', { after: `workspaces/${workspace}/syncs/${first.params.sync}` })
  expect(await administrator.ok(methods.syncs.get, first.params)).toMatchObject({
    cron,
    next_run_time: expect.stringMatching(/T0[45]:30:00.000Z$/),
  })
  await first.fill([['1', 'ada', 'pro']])
  await second.fill([['1', 'ada', 'pro']])
  // Three days ago: what was missed is made up for by one run.
  await harness.db
    .updateTable('syncs')
    .set({ next_run_time: new Date(harness.now() - 3 * 24 * 60 * 60_000) })
    .where('id', '=', first.params.sync)
    .execute()
  await Promise.all([harness.queueDueSyncs(), harness.queueDueSyncs()])
  const { runs } = await administrator.ok(methods.syncRuns.list, first.params)
  expect(runs).toMatchObject([{ trigger: 'schedule' }])
  expect((await administrator.ok(methods.syncRuns.list, second.params)).runs).toEqual([])
  await first.work()
  expect((await administrator.ok(methods.syncRuns.list, second.params)).runs).toMatchObject([
    { state: 'queued', trigger: 'after' },
  ])
  await second.work()
  expect(await second.last()).toMatchObject({ state: 'succeeded' })
  await peer.query(`drop table shop.${first.table}`)
  expect(await first.run()).toMatchObject({ state: 'failed' })
  expect(await administrator.ok(methods.syncs.get, second.params)).toMatchObject({
    schedule_note: 'The run of People failed',
    after: { name: `workspaces/${workspace}/syncs/${first.params.sync}`, title: 'People' },
  })
})

test('people are told in inbox, mail, and channels when a sync fails, not again while it does, and when it has recovered', async () => {
  const sync = await open('UPSERT_ONLY', { guard_percent: 100 })
  const { administrator, collaborator, guest } = organization
  const told = async (who: typeof guest): Promise<string[]> =>
    (await who.ok(methods.notifications.list, { user: who.userId })).notifications
      .filter(({ kind, link }) => kind === 'sync_alert' && link.includes(sync.params.sync))
      .map(({ title, body }) => `${title}: ${body}`)
  await administrator.ok(
    methods.alertChannels.create,
    { workspace: organization.workspaceId },
    { body: { title: 'On call', kind: 'webhook', url: 'http://127.0.0.1:9/' } },
  )
  await sync.fill(first)
  await sync.run()
  expect(await told(administrator)).toEqual([])
  await peer.query(`alter table shop.${sync.table} rename to gone_${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'failed', alert: expect.stringContaining('does not exist') })
  await sync.run()
  expect(await told(administrator)).toEqual([expect.stringContaining('People needs attention: The run failed: ')])
  await peer.query(`alter table shop.gone_${sync.table} rename to ${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', alert: '' })
  await sync.run()
  for (const who of [administrator, collaborator])
    expect((await told(who)).map((text) => text.split(':')[0])).toEqual([
      'People has recovered',
      'People needs attention',
    ])
  expect(await told(guest)).toEqual([])
  const mails = (await harness.mailsTo(collaborator.email)).filter(({ body_text }) =>
    body_text.includes(sync.params.sync),
  )
  expect(mails.map(({ subject }) => subject)).toEqual(['People needs attention', 'People has recovered'])
  const messages = await harness.db.selectFrom('alert_messages').select('message').orderBy('create_time').execute()
  const runs = (await administrator.ok(methods.syncRuns.list, sync.params)).runs.toReversed()
  expect(messages.map(({ message }) => JSON.parse(message))).toMatchObject([
    { type: 'sync.alert', title: 'People needs attention', run: runs[1]?.name },
    { type: 'sync.recovered', title: 'People has recovered', run: runs[3]?.name },
  ])
  await administrator.ok(methods.syncs.update, sync.params, {
    body: { alerts: { failed: false, rejected_percent: 10, minutes: null, rows_percent: null } },
  })
  delivery.state.refuse = (key) => key === 'ada'
  await sync.fill([['1', 'ada', 'other'], ...first.slice(1)])
  expect(await sync.run()).toMatchObject({ state: 'partial', alert: expect.stringContaining('1 of 3 rows') })
})

test('syncs cannot wait for each other, and a sync has one schedule at a time', async () => {
  const { administrator, workspaceId: workspace, otherWorkspaceId } = organization
  const nameOf = ({ params }: { params: { sync: string } }) => `workspaces/${workspace}/syncs/${params.sync}`
  const first = await open('UPSERT_ONLY')
  const second = await open('UPSERT_ONLY', { after: nameOf(first) })
  const third = await open('UPSERT_ONLY', { after: nameOf(second) })
  const change = (body: object) => administrator.call('PATCH', `/${nameOf(first)}`, body)
  for (const after of [nameOf(first), nameOf(second), nameOf(third)])
    expect(await change({ after })).toMatchObject({ status: 400, body: { metadata: { after: expect.any(String) } } })
  expect((await change({ after: `workspaces/${otherWorkspaceId}/syncs/${first.params.sync}` })).status).toBe(404)
  const cron = { expression: '0 6 * * *', time_zone: 'UTC' }
  expect((await change({ interval_minutes: 60, cron })).status).toBe(400)
  expect((await change({ cron })).body).toMatchObject({ interval_minutes: null, cron, after: null })
  expect((await change({ interval_minutes: 60 })).body).toMatchObject({ interval_minutes: 60, cron: null })
  expect((await change({ interval_minutes: null })).body).toMatchObject({ interval_minutes: null, next_run_time: null })
})

test('a schedule that waits for a run is told of once, to those who may do something', async () => {
  const sync = await open('UPSERT_ONLY', { interval_minutes: 15 })
  const run = await sync.begin()
  const params = { ...sync.params, run: idIn(run.name) }
  for (let time = 0; time < 3; time++) {
    harness.advance(16 * 60_000)
    await harness.queueDueSyncs()
  }
  const { administrator, collaborator, guest } = organization
  const told = async (who: typeof guest) =>
    (await who.ok(methods.notifications.list, { user: who.userId })).notifications.filter(
      ({ kind, link }) => kind === 'sync_stalled' && link.includes(sync.params.sync),
    )
  expect(await told(administrator)).toMatchObject([{ title: 'People is not running on schedule' }])
  expect([await told(collaborator), await told(guest)].map(({ length }) => length)).toEqual([1, 0])
  await administrator.ok(methods.syncRuns.cancel, params, { body: {} })
})

test.each(['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'] as const)(
  '%s: a dry run names the keys and operations of the run on the same rows, over runs of random rows, and leaves nothing behind',
  async (mode) => {
    const sync = await open(mode, { guard_percent: 100 })
    let seed = mode.length
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const texts = (rows: readonly { change: string; operation: string; key: string; source_key: string }[]): string[] =>
      rows.map(({ change, operation, key, source_key }) => `${change} ${operation} ${key} ${source_key}`).toSorted()
    for (let round = 1; round <= 3; round++) {
      // Some without a key, some with that of another.
      const rows = Array.from(
        { length: 9 },
        (_, id): Row => [
          `${id}`,
          random(9) === 0 ? null : `p${random(8) === 0 ? 0 : id + random(2) * 9}`,
          `plan ${random(2)}`,
        ],
      )
      await sync.fill(rows)
      const dry = await sync.dryRun()
      expect(dry).toMatchObject({ state: 'done', message: '', read: 9 })
      expect(await leftOf(dry.name)).toBe(0)
      const run = await sync.run()
      expect(texts(dry.samples)).toEqual(texts(await sync.rows(run)))
      const { read, added, changed, skipped, invalid, unchanged, removed } = run.counts ?? {}
      const { counts } = dry
      expect(counts).toMatchObject({ read, invalid, unchanged, removed })
      // What the destination skips is known when it is written to.
      const sent = (counts?.added ?? 0) + (counts?.changed ?? 0) + (counts?.skipped ?? 0)
      expect(sent).toBe((added ?? 0) + (changed ?? 0) + (skipped ?? 0))
      expect(dry.asks).toBe('')
    }
  },
)

test('a dry run shows each field before and after, also with a mapping that is not saved, which marks rows changed', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  await sync.run()
  await harness.queueDueSyncs()
  await sync.fill(second)
  const dry = await sync.dryRun()
  expect(dry).toMatchObject({
    counts: { read: 3, added: 1, changed: 1, unchanged: 1, removed: 1, skipped: 0, invalid: 0 },
    asks: expect.stringContaining('change 1 and remove 1 of 3'),
  })
  const shown = Object.fromEntries(
    dry.samples.map(({ group, key, before_known, fields }) => [
      `${group} ${key}`,
      { before_known, plan: fields.find(({ name }) => name === 'plan') },
    ]),
  )
  expect(shown).toEqual({
    'added dee': { before_known: false, plan: { name: 'plan', before: null, after: '"free"' } },
    'changed bob': { before_known: true, plan: { name: 'plan', before: '"free"', after: '"pro"' } },
    'removed cyd': { before_known: true, plan: { name: 'plan', before: '"free"', after: null } },
  })
  await sync.fill(first)
  const fewer = await sync.dryRun({ fields: [{ column: 'email', target: 'email' }] })
  expect(fewer).toMatchObject({ counts: { changed: 3, unchanged: 0 } })
  expect(fewer.samples[0]?.fields).toContainEqual({
    name: 'spent',
    before: '12345678901234567890.10',
    after: null,
  })
  // Nothing of it was saved or sent.
  expect(await sync.run()).toMatchObject({ counts: { read: 3, unchanged: 3 } })
})

test('a sync that is not saved has a dry run as its first run would be; one that is canceled or fails leaves nothing behind', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  const { administrator, workspaceId: workspace } = organization
  const { model, destination, object, object_name, mode, identifier, fields } = await administrator.ok(
    methods.syncs.get,
    sync.params,
  )
  const body = { model: model.name, destination: destination.name, object, object_name, mode, identifier, fields }
  const begin = () => administrator.ok(methods.syncDryRuns.create, { workspace }, { body })
  const { name } = await begin()
  expect(await lookedAt(name)).toMatchObject({ state: 'done', sync: '', counts: { read: 3, added: 3 } })
  const canceled = await begin()
  await administrator.ok(methods.syncDryRuns.cancel, { workspace, dry_run: idIn(canceled.name) }, { body: {} })
  expect(await lookedAt(canceled.name)).toMatchObject({ state: 'canceled', counts: null })
  const stopped = await begin()
  const stopping = new AbortController()
  setFaultHandler((point) => {
    if (point === 'sync.dry-run-after-stage') stopping.abort(new Error('stopped'))
  })
  const job = { signal: stopping.signal, attempt: 1 }
  await expect(harness.dryRunSync({ dry_run: idIn(stopped.name) }, job)).rejects.toThrow('stopped')
  expect(await leftOf(stopped.name)).toBe(0)
  setFaultHandler(undefined)
  expect(await lookedAt(stopped.name)).toMatchObject({ state: 'done' })
  const broken = await begin()
  setFaultHandler((point) => {
    if (point === 'sync.dry-run-after-stage') throw new Error('broken off')
  })
  await expect(lookedAt(broken.name)).rejects.toThrow('broken off')
  expect(await leftOf(broken.name)).toBe(0)
  expect(await lookedAt(broken.name, 3)).toMatchObject({ state: 'failed', message: expect.stringContaining('again') })
  setFaultHandler(undefined)
  const refused = await begin()
  await peer.query(`drop table shop.${sync.table}`)
  expect(await lookedAt(refused.name)).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('does not exist'),
  })
  for (const each of [canceled, broken, refused]) expect(await leftOf(each.name)).toBe(0)
})

test('a workspace has few dry runs at a time, and those that ended are gone after an hour', async () => {
  const sync = await open('FULL_SYNC')
  const begin = () =>
    organization.administrator.call('POST', `/workspaces/${sync.params.workspace}/syncs/${sync.params.sync}:dryRun`, {})
  const begun = []
  for (let n = 0; n < syncLimits.dryRuns; n++) begun.push(await begin())
  expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
  expect(await begin()).toMatchObject({ status: 429, body: { reason: 'WORKSPACE_BUSY' } })
  for (const { body } of begun) await lookedAt(String(body.name))
  expect((await begin()).status).toBe(200)
  harness.advance(3 * 60 * 60_000)
  await harness.queueDueSyncs()
  expect(await harness.db.selectFrom('sync_dry_runs').select('id').execute()).toEqual([])
})

test('SRC-56: syncs go with their data source and with their destination, and so does what the event store has of them', async () => {
  const sync = await open('UPSERT_ONLY')
  await sync.fill(first)
  await sync.run()
  const { administrator } = organization
  await administrator.ok(methods.models.delete, { workspace: sync.params.workspace, model: idIn(sync.model.name) })
  expect(
    await administrator.call('GET', `/workspaces/${sync.params.workspace}/syncs/${sync.params.sync}`),
  ).toMatchObject({ status: 404 })
  await harness.queueDueSyncs()
  const left = await harness.eventStore.query<{ n: number }>(
    'select count() as n from sync_confirmed where sync_id = {sync:String}',
    { sync: sync.params.sync },
    { owner: 'system' },
  )
  expect(left).toEqual([{ n: 0 }])
  const other = await open('UPSERT_ONLY')
  await harness.db.updateTable('destinations').set({ title: 'Gone' }).where('id', '=', idIn(target)).execute()
  expect(await administrator.ok(methods.syncs.get, other.params)).toMatchObject({ destination: { title: 'Gone' } })
  await administrator.ok(methods.dataSources.delete, {
    workspace: other.params.workspace,
    data_source: idIn(dataSource),
  })
  expect(
    await administrator.call('GET', `/workspaces/${other.params.workspace}/syncs/${other.params.sync}`),
  ).toMatchObject({ status: 404 })
})

/** A workspace of its own with an audience of who has an email, and a sync of a table of people there. */
const openPeople = async (mode: SyncMode, of: 'audience' | 'all', identifier = 'user_id') => {
  const { administrator, organization: owner } = organization
  const made = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: `People ${++tables}`, organization: owner } },
  )
  const workspace = idIn(made.name)
  const table = `members${tables}`
  const settings = { ...peer.access, tls: 'off' }
  const people = await administrator.ok(
    methods.dataSources.create,
    { workspace },
    { body: { title: 'People', app: { name: 'catalogDataSources/profiles' } } },
  )
  const destination_ = await administrator.ok(
    methods.destinations.create,
    { workspace },
    {
      body: {
        title: 'Copy',
        app: { name: 'catalogDestinations/postgresql' },
        settings: { ...settings, schema: 'synced' },
      },
    },
  )
  await receiveEvents(harness, workspace, [
    { type: 'identify', userId: 'ada', traits: { email: 'ada@example.com', plan: 'pro', age: 36 } },
    { type: 'identify', userId: 'bob', traits: { email: 'bob@example.com', plan: 'free' } },
    { type: 'identify', userId: 'cyd', traits: { plan: 'free' } },
  ])
  const audience = await administrator.ok(
    methods.audiences.create,
    { workspace },
    { body: { title: 'Reachable', query: trialAudience } },
  )
  const audienceIds = { workspace, audience: idIn(audience.name) }
  const compute = async (): Promise<void> => {
    const { version } = await administrator.ok(methods.audiences.get, audienceIds)
    await harness.computeAudience({ audience: audienceIds.audience, version }, { signal: new AbortController().signal })
  }
  await compute()
  const query =
    of === 'all'
      ? { schema: peopleTables.profiles.schema, table: peopleTables.profiles.name }
      : { schema: peopleTables.audiences, table: audienceIds.audience }
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    { body: { title: 'Reachable', data_source: people.name, query, primary_key: ['profile_id'] } },
  )
  const fields = ['user_id', 'email', 'plan', 'age'].map((name) => ({ column: name, target: name }))
  const sync = await administrator.ok(
    methods.syncs.create,
    { workspace },
    {
      body: {
        title: 'Reachable',
        model: model.name,
        destination: destination_.name,
        object: 'table',
        object_name: table,
        mode,
        identifier,
        fields,
        guard_percent: 100,
      },
    },
  )
  const params = { workspace, sync: idIn(sync.name) }
  return {
    workspace,
    people,
    model,
    sync,
    audience,
    audienceIds,
    compute,
    params,
    destination: idIn(destination_.name),
    run: async () => {
      await administrator.ok(methods.syncs.run, params, { body: {} })
      await harness.runSync({ sync: params.sync }, { signal: new AbortController().signal, attempt: 3 })
      return (await administrator.ok(methods.syncRuns.list, params)).runs[0]
    },
    there: () =>
      peer.query<Record<string, unknown>>(`select user_id, email, plan, age from synced.${table} order by user_id`),
    /** Somebody is no longer in the audience. */
    leave: async (user: string) => {
      await harness.db
        .deleteFrom('audience_members')
        .where('audience_id', '=', audienceIds.audience)
        .where('profile_id', 'in', (select) =>
          select
            .selectFrom('profile_identifiers')
            .select('profile_id')
            .where('workspace_id', '=', workspace)
            .where('value', '=', user),
        )
        .execute()
    },
  }
}

test.each([
  ['FULL_SYNC', ['ada']],
  ['UPSERT_ONLY', ['ada', 'bob']],
  ['INSERT_ONLY', ['ada', 'bob']],
] as const)(
  'an audience is synced with its traits, and in %s who left it is there or not as the mode promises',
  async (mode, left) => {
    const people = await openPeople(mode, 'audience')
    expect(people.model).toMatchObject({ audience: { name: people.audience.name, title: 'Reachable', state: 'live' } })
    expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 2, added: 2 } })
    const [ada] = await people.there()
    expect({ ...ada, age: Number(ada?.age) }).toEqual({
      user_id: 'ada',
      email: 'ada@example.com',
      plan: 'pro',
      age: 36,
    })
    await people.leave('bob')
    expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 1 } })
    expect((await people.there()).map(({ user_id }) => user_id)).toEqual(left)
  },
)

test('all profiles are synced but those of suppressed users, and the tables of another workspace are not found', async () => {
  const people = await openPeople('FULL_SYNC', 'all')
  expect(await people.run()).toMatchObject({ counts: { read: 3, added: 3 } })
  const { administrator } = organization
  const { workspace } = people
  await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'suppress', identifiers: [{ type: 'user_id', value: 'bob' }] } },
  )
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 2, removed: 1 } })
  expect((await people.there()).map(({ user_id }) => user_id)).toEqual(['ada', 'cyd'])
  const listed_ = await administrator.ok(methods.dataSources.listTables, {
    workspace,
    data_source: idIn(people.people.name),
  })
  expect(listed_.tables.map(({ title }) => title)).toEqual(['All profiles', 'Reachable'])
  const other = await openPeople('FULL_SYNC', 'all')
  const query = { schema: peopleTables.audiences, table: other.audienceIds.audience }
  const path = `/${people.people.name}:preview`
  expect(await administrator.call('POST', path, { query })).toMatchObject({
    status: 400,
    body: { message: 'There is no such audience' },
  })
})

test('a run of an audience that failed fails with its reason and sends nothing, a paused one keeps its members, and deleting it deletes model and sync', async () => {
  const people = await openPeople('FULL_SYNC', 'audience')
  const { administrator } = organization
  await people.run()
  const set = (state: 'failed' | 'paused') =>
    harness.db
      .updateTable('audiences')
      .set({ state, failure: state === 'failed' ? 'Too many profiles.' : '' })
      .where('id', '=', people.audienceIds.audience)
      .execute()
  await set('failed')
  delivery.state.sent.length = 0
  expect(await people.run()).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('The audience Reachable failed. Too many profiles.'),
  })
  expect(delivery.state.sent).toEqual([])
  await set('paused')
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { unchanged: 2 } })
  expect(people.sync.model.audience).toBe(people.audience.name)
  expect(await administrator.ok(methods.audiences.get, people.audienceIds)).toMatchObject({
    destination_count: 0,
    sync_count: 1,
  })
  await administrator.ok(methods.audiences.delete, people.audienceIds)
  expect(await administrator.call('GET', `/${people.model.name}`)).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', `/${people.sync.name}`)).toMatchObject({ status: 404 })
})

/** The rows of the stores of syncs that contain a text. */
const mentions = async (text: string): Promise<string[]> => {
  const found: string[] = []
  for (const table of [
    'sync_staged',
    'sync_listed',
    'sync_changes',
    'sync_outcomes',
    'sync_confirmed',
    'deliveries',
    'erased_events',
  ]) {
    const rows = await harness.eventStore.query(`select * from ${table}`, {}, { owner: 'system' })
    if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(table)
  }
  for (const table of ['sync_dry_runs', 'parked_deliveries', 'privacy_syncs', 'sync_runs'] as const) {
    const rows = await harness.db.selectFrom(table).selectAll().execute()
    if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(table)
  }
  return found
}

/** A deletion of a user of a workspace of people, which is done when its job is. */
const deleteUser = async (workspace: string, value: string) => {
  const { administrator } = organization
  const identifiers = [{ type: 'user_id', value }]
  const made = await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'delete', identifiers } },
  )
  return {
    work: () => harness.erasePeople({ request: idIn(made.name) }, { signal: new AbortController().signal }),
    deliveries: async () => {
      const ids = { workspace, privacy_request: idIn(made.name) }
      const { places } = await administrator.ok(methods.privacyRequests.get, ids)
      const place = places.find(({ place }) => place === 'deliveries')
      return [place?.state, place?.last_error]
    },
  }
}

/** What the log and the failures of deliveries have of rows of a sync that went together. */
const logDeliveries = async (
  { workspace, params, destination: to }: Awaited<ReturnType<typeof openPeople>>,
  run: SyncRun,
  keys: readonly string[],
) => {
  const rows = keys.map((key, index) => ({
    workspace_id: workspace,
    source_id: params.sync,
    destination_id: to,
    event_id: `${idIn(run.name)}.${1000 + index}`,
    key,
    producer: 'sync',
    time: '2026-01-02 03:04:05.000',
    status: 'dead',
    request: keys.join(),
    response: keys.join(),
  }))
  const lines = rows.map((row) => JSON.stringify(row))
  await harness.eventStore.insert('deliveries', lines, { token: newId() })
  await harness.db
    .insertInto('parked_deliveries')
    .values(
      rows.map(({ event_id, key }, index) => ({
        id: newId(),
        workspace_id: workspace,
        source_id: params.sync,
        destination_id: to,
        log_partition: 0,
        log_offset: 1000 * tables + index,
        event_ids: [event_id],
        event_indexes: [0],
        event_count: 1,
        state: 'dead' as const,
        first_time: new Date(),
        next_time: new Date(),
        last_reason: `no ${key}`,
        request: key,
        response: key,
      })),
    )
    .execute()
}

/** Users with devices, who have been known by another email. */
const know = async (workspace: string, users: readonly string[]): Promise<void> => {
  for (const user of users)
    await receiveEvents(harness, workspace, [
      { anonymousId: `${user}-device` },
      { type: 'identify', userId: user, traits: { email: `${user}@old.example`, plan: 'pro' } },
      { type: 'identify', userId: user, anonymousId: `${user}-device`, traits: { email: `${user}@new.example` } },
    ])
}
