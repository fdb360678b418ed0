import { methods } from '@tributary/contract'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { first, second, startSyncEngine, sums } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, organization, delivery, open } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

test('a run that could send no row is partial and alerts once, and the sync continues when a row can be sent', async () => {
  const sync = await open('UPSERT_ONLY')
  await sync.fill([
    ['1', null, 'x'],
    ['2', 'bob', 'x'],
    ['3', 'bob', 'y'],
  ])
  const run = await sync.run()
  expect(run).toMatchObject({ state: 'partial', message: 'No row could be sent', counts: { read: 3, invalid: 3 } })
  expect(run.alert).toBe('No row could be sent: 3 of 3 rows are invalid or were rejected')
  await sync.fill([...first, ['4', null, 'x']])
  expect(await sync.run()).toMatchObject({ state: 'succeeded', alert: '', counts: { added: 3, invalid: 1 } })
  delivery.state.refuse = () => true
  await sync.fill([['9', 'odd', 'x']])
  expect(await sync.run()).toMatchObject({ state: 'partial', alert: expect.stringMatching('No row could be sent') })
  // A model without rows has nothing to send.
  await sync.fill([])
  const empty = await sync.run()
  expect(empty.state).not.toBe('partial')
})

test('a sync that only updates reports updated rows in its dry run, plan, counts, and rows', async () => {
  const sync = await open('UPDATE_ONLY', { guard_percent: 100 })
  await peer.query(`create schema if not exists synced authorization ${peer.access.user}`)
  await peer.query(
    `create table synced.${sync.table} (email text primary key, plan text, seen timestamptz, spent numeric);
     alter table synced.${sync.table} owner to ${peer.access.user};
     insert into synced.${sync.table} (email) values ('ada'), ('bob')`,
  )
  await sync.fill(first)
  const dry = await sync.dryRun()
  // Rows of a destination are not events.
  expect(dry).toMatchObject({ counts: { read: 3, added: 0, changed: 0, updated: 3 }, usage_events: 0 })
  expect(new Set(dry.samples.map(({ group, change }) => `${group} ${change}`))).toEqual(new Set(['updated updated']))
  const run = await sync.run()
  expect(run).toMatchObject({
    state: 'succeeded',
    planned: { added: 0, changed: 3, removed: 0 },
    counts: { added: 0, changed: 0, updated: 2, skipped: 1 },
  })
  expect(sums(run)).toBe(true)
  expect((await sync.rows(run)).map(({ change }) => change)).toEqual(['updated', 'updated', 'updated'])
  await sync.fill(second)
  expect(await sync.run()).toMatchObject({ counts: { added: 0, changed: 0, updated: 1, unchanged: 1, skipped: 1 } })
})

test('a resync sends unchanged rows again and changes changed rows, also in the dry run', async () => {
  const sync = await open('FULL_SYNC', { guard_percent: 100 })
  await sync.fill(first)
  await sync.run()
  await sync.fill(second)
  const expected = { read: 3, added: 1, changed: 1, sent_again: 1, unchanged: 0, removed: 1 }
  const dry = await sync.dryRun({ resync: true })
  expect(dry).toMatchObject({ counts: expected })
  expect(dry.samples.map(({ group, key }) => `${group} ${key}`).toSorted()).toEqual([
    'added dee',
    'changed bob',
    'removed cyd',
    'sent_again ada',
  ])
  const run = await sync.run(true)
  expect(run).toMatchObject({ state: 'succeeded', counts: expected })
  expect(sums(run)).toBe(true)
  expect(await sync.rows(run, { key: 'ada' })).toMatchObject([{ change: 'sent_again', outcome: 'delivered' }])
})

test('unsent rows of a canceled run count as not sent, in its counts and in its rows', async () => {
  const { administrator } = organization
  const sync = await open('FULL_SYNC', { guard_percent: 0 })
  await sync.fill(first)
  await sync.run()
  await sync.fill(second)
  const asked = await sync.run()
  expect(asked).toMatchObject({ state: 'needs_approval', counts: { waiting: 2, removals_waiting: 1 } })
  await administrator.ok(methods.syncRuns.cancel, { ...sync.params, run: idIn(asked.name) }, { body: {} })
  const run = await sync.last()
  expect(run).toMatchObject({
    state: 'canceled',
    counts: { read: 3, waiting: 0, not_sent: 2, unchanged: 1, removals_waiting: 0, removals_not_sent: 1 },
  })
  expect(sums(run)).toBe(true)
  expect((await sync.rows(run, { outcome: 'not_sent' })).map(({ key }) => key)).toEqual(['cyd', 'bob', 'dee'])
  expect(await sync.rows(run, { outcome: 'waiting' })).toEqual([])
})
