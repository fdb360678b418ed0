import { postgresql as source } from '@tributary/connectors/data-sources/postgresql'
import { methods, type RequestMeta, type SyncRun } from '@tributary/contract'
import { setFaultHandler } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import {
  type Harness,
  idIn,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  startTime,
  testCatalog,
} from '../testing/control-harness.ts'

const stack = new AsyncDisposableStack()
let peer: PostgresPeer
let harness: Harness
let organization: Organization
let dataSource: string

type Sent = { messageId: string; event?: string; userId?: string; properties?: { plan: string } }
const log = {
  requests: [] as { meta: RequestMeta; events: Sent[] }[],
  /** Message IDs that the pipeline has seen. */
  seen: new Set<string>(),
  statusOf: (_event: Sent): 'accepted' | 'blocked' | 'rejected' => 'accepted',
}

/** A minimal pipeline: stores each event with a new message ID. */
const process = async (meta: RequestMeta, body: Uint8Array): Promise<void> => {
  const events: Sent[] = JSON.parse(Buffer.from(body).toString()).batch
  log.requests.push({ meta, events })
  const fresh = events.filter(({ messageId }) => !log.seen.has(messageId))
  for (const { messageId } of fresh) log.seen.add(messageId)
  const time = new Date(meta.r).toISOString().replace('T', ' ').replace('Z', '')
  const lines = fresh.map((event, index) =>
    JSON.stringify({
      workspace_id: meta.w,
      source_id: meta.s,
      event_id: `0-${String(log.requests.length).padStart(10, '0')}-${String(index).padStart(4, '0')}`,
      message_id: event.messageId,
      type: 'track',
      event: event.event ?? '',
      status: log.statusOf(event),
      reason: log.statusOf(event) === 'rejected' ? 'too_large: It is too large' : '',
      receive_time: time,
      timestamp: time,
      original: JSON.stringify(event),
    }),
  )
  if (lines.length > 0) await harness.eventStore.insert('events', lines, { token: crypto.randomUUID() })
}

beforeAll(async () => {
  peer = stack.use(await createPostgresPeer(inject('postgresUrl')))
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  const none = async (): Promise<never> => {
    throw new Error('Events of sources do not go this way')
  }
  harness = stack.use(
    await startControl({
      catalog: { ...testCatalog, dataSources: listedDataSources(source) },
      appendRequest: (meta, body) => process(meta, body),
      outbound: {
        streamFor: () => ({ appendGroup: none, beginEpoch: none, lastSequences: none }),
        outcomes: { partitions: 1, ends: async () => [0], read: none, wait: none },
        mayAppend: () => true,
      },
    }),
  )
  organization = await startOrganization(harness)
  dataSource = (
    await organization.administrator.ok(
      methods.dataSources.create,
      { workspace: organization.workspaceId },
      {
        body: {
          title: 'Shop',
          app: { name: 'catalogDataSources/postgresql' },
          settings: { ...peer.access, tls: 'off' },
        },
      },
    )
  ).name
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  setFaultHandler(undefined)
  log.requests.length = 0
  log.statusOf = () => 'accepted'
})

type Row = [id: string | null, email: string | null, plan: string | null]
const first: Row[] = [
  ['1', 'ada', 'pro'],
  ['2', 'bob', 'free'],
  ['3', 'cyd', 'free'],
]
let tables = 0
const fields = [
  { column: 'email', target: 'userId' },
  { column: 'plan', target: 'properties.plan' },
]

