import { methods, type SyncRun } from '@tributary/contract'
import { setFaultHandler } from '@tributary/kernel'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { startSyncEngine, sums } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, organization, delivery, open } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

type Person = { id: number; email: string; plan: string; seen: string | null }

/** A sync by the column `seen`, and what adds to its table or changes it there. */
const openCursor = async (more: Record<string, unknown> = {}) => {
  const sync = await open('UPSERT_ONLY', { cursor: { column: 'seen' }, guard_percent: 100, ...more })
  const { administrator } = organization
  return {
    ...sync,
    put: async (...people: readonly Person[]): Promise<void> => {
      for (const { id, email, plan, seen } of people) {
        await peer.query(`delete from shop.${sync.table} where id = $1`, [id])
        await peer.query(`insert into shop.${sync.table} values ($1, $2, $3, $4)`, [id, email, plan, seen])
      }
    },
    update: (body: Record<string, unknown>) => administrator.ok(methods.syncs.update, sync.params, { body }),
    path: `/workspaces/${sync.params.workspace}/syncs/${sync.params.sync}`,
  }
}

const at = (time: string): string => `2026-01-02T${time}.000Z`
const ada: Person = { id: 1, email: 'ada', plan: 'pro', seen: at('10:00:00') }
const bob: Person = { id: 2, email: 'bob', plan: 'free', seen: at('12:00:00') }
const cyd: Person = { id: 3, email: 'cyd', plan: 'free', seen: null }

const cursorOf = ({ cursor }: SyncRun) => [cursor?.from ?? null, cursor?.to ?? null, cursor?.moved]

test('a cursor first reads all rows, then rows from its highest value, with ties, and the run shows both bounds', async () => {
  const sync = await openCursor()
  await sync.put(ada, bob, cyd)
  const begun = await sync.run()
  expect(begun).toMatchObject({ state: 'succeeded', counts: { read: 3, added: 3 }, cursor: { column: 'seen' } })
  expect(cursorOf(begun)).toEqual([null, at('12:00:00'), true])
  await sync.put(
    { ...ada, plan: 'free', seen: at('13:00:00') },
    { id: 4, email: 'dee', plan: 'late', seen: at('11:00:00') },
    { id: 5, email: 'eve', plan: 'tie', seen: at('12:00:00') },
    { id: 6, email: 'fay', plan: 'too late', seen: at('10:59:59') },
  )
  const dry = await sync.dryRun()
  expect(dry).toMatchObject({ state: 'done', counts: { read: 5, added: 2, changed: 1, unchanged: 2, removed: 0 } })
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'succeeded', counts: { read: 5, added: 2, changed: 1, unchanged: 2 } })
  expect(sums(run)).toBe(true)
  expect(dry.samples.map(({ key }) => key).toSorted()).toEqual((await sync.rows(run)).map(({ key }) => key).toSorted())
  expect(cursorOf(run)).toEqual([at('11:00:00'), at('13:00:00'), true])
  expect(await sync.there()).toEqual(['ada free', 'bob free', 'cyd free', 'dee late', 'eve tie'])
  const again = await sync.run(true)
  expect(cursorOf(again)).toEqual([null, at('13:00:00'), true])
  expect(again).toMatchObject({ counts: { read: 6, added: 1, sent_again: 5 } })
})

test('while rows are rejected, the cursor stays, so that the rows are read again with their latest values', async () => {
  const sync = await openCursor()
  await sync.put(ada, bob)
  await sync.run()
  await sync.put(
    { id: 4, email: 'dee', plan: 'first', seen: at('20:00:00') },
    { id: 5, email: 'eve', plan: 'pro', seen: at('22:00:00') },
  )
  delivery.state.refuse = (key) => key === 'dee'
  const refused = await sync.run()
  expect(refused).toMatchObject({ state: 'partial', counts: { added: 1, rejected: 1 } })
  expect(cursorOf(refused)).toEqual([at('11:00:00'), at('22:00:00'), false])
  delivery.state.refuse = () => false
  await peer.query(`update shop.${sync.table} set plan = 'latest' where id = 4`)
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
  expect(cursorOf(run)).toEqual([at('11:00:00'), at('22:00:00'), true])
  expect(await sync.there()).toEqual(['ada pro', 'bob free', 'dee latest', 'eve pro'])
})

