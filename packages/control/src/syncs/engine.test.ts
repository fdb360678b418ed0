import { methods, type SyncRun } from '@tributary/contract'
import { setFaultHandler } from '@tributary/kernel'
import { eventually } from '@tributary/test-kit'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { first, second, startSyncEngine, sums } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, harness, organization, delivery, dataSource, target, hubspotTarget, crm, open } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

test('a sync is found by its title until it is deleted', async () => {
  const { administrator, workspaceId: workspace } = organization
  const { params } = await open('UPSERT_ONLY', { title: 'Zebras' })
  const found = async () =>
    (await administrator.ok(methods.workspaces.search, { workspace }, { query: { search: 'zebras' } })).objects
  expect(await found()).toMatchObject([{ kind: 'sync', title: 'Zebras' }])
  await administrator.ok(methods.syncs.delete, params)
  expect(await found()).toEqual([])
})

test('a sync copies new, changed, and removed rows from one database to another, and each row counts once', async () => {
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
] as const)('the mode %s writes the expected rows to a table that already has rows', async (mode, expected) => {
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
] as const)('the mode %s writes the expected rows to HubSpot, and each row counts once', async (mode, expected) => {
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

test('null and duplicate keys are invalid with reasons, rejected rows are sent again, and each row is found by key', async () => {
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

test('a rerun sends only the rejected rows with their latest values, and counts only these', async () => {
  const { administrator } = organization
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill([...first, ['4', 'dee', 'free']])
  await sync.run()
  // One row is refused as a change, one as a removal, and two as new rows, one of which is gone before the next run.
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

test('a rejected row shows its last attempt with request and response, and a row of another run is not found', async () => {
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

test('a rerun of rows that left the model sends nothing, needs no approval, and succeeds', async () => {
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

test('a run that would change or remove more rows than allowed asks for approval, and sends only afterwards', async () => {
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
  'a run that is interrupted at %s has the same result, and sends nothing twice',
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

test('a canceled run waits for rows that were handed to delivery, and counts their outcomes', async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  delivery.state.held = true
  const run = await sync.begin()
  const working = sync.work()
  await eventually(
    'all rows are appended',
    async () => (await delivery.outbound.streamFor().lastSequences(`sync ${sync.params.sync}`)).length > 0,
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
  expect(await sync.run(true)).toMatchObject({
    state: 'succeeded',
    counts: { changed: 0, sent_again: 3, unchanged: 0 },
  })
  await organization.administrator.ok(methods.syncs.reset, sync.params, { body: {} })
  await sync.fill(first.slice(1))
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 2, removed: 0 } })
  expect(await sync.there()).toEqual(['ada pro', 'bob free', 'cyd free'])
})

test('a model that lost a column, or a database that refuses the query, ends the run with a message', async () => {
  const sync = await open('UPSERT_ONLY')
  await sync.fill(first)
  await peer.query(`alter table shop.${sync.table} rename column plan to tier`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: 'The model has no column plan any more' })
  await peer.query(`drop table shop.${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: expect.stringContaining('does not exist') })
})

test('a table that is renamed between dry run and run fails the run with a message, and nothing is sent', async () => {
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

test('a column with a new type marks a row changed only if its value is written differently', async () => {
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

test('a database that fails during reading fails the run after a retry, sends nothing, and the next run is complete', async () => {
  const sync = await open('UPSERT_ONLY')
  await peer.query(`alter table shop.${sync.table} rename to ${sync.table}_rows`)
  const view = (more: string) =>
    peer.query(`create or replace view shop.${sync.table} as select * from shop.${sync.table}_rows ${more}`)
  // It has returned thousands of rows before the row that it never returns.
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
    // Handled from the start: it may end before the test has seen the request.
    const failure = working.then(
      () => undefined,
      (error: unknown) => error,
    )
    await eventually('it was in the midst of it', async () => (await stop()).length > 0)
    expect((await failure) instanceof Error).toBe(attempt === 1)
  }
  expect(await sync.last()).toMatchObject({ state: 'failed', message: expect.stringMatching(/./) })
  expect(delivery.state.sent).toEqual([])
  await view('')
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { read: 5000, added: 5000 } })
})

test('if the destination becomes unavailable, a run waits, shows the waiting rows, and sends each once later', async () => {
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

test('SRC-56: deleting a data source or destination deletes its syncs and their rows in the event store', async () => {
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