/** Makes a table, a model of it, a source, and a sync that turns rows of the table into events of the source. */
const open = async (more: Record<string, unknown> = {}) => {
  const { administrator, workspaceId: workspace } = organization
  const table = `orders${++tables}`
  await peer.query(`create table shop.${table} (id bigint, email text, plan text)`)
  await peer.query(`grant select on shop.${table} to ${peer.access.user}`)
  const query = { schema: 'shop', table }
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    { body: { title: 'Orders', data_source: dataSource, query, primary_key: ['id'] } },
  )
  const app = { name: 'catalogSources/javascript' }
  const events = await administrator.ok(methods.sources.create, { workspace }, { body: { title: 'Offline', app } })
  const definition = {
    title: 'Orders',
    model: model.name,
    destination: events.name,
    object: 'events',
    object_name: 'Order Completed',
    mode: 'INSERT_ONLY' as const,
    identifier: 'messageId',
    fields,
    ...more,
  }
  const made = await administrator.ok(methods.syncs.create, { workspace }, { body: definition })
  const params = { workspace, sync: idIn(made.name) }
  const work = () => harness.runSync({ sync: params.sync }, { signal: new AbortController().signal, attempt: 3 })
  const last = async (): Promise<SyncRun> => {
    const { runs } = await administrator.ok(methods.syncRuns.list, params)
    return await administrator.ok(methods.syncRuns.get, { ...params, run: idIn(runs[0]?.name ?? '') })
  }
  const begin = () => administrator.ok(methods.syncs.run, params, { body: {} })
  return {
    made,
    definition,
    params,
    source: events.name,
    work,
    last,
    begin,
    run: async (): Promise<SyncRun> => {
      await begin()
      await work()
      return await last()
    },
    fill: async (rows: readonly Row[]): Promise<void> => {
      await peer.query(`truncate shop.${table}`)
      await peer.query(
        `insert into shop.${table} select id::bigint, email, plan
         from unnest($1::text[], $2::text[], $3::text[]) as t (id, email, plan)`,
        [rows.map(([id]) => id), rows.map(([, email]) => email), rows.map(([, , plan]) => plan)],
      )
    },
    stored: async (): Promise<string[]> =>
      (
        await harness.eventStore.query<{ original: string }>(
          'select original from events where source_id = {source:String} order by event_id',
          { source: idIn(events.name) },
          { owner: 'system' },
        )
      ).map(({ original }) => {
        const { userId, properties } = JSON.parse(original)
        return `${userId} ${properties?.plan}`
      }),
    beginDryRun: () => administrator.ok(methods.syncDryRuns.createForSync, params, { body: {} }),
    dryRun: async (name: string) => {
      const dryRun = { workspace, dry_run: idIn(name) }
      await harness.dryRunSync({ dry_run: dryRun.dry_run }, { signal: new AbortController().signal, attempt: 1 })
      return await administrator.ok(methods.syncDryRuns.get, dryRun)
    },
    rows: async (run: SyncRun) =>
      (await administrator.ok(methods.syncRuns.listRows, { ...params, run: idIn(run.name) })).rows,
  }
}

test('a sync turns rows into events of a source once, new rows with the next run, and sends none to destinations', async () => {
  const sync = await open()
  expect(sync.made).toMatchObject({ destination: { name: sync.source, title: 'Offline' }, to_destinations: false })
  await sync.fill(first)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 3, added: 3, waiting: 0 } })
  expect((await sync.stored()).toSorted()).toEqual(['ada pro', 'bob free', 'cyd free'])
  expect(log.requests).toMatchObject([{ meta: { s: idIn(sync.source), k: 'batch', u: true, i: true } }])
  expect(log.requests[0]?.events[0]).toMatchObject({ type: 'track', event: 'Order Completed' })
  await sync.fill([['1', 'ada', 'changed'], ...first.slice(1), ['4', 'dee', 'free']])
  expect(await sync.run()).toMatchObject({
    state: 'succeeded',
    counts: { read: 4, added: 1, unchanged: 2, skipped: 1 },
  })
  expect((await sync.stored()).toSorted()).toEqual(['ada pro', 'bob free', 'cyd free', 'dee free'])
})

test('a cursor sync turns each row into an event once, and sends a refused row again', async () => {
  const sync = await open({ cursor: { column: 'id', overlap: 1 } })
  await sync.fill(first)
  expect(await sync.run()).toMatchObject({
    counts: { read: 3, added: 3 },
    cursor: { from: null, to: '3', moved: true },
  })
  await sync.fill([...first, ['4', 'dee', 'free'], ['5', 'eve', 'pro']])
  log.statusOf = ({ userId }) => (userId === 'dee' ? 'rejected' : 'accepted')
  expect(await sync.run()).toMatchObject({
    state: 'partial',
    counts: { read: 4, added: 1, unchanged: 2, rejected: 1 },
    cursor: { from: '2', to: '5', moved: false },
  })
  log.statusOf = () => 'accepted'
  log.seen.clear()
  expect(await sync.run()).toMatchObject({ counts: { read: 4, added: 1 }, cursor: { from: '2', moved: true } })
  expect(await sync.run()).toMatchObject({ counts: { read: 2, unchanged: 2 }, cursor: { from: '4', to: '5' } })
  const stored = await sync.stored()
  expect(
    ['ada pro', 'bob free', 'cyd free', 'eve pro'].map((each) => stored.filter((row) => row === each).length),
  ).toEqual([1, 1, 1, 1])
})

test('with Create or update, a changed row becomes another event, and a run that changes all rows asks for approval', async () => {
  const sync = await open({ mode: 'UPSERT_ONLY', to_destinations: true, guard_percent: 50 })
  await sync.fill(first)
  await sync.run()
  // Events of syncs are processed after live events.
  expect([log.requests[0]?.meta.u, log.requests[0]?.meta.h, log.requests[0]?.meta.i]).toEqual([undefined, true, true])
  await sync.fill([['1', 'ada', 'changed'], ...first.slice(1)])
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { changed: 1, unchanged: 2 } })
  expect(await sync.stored()).toHaveLength(4)
  const body = { fields: [...fields, { column: 'id', target: 'properties.order' }] }
  await organization.administrator.ok(methods.syncs.update, sync.params, { body })
  expect(await sync.run()).toMatchObject({ state: 'needs_approval', planned: { changed: 3 } })
})