test('a rerun of rejected rows does not advance the cursor, and neither does a run with duplicate keys', async () => {
  const sync = await openCursor()
  await sync.put(ada, bob)
  delivery.state.refuse = (key) => key === 'ada'
  const refused = await sync.run()
  delivery.state.refuse = () => false
  const { administrator } = organization
  await administrator.ok(methods.syncRuns.rerun, { ...sync.params, run: idIn(refused.name) }, { body: {} })
  await sync.work()
  const rerun = await sync.last()
  expect(rerun).toMatchObject({ state: 'succeeded', counts: { read: 1, added: 1 }, cursor: { moved: false } })
  await sync.put({ ...bob, id: 7, seen: at('23:00:00') })
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'succeeded', counts: { read: 3, invalid: 2, unchanged: 1 } })
  expect(cursorOf(run)).toEqual([null, at('23:00:00'), false])
})

test.each(['sync.after-stage', 'sync.after-plan', 'sync.after-append', 'sync.after-outcomes', 'sync.after-confirm'])(
  'an interrupted cursor run at %s has the same result, and the next run continues from its highest value',
  async (point) => {
    const sync = await openCursor()
    await sync.put(ada, bob)
    await sync.run()
    await sync.put({ id: 4, email: 'dee', plan: 'pro', seen: at('20:00:00') })
    delivery.state.sent.length = 0
    await sync.begin()
    setFaultHandler((name) => {
      if (name === point) throw new Error(`broken off at ${point}`)
    })
    await expect(sync.work()).rejects.toThrow(point)
    setFaultHandler(undefined)
    await sync.work()
    const run = await sync.last()
    expect(run).toMatchObject({ state: 'succeeded', counts: { read: 2, added: 1, unchanged: 1 } })
    expect(cursorOf(run)).toEqual([at('11:00:00'), at('20:00:00'), true])
    expect(delivery.state.sent).toEqual(['upsert dee'])
    expect(await sync.there()).toEqual(['ada pro', 'bob free', 'dee pro'])
    expect((await sync.run()).cursor?.from).toBe(at('19:00:00'))
  },
)

test('after a changed mapping, query, mode, or cursor, or a reset, the next run reads all rows', async () => {
  const sync = await openCursor()
  await sync.put(ada, bob)
  await sync.run()
  const fields = ['email', 'plan', 'seen'].map((name) => ({ column: name, target: name }))
  const { administrator } = organization
  const reads = async (): Promise<string | null | undefined> => (await sync.run()).cursor?.from
  expect(await reads()).toBe(at('11:00:00'))
  await sync.update({ fields: fields.slice(0, 2) })
  expect(await reads()).toBeNull()
  expect(await reads()).toBe(at('11:00:00'))
  await sync.update({ fields })
  expect((await sync.dryRun()).counts?.read).toBe(2)
  expect(await reads()).toBeNull()
  await sync.update({ mode: 'INSERT_ONLY' })
  expect(await reads()).toBeNull()
  const model = { workspace: sync.params.workspace, model: idIn(sync.model.name) }
  const query = { sql: `select * from shop.${sync.table} -- again` }
  await administrator.ok(methods.models.update, model, { body: { query } })
  expect(await reads()).toBeNull()
  expect(await reads()).toBe(at('11:00:00'))
  await sync.update({ cursor: { column: 'id', overlap: 1 } })
  expect(await reads()).toBeNull()
  expect(await reads()).toBe('1')
  await sync.update({ cursor: { column: 'seen' } })
  await administrator.ok(methods.syncs.reset, sync.params, { body: {} })
  expect(await reads()).toBeNull()
  await sync.update({ cursor: null })
  expect((await sync.run()).cursor).toBeNull()
  await sync.update({ cursor: { column: 'seen' } })
  expect(await reads()).toBeNull()
})

test('a cursor value in the future hides no later rows, and a run without rows never asks for approval', async () => {
  const sync = await openCursor()
  await sync.put({ ...ada, seen: '2999-01-01T00:00:00.000Z' }, bob)
  const run = await sync.run()
  expect(Date.parse(run.cursor?.to ?? '')).toBeLessThanOrEqual(Date.parse(run.finish_time ?? ''))
  expect(run.cursor?.moved).toBe(true)
  await peer.query(`truncate shop.${sync.table}`)
  const none = await sync.run()
  expect(none).toMatchObject({ state: 'succeeded', counts: { read: 0 }, cursor: { to: null, moved: false } })
  expect((await sync.run()).cursor?.from).toBe(none.cursor?.from)
})

