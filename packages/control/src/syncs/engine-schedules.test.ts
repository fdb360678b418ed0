import { methods } from '@tributary/contract'
import { eventually } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { first, startSyncEngine } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, harness, organization, delivery, open } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

test('a due sync runs once even with concurrent checks, and reports if the previous run had not ended', async () => {
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

test('two schedulers that both find a due sync start one run', async () => {
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

test('after a clock was set back, no schedule waits for as long as the clock was ahead', async () => {
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

test('a sync whose predecessor is deleted shows this until it gets another schedule, and notifies users once', async () => {
  const { administrator, collaborator, guest, workspaceId: workspace } = organization
  const nameOf = ({ params }: { params: { sync: string } }) => `workspaces/${workspace}/syncs/${params.sync}`
  const first = await open('UPSERT_ONLY', { title: 'Accounts' })
  const second = await open('UPSERT_ONLY', { after: nameOf(first) })
  const third = await open('UPSERT_ONLY', { after: nameOf(second) })
  const notices = async (who: typeof guest, of: typeof first) =>
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
    expect(await notices(who, second)).toEqual([
      'People is not running on schedule: It ran after Accounts, which was deleted. Choose another schedule.',
    ])
  expect(await notices(guest, second)).toEqual([])
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
  expect(await notices(administrator, third)).toHaveLength(1)
})

test('a slow run alerts while it runs and not again at its end; other problems are reported at the end', async () => {
  const { administrator, collaborator } = organization
  const alerts = { failed: true, rejected_percent: null, minutes: 30, rows_percent: null }
  const sync = await open('UPSERT_ONLY', { alerts })
  const notices = async () =>
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
  expect(await notices()).toEqual([news])
  // The next run is slow, too: people have been notified.
  await slow()
  expect(await notices()).toEqual([news])
  await sync.fill(first)
  await sync.run()
  const recovered = 'People has recovered: The last run was as it should be.'
  expect(await notices()).toEqual([recovered, news])
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
  expect((await notices())[0]).toBe('People needs attention: 1 of 3 rows were rejected, which is more than 10%.')
})

test('a sync runs at the times of its cron expression, and its follower runs after it succeeded', async () => {
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
  // Three days ago: one run makes up for all missed ones.
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

test('people are notified in inbox, mail, and channels when a sync first fails, and when it has recovered', async () => {
  const sync = await open('UPSERT_ONLY', { guard_percent: 100 })
  const { administrator, collaborator, guest } = organization
  const notices = async (who: typeof guest): Promise<string[]> =>
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
  expect(await notices(administrator)).toEqual([])
  await peer.query(`alter table shop.${sync.table} rename to gone_${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'failed', alert: expect.stringContaining('does not exist') })
  await sync.run()
  expect(await notices(administrator)).toEqual([expect.stringContaining('People needs attention: The run failed: ')])
  await peer.query(`alter table shop.gone_${sync.table} rename to ${sync.table}`)
  expect(await sync.run()).toMatchObject({ state: 'succeeded', alert: '' })
  await sync.run()
  for (const who of [administrator, collaborator])
    expect((await notices(who)).map((text) => text.split(':')[0])).toEqual([
      'People has recovered',
      'People needs attention',
    ])
  expect(await notices(guest)).toEqual([])
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

test('a schedule that waits for a run notifies permitted users once', async () => {
  const sync = await open('UPSERT_ONLY', { interval_minutes: 15 })
  const run = await sync.begin()
  const params = { ...sync.params, run: idIn(run.name) }
  for (let time = 0; time < 3; time++) {
    harness.advance(16 * 60_000)
    await harness.queueDueSyncs()
  }
  const { administrator, collaborator, guest } = organization
  const notices = async (who: typeof guest) =>
    (await who.ok(methods.notifications.list, { user: who.userId })).notifications.filter(
      ({ kind, link }) => kind === 'sync_stalled' && link.includes(sync.params.sync),
    )
  expect(await notices(administrator)).toMatchObject([{ title: 'People is not running on schedule' }])
  expect([await notices(collaborator), await notices(guest)].map(({ length }) => length)).toEqual([1, 0])
  await administrator.ok(methods.syncRuns.cancel, params, { body: {} })
})