test('each row has its outcome: invalid with a reason, refused by the pipeline, blocked, or received before', async () => {
  const sync = await open({ fields: [...fields, { column: 'plan', target: 'messageId' }] })
  const prefix = idIn(sync.source).slice(0, 8)
  await sync.fill([
    ['1', 'ada', `${prefix}a`],
    ['2', null, `${prefix}b`],
    ['3', 'cyd', `${prefix}a`],
    ['4', 'dee', `${prefix}reject`],
    ['5', 'eve', `${prefix}block`],
  ])
  log.statusOf = ({ messageId }) =>
    messageId.endsWith('reject') ? 'rejected' : messageId.endsWith('block') ? 'blocked' : 'accepted'
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'partial', counts: { read: 5, added: 1, invalid: 1, skipped: 1, rejected: 2 } })
  const outcomes = Object.fromEntries(
    (await sync.rows(run)).map(({ key, outcome, reason }) => [key, [outcome, reason]]),
  )
  expect(outcomes).toEqual({
    1: ['delivered', ''],
    2: ['invalid', 'userId and anonymousId are empty'],
    3: ['skipped', 'An event with this message ID was received before'],
    4: ['rejected', 'too_large: It is too large'],
    5: ['rejected', 'Blocked by the schema of the source. Replay it from there'],
  })
  log.requests.length = 0
  // A blocked event is stored and not sent again. A rejected one is sent again.
  expect(await sync.run()).toMatchObject({ counts: { unchanged: 2, rejected: 1 } })
  expect(log.requests.flatMap(({ events }) => events.map(({ userId }) => userId))).toEqual(['dee'])
})

test.each(['sync.after-stage', 'sync.after-plan', 'sync.after-request', 'sync.after-outcomes', 'sync.after-confirm'])(
  'a run that is killed at %s has the same result, and no row becomes two events',
  async (point) => {
    const sync = await open()
    await sync.fill(first)
    await sync.begin()
    let killed = false
    setFaultHandler((name) => {
      if (name !== point || killed) return
      killed = true
      throw new Error('killed')
    })
    await expect(sync.work()).rejects.toThrow('killed')
    await sync.work()
    expect(await sync.last()).toMatchObject({ state: 'succeeded', counts: { read: 3, added: 3, waiting: 0 } })
    expect((await sync.stored()).toSorted()).toEqual(['ada pro', 'bob free', 'cyd free'])
  },
)

test('many rows are sent in chunks, each row once', async () => {
  const sync = await open()
  const rows = Array.from({ length: 4500 }, (_, index): Row => [String(index), `u${index}`, 'x'])
  await sync.fill(rows)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 4500, added: 4500 } })
  expect(new Set(await sync.stored()).size).toBe(4500)
  expect(log.requests.map(({ events }) => events.length)).toEqual([1000, 1000, 1000, 1000, 500])
})

test('a disabled source accepts nothing: a run fails or waits, shows it, and continues after the source is enabled', async () => {
  const { administrator } = organization
  const sync = await open()
  await sync.fill(first)
  const params = { workspace: sync.params.workspace, source: idIn(sync.source) }
  const turn = (enabled: boolean) => administrator.ok(methods.sources.update, params, { body: { enabled } })
  await turn(false)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: 'The source is turned off' })
  await turn(true)
  await sync.begin()
  setFaultHandler((name) => {
    if (name === 'sync.after-request') throw new Error('killed')
  })
  await expect(sync.work()).rejects.toThrow('killed')
  setFaultHandler(undefined)
  await turn(false)
  await sync.work()
  const message = 'The source is turned off. The run goes on when it is turned on'
  expect(await sync.last()).toMatchObject({ state: 'sending', message })
  await turn(true)
  await sync.work()
  expect(await sync.last()).toMatchObject({ state: 'succeeded', message: '', counts: { added: 3 } })
})