test('if the cursor column is missing or has become a text, the run fails with a message and sends nothing', async () => {
  const sync = await openCursor({ fields: ['email', 'plan'].map((name) => ({ column: name, target: name })) })
  await sync.put(ada)
  await peer.query(`alter table shop.${sync.table} alter column seen type text`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: expect.stringContaining('no longer a number') })
  await peer.query(`alter table shop.${sync.table} drop column seen`)
  expect(await sync.run()).toMatchObject({ state: 'failed', message: expect.stringContaining('which is the cursor') })
  expect(delivery.state.sent).toEqual([])
})

test('a cursor is refused in a mode that removes rows, for an unsuitable or missing column, and beyond its bounds', async () => {
  const sync = await openCursor()
  const refused = (field: string) => ({ status: 400, body: { metadata: { [field]: expect.any(String) } } })
  const change = (body: Record<string, unknown>) =>
    organization.administrator.call('PATCH', `${sync.path}?update_mask=${Object.keys(body).join(',')}`, body)
  expect(await change({ mode: 'FULL_SYNC' })).toMatchObject(refused('cursor'))
  for (const column of ['email', 'nothing'])
    expect(await change({ cursor: { column, overlap: 0 } })).toMatchObject(refused('cursor'))
  for (const overlap of [-1, 0.5, 1e12])
    expect((await change({ cursor: { column: 'seen', overlap } })).status).toBe(400)
  const full = { mode: 'FULL_SYNC', cursor: null }
  expect((await change(full)).status).toBe(200)
  expect(await change({ cursor: { column: 'seen' } })).toMatchObject(refused('cursor'))
  const dry = await organization.administrator.call('POST', `${sync.path}:dryRun`, { cursor: { column: 'seen' } })
  expect(dry).toMatchObject(refused('cursor'))
  expect(await organization.administrator.ok(methods.syncs.get, sync.params)).toMatchObject({ cursor: null })
})

test('syncs of audiences and profiles accept no cursor', async () => {
  const { administrator, workspaceId: workspace } = organization
  const people = await administrator.ok(
    methods.dataSources.create,
    { workspace },
    { body: { title: 'People', app: { name: 'catalogDataSources/profiles' } } },
  )
  const query = { schema: 'profiles', table: 'all' }
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    { body: { title: 'People', data_source: people.name, query, primary_key: ['profile_id'] } },
  )
  const sync = await openCursor()
  const given = await administrator.ok(methods.syncs.get, sync.params)
  const body = {
    title: 'People',
    model: model.name,
    destination: given.destination.name,
    object: 'table',
    object_name: 'people',
    mode: 'UPSERT_ONLY',
    identifier: 'id',
    fields: [{ column: 'profile_id', target: 'id' }],
    cursor: { column: 'profile_id' },
  }
  expect(await administrator.call('POST', `/workspaces/${workspace}/syncs`, body)).toMatchObject({
    status: 400,
    body: { metadata: { cursor: 'Only tables and queries of a database can be read by a cursor' } },
  })
})

test('after runs of random rows, reading by a cursor gives the same destination as reading all rows', async () => {
  const sync = await openCursor({ cursor: { column: 'seen', overlap: 0 } })
  let seed = 7
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const expected = new Map<string, string>()
  let read = 0
  for (let round = 1; round <= 4; round++) {
    const people = Array.from({ length: 5 }, () => random(20)).map(
      (id, index): Person => ({ id, email: `p${id}`, plan: `${random(3)}`, seen: at(`1${round}:00:0${index}`) }),
    )
    await sync.put(...people)
    for (const { email, plan } of people) expected.set(email, plan)
    const run = await sync.run()
    expect(run.state).toBe('succeeded')
    expect(sums(run)).toBe(true)
    read += run.counts?.read ?? 0
    expect(await sync.there()).toEqual([...expected].map(([email, plan]) => `${email} ${plan}`).toSorted())
  }
  expect(read).toBeLessThan(5 * 4 + 4)
})
