import { methods, syncLimits } from '@tributary/contract'
import { setFaultHandler } from '@tributary/kernel'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { first, type Row, second, startSyncEngine } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, harness, organization, open, lookedAt, leftOf } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

test.each(['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'] as const)(
  '%s: a dry run of random rows names the same keys and operations as the run, and stores nothing',
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
      // Some rows have no key, some the key of another row.
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
      const { read, added, changed, updated, skipped, invalid, unchanged, removed } = run.counts ?? {}
      const { counts } = dry
      expect(counts).toMatchObject({ read, invalid, unchanged, removed })
      // Only a write shows which rows the destination skips.
      const sent = (counts?.added ?? 0) + (counts?.changed ?? 0) + (counts?.updated ?? 0) + (counts?.skipped ?? 0)
      expect(sent).toBe((added ?? 0) + (changed ?? 0) + (updated ?? 0) + (skipped ?? 0))
      expect(dry.asks).toBe('')
    }
  },
)

test('a dry run shows each field before and after, also with an unsaved mapping, which marks rows as changed', async () => {
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

test('a dry run of an unsaved sync equals its first run; a dry run that is canceled or fails leaves no data', async () => {
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

test("a test row of an unsaved mapping is written in the sync's mode, and does not change the sync", async () => {
  const sync = await open('FULL_SYNC')
  await sync.fill(first)
  const { administrator, workspaceId: workspace } = organization
  const saved = await administrator.ok(methods.syncs.get, sync.params)
  const { object, object_name, mode, identifier, fields } = saved
  const body = { model: saved.model.name, destination: saved.destination.name, object, object_name, mode, identifier }
  const send = (more: object) =>
    administrator.ok(methods.syncTestRows.send, { workspace }, { body: { ...body, fields, ...more } })
  await administrator.ok(methods.syncTestRows.preview, { workspace }, { body: { ...body, fields, key: ['2'] } })
  const sent = await send({ key: ['2'] })
  expect(sent).toMatchObject({ outcome: 'delivered', operation: 'upsert', source_key: '2', key: 'bob' })
  expect(await sync.there()).toEqual(['bob free'])
  // An update of a missing row, and an insert of an existing row.
  expect(await send({ key: ['1'], mode: 'UPDATE_ONLY' })).toMatchObject({ outcome: 'skipped', operation: 'update' })
  expect(await send({ key: ['2'], mode: 'INSERT_ONLY' })).toMatchObject({ outcome: 'skipped', operation: 'insert' })
  expect(await sync.there()).toEqual(['bob free'])
  expect(await sync.dryRun()).toMatchObject({ counts: { read: 3, added: 3 } })
  expect(await sync.run()).toMatchObject({ counts: { read: 3, added: 3 } })
})

test('a workspace has few dry runs at a time, and ended ones are removed after an hour', async () => {
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