test('a sync of events cannot be reset or resent, refuses settings without meaning for events, and is deleted with its source', async () => {
  const { administrator, workspaceId: workspace } = organization
  const sync = await open()
  const status = async (verb: 'POST' | 'DELETE', path: string, body?: unknown) =>
    (await administrator.call(verb, path, body)).status
  const path = `/workspaces/${workspace}/syncs/${sync.params.sync}`
  expect([await status('POST', `${path}:reset`, {}), await status('POST', `${path}:run`, { resync: true })]).toEqual([
    409, 409,
  ])
  for (const wrong of [
    { mode: 'FULL_SYNC' },
    { identifier: 'id' },
    { object: 'table' },
    { fields: [{ column: 'plan', target: 'properties.plan' }] },
    { fields: [{ column: 'email', target: 'email' }] },
    { mode: 'UPSERT_ONLY', fields: [...fields, { column: 'id', target: 'messageId' }] },
  ])
    expect(await status('POST', `/workspaces/${workspace}/syncs`, { ...sync.definition, ...wrong })).toBe(400)
  const other = await startOrganization(harness)
  const theirs = { ...sync.definition, destination: sync.source.replace(workspace, other.workspaceId) }
  expect(await status('POST', `/workspaces/${workspace}/syncs`, theirs)).toBe(404)
  expect(await status('POST', `/workspaces/${workspace}/syncDryRuns`, theirs)).toBe(404)
  await administrator.ok(methods.sources.delete, { workspace, source: idIn(sync.source) })
  expect(await status('POST', `${path}:run`, {})).toBe(404)
})

test('a dry run shows the first events, and stores and sends nothing', async () => {
  const { administrator, workspaceId: workspace } = organization
  const sync = await open()
  await sync.fill([...first, ['4', null, 'x']])
  const { title: _, ...definition } = sync.definition
  const begun = await administrator.ok(methods.syncDryRuns.create, { workspace }, { body: definition })
  const params = { workspace, dry_run: idIn(begun.name) }
  await harness.dryRunSync({ dry_run: params.dry_run }, { signal: new AbortController().signal, attempt: 1 })
  const shown = await administrator.ok(methods.syncDryRuns.get, params)
  expect(shown).toMatchObject({ state: 'done', counts: { read: 4, added: 3, invalid: 1 } })
  const sample = shown.samples.find(({ key }) => key === '1')
  expect(Object.fromEntries(sample?.fields.map(({ name, after }) => [name, after]) ?? [])).toMatchObject({
    type: '"track"',
    event: '"Order Completed"',
    userId: '"ada"',
    properties: '{"plan":"pro"}',
  })
  expect(log.requests).toEqual([])
})

test.each([
  ['of a model without rows', 'INSERT_ONLY', [], [], 0],
  ['before the first run, beside an invalid row', 'INSERT_ONLY', [], [...first, ['4', null, 'x']], 3],
  [
    'with Insert Only, after a changed row and a new one',
    'INSERT_ONLY',
    first,
    [...first.slice(1), ['1', 'ada', 'new'], ['4', 'dee', 'x']],
    1,
  ],
  [
    'with Create or update, after a changed row and a new one',
    'UPSERT_ONLY',
    first,
    [...first.slice(1), ['1', 'ada', 'new'], ['4', 'dee', 'x']],
    2,
  ],
  ['when nothing changed', 'UPSERT_ONLY', first, first, 0],
] as const)('a dry run shows how many events the run adds to usage: %s', async (_, mode, before, after, expected) => {
  const sync = await open({ mode, guard_percent: 100 })
  if (before.length > 0) {
    await sync.fill(before.map((row): Row => [...row]))
    await sync.run()
  }
  await sync.fill(after.map((row): Row => [...row]))
  const begun = await sync.beginDryRun()
  expect(begun.usage_events).toBeNull()
  expect(await sync.dryRun(begun.name)).toMatchObject({ state: 'done', usage_events: expected })
  const stored = await sync.stored()
  await sync.run()
  expect(await sync.stored()).toHaveLength(stored.length + expected)
})

/** The time in the row, and whether the event counts as usage of the period. */
const month = new Date(startTime).toISOString().slice(0, 7)
test.each([
  ['years ago', ['2001-09-09', '2019-12-31T23:59:59.999Z', '978307200000'], 0],
  ['just before the period, by its zone', [`${month}-01T01:00:00+02:00`, `${month}-01 00:00:00+00:01`], 0],
  ['in the period', [`${month}-01`, `${month}-01T00:00:00.000Z`, `${month}-01T01:30:00+01:30`], 3],
  ['without a time, or in the future', [null, '', '2150-01-01'], 3],
  ['before the first time that an event can have', ['1969-07-20', '0001-01-01', '1970-01-01T23:59:59Z'], 3],
  ['some of each, and one that is no time', ['2001-09-09', `${month}-01`, null, 'soon'], 2],
] as const)('a dry run counts historical events separately from usage: %s', async (_, times, usage) => {
  const sync = await open({ fields: [...fields, { column: 'plan', target: 'timestamp' }] })
  await sync.fill(times.map((time, index): Row => [String(index), `u${index}`, time]))
  const { name } = await sync.beginDryRun()
  const usable = times.filter((time) => time !== 'soon').length
  expect(await sync.dryRun(name)).toMatchObject({
    state: 'done',
    usage_events: usage,
    counts: { added: usable, history: usable - usage },
  })
  expect(await sync.run()).toMatchObject({ counts: { added: usable } })
})
