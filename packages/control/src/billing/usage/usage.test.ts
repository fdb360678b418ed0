import { methods } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countProfiles } from '../../../../api-kit/src/profiles/count.ts'
import { defaultPlans } from '../../../../billing/src/catalogue.ts'
import { createRound, type MeasureDeps, measureOrganization } from '../../../../billing/src/usage/measure.ts'
import { releaseHeld } from '../../../../billing/src/usage/release.ts'
import type { ControlDeps } from '../../deps.ts'
import { addCard } from '../../testing/billing-requests.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../../testing/control-harness.ts'

const hour = 3_600_000
const day = 24 * hour
const { signal } = new AbortController()
const [free, team, ...paid] = defaultPlans.plans
if (free === undefined || team === undefined) throw new Error('no plans')
/**
 * A catalog with two profiles and five events on the free plan, and three profiles with overage billing on a paid plan.
 * Events are stored for 10 days.
 */
const billing: ControlDeps['billing'] = {
  plans: {
    ...defaultPlans,
    plans: [
      { ...free, features: { ...free.features, profiles: 2, events: 5 } },
      { ...team, features: { ...team.features, profiles: 3 } },
      ...paid,
    ],
  },
  payment: 'sandbox',
  limits: true,
  unpaidDays: 14,
  graceHours: 72,
  eventsDays: 10,
}
const start = Date.parse('2026-03-02T00:00:00.000Z')

let harness: Harness
let time = start
let serial = 0
const clock = () => time++
beforeAll(async () => {
  harness = await startControl({ billing, clock })
})
afterAll(() => harness[Symbol.asyncDispose]())

let organization: Organization
let source: string
beforeEach(async () => {
  time = start
  organization = await startOrganization(harness)
  // Sessions must last as long as the tests.
  await harness.db.updateTable('sessions').set({ expire_time: '2090-01-01', last_used_time: '2026-12-31' }).execute()
  source = idIn((await makeResources(organization.workspaceId, organization.administrator)).source.name)
})

const deps = (): MeasureDeps => ({
  db: harness.db,
  eventStore: harness.eventStore,
  profileLedger: harness.profileLedger,
  billing,
  clock,
  jobs: harness.jobs,
  live: () => {},
  publicUrl: () => 'https://cdp.example.com',
})
const measure = () => measureOrganization(deps(), organization.organizationId, signal)

/** Stores events that were received at a time, as the pipeline does. Resolves to their IDs. */
const receive = async (
  users: readonly string[],
  {
    status = 'accepted',
    at = time,
    from = source,
    happened = at,
    imported,
  }: { status?: string; at?: number; from?: string; happened?: number; imported?: boolean } = {},
): Promise<string[]> => {
  const rows = users.map((user_id) => ({
    workspace_id: organization.workspaceId,
    source_id: from,
    event_id: `0-${100 + ++serial}-0`,
    message_id: newId(),
    type: 'track',
    event: 'Bought',
    user_id,
    status,
    receive_time: new Date(at).toISOString().replace('T', ' ').slice(0, 23),
    timestamp: new Date(happened).toISOString().replace('T', ' ').slice(0, 23),
    // Rows that an earlier version stored do not have this column.
    ...(imported === undefined ? {} : { imported }),
    original: JSON.stringify({ type: 'track', event: 'Bought', userId: user_id }),
  }))
  await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  return rows.map(({ event_id }) => event_id)
}
const heldOf = async (id = source) =>
  (await harness.db.selectFrom('sources').select('held').where('id', '=', id).executeTakeFirstOrThrow()).held
const noticeTitles = async () => {
  const { administrator } = organization
  const { notifications } = await administrator.ok(methods.notifications.list, { user: administrator.userId })
  return notifications.map(({ title }) => title).toReversed()
}
const mails = async () => (await harness.mailsTo(organization.administrator.email)).map(({ subject }) => subject)
const report = () =>
  organization.administrator.ok(methods.usageReports.get, { organization: organization.organizationId })
const upgrade = async () => {
  await addCard(organization.administrator, organization.organizationId)
  const body = { plan: 'plans/team', recurring_interval: 'MONTHLY' } as const
  await organization.administrator.ok(
    methods.subscriptions.update,
    { organization: organization.organizationId },
    { body },
  )
}
/** Returns the IDs of stored events that were sent through the pipeline again since then, in order. */
const released = (from: number) => harness.requests.slice(from).flatMap(({ meta }) => meta.p ?? [])
const release = () =>
  releaseHeld(
    {
      ...deps(),
      appendRequest: async (meta, body) => void harness.requests.push({ meta, body: Buffer.from(body).toString() }),
    },
    { organization: organization.organizationId },
    { signal },
  )
const beyond = ['ada', 'bob', 'cy']

test('OPEN-43, OPEN-56: administrators are notified once at 80 and at 100 percent of a limit, in inbox and by mail', async () => {
  await receive(['ada', 'ada', 'ada', 'ada'])
  await measure()
  await measure()
  expect(await noticeTitles()).toEqual(["80% of the plan's events are used"])
  await receive(['bob'])
  await measure()
  await measure()
  const titles = [
    "80% of the plan's events are used",
    "The plan's limit of profiles is reached",
    "The plan's limit of events is reached",
  ]
  expect((await noticeTitles()).toSorted()).toEqual(titles.toSorted())
  expect((await mails()).toSorted()).toEqual(titles.map((title) => `Acme Inc: ${title}`).toSorted())
  const { collaborator } = organization
  const others = await collaborator.ok(methods.notifications.list, { user: collaborator.userId })
  expect(others.notifications).toEqual([])
  expect(await heldOf()).toBe(false)
})

test('beyond a limit, new events are held after the grace period, and released once and in order after an upgrade', async () => {
  await receive(beyond)
  await measure()
  expect(await heldOf()).toBe(false)
  expect((await report()).holds_from_time).not.toBeNull()
  time += 72 * hour
  await measure()
  expect(await heldOf()).toBe(true)
  expect(await noticeTitles()).toContain('Events are held')

  const ids = await receive(['ada', 'dan', 'eve'], { status: 'held' })
  await measure()
  expect(await report()).toMatchObject({
    profiles: { used: 3, limit: 2 },
    held: { events: 3, since: expect.any(String), removed_events: 0 },
    sources: [{ title: 'Shop', events: 3, profiles: 3, held_events: 3 }],
  })
  const before = harness.requests.length
  await release()
  expect(released(before), 'nothing while they are held').toEqual([])

  await upgrade()
  await measure()
  expect(await heldOf()).toBe(false)
  await release()
  await release()
  expect(released(before)).toEqual(ids)
  expect(harness.requests.slice(before).map(({ body }) => JSON.parse(body).batch[0].userId)).toEqual(['ada'])
  time += hour
  await measure()
  expect((await noticeTitles()).at(-1)).toBe('Held events were released')
  expect(await report()).toMatchObject({ held: { events: 0, since: null } })
})

test('held events are released when the next period begins, and do not count toward its usage', async () => {
  await receive(beyond)
  await measure()
  time += 72 * hour
  await measure()
  const [id] = await receive(['dan'], { status: 'held' })
  time = Date.parse('2026-04-01T00:00:30.000Z')
  const kept = { ...deps(), billing: { ...billing, eventsDays: 0 } }
  await measureOrganization(kept, organization.organizationId, signal)
  expect(await heldOf()).toBe(false)
  const before = harness.requests.length
  await release()
  expect(released(before)).toEqual([id])
  const { message_id } = (
    await harness.eventStore.query<{ message_id: string }>(
      'select message_id from events where event_id = {id:String} and workspace_id = {workspace:String}',
      { id, workspace: organization.workspaceId },
      { owner: 'test' },
    )
  )[0] ?? { message_id: '' }
  await harness.eventStore.insert(
    'events',
    JSON.stringify({
      workspace_id: organization.workspaceId,
      source_id: source,
      event_id: `0-${100 + ++serial}-0`,
      message_id,
      type: 'track',
      user_id: 'dan',
      status: 'accepted',
      receive_time: new Date(time).toISOString().replace('T', ' ').slice(0, 23),
    }),
    { token: newId() },
  )
  expect(await report()).toMatchObject({ profiles: { used: 0 }, events: { used: 0 } })
})

test('the removal of held events is announced with a count 7 days and 1 day before, and reported with its reason', async () => {
  await receive(beyond)
  await measure()
  time += 72 * hour
  await measure()
  const at = time
  await receive(['dan', 'eve'], { status: 'held', at })
  expect((await report()).held.removal_time).toBe(new Date(at + 10 * day).toISOString())
  time = at + 2 * day
  await measure()
  expect((await noticeTitles()).some((title) => title.includes('removed'))).toBe(false)
  time = at + 3 * day
  await measure()
  await measure()
  const removal = async () => (await noticeTitles()).filter((title) => title.includes('removed'))
  expect(await removal()).toEqual(['2 held events are removed in 7 days'])
  time = at + 9 * day
  await measure()
  expect(await removal()).toEqual(['2 held events are removed in 7 days', '2 held events are removed tomorrow'])
  expect(await mails()).toContain('Acme Inc: 2 held events are removed tomorrow')
  time = at + 10 * day
  await measure()
  await measure()
  expect((await removal()).at(-1)).toBe('2 held events were removed')
  expect((await report()).held).toMatchObject({ events: 0, removal_time: null, removed_events: 2 })
  const dropped = await organization.administrator.ok(methods.droppedEvents.listBySource, {
    workspace: organization.workspaceId,
    source,
  })
  expect(dropped.dropped_events).toMatchObject([{ reason: 'held_too_long', count: 2, message: /limit of the plan/ }])
  // Removed events are not released, even if the event store still has them.
  await upgrade()
  await measure()
  const before = harness.requests.length
  await release()
  expect(released(before)).toEqual([])
})

test.each(['before they are counted', 'between counting them and writing it down'])(
  'removed held events are counted once, even if the process is killed %s',
  async (when) => {
    await receive(beyond)
    await measure()
    time += 72 * hour
    await measure()
    await receive(['dan', 'eve'], { status: 'held' })
    const { eventStore } = harness
    const insert: typeof eventStore.insert = async (...given) => {
      if (given[0] === 'dropped_events' && when.startsWith('between')) await eventStore.insert(...given)
      throw new Error('killed')
    }
    time += 10 * day
    const killed = { ...deps(), eventStore: { ...eventStore, insert } }
    await expect(measureOrganization(killed, organization.organizationId, signal)).rejects.toThrow('killed')
    time += hour
    await measure()
    expect((await report()).held).toMatchObject({ removed_events: 2 })
    await measure()
    const { dropped_events } = await organization.administrator.ok(methods.droppedEvents.listBySource, {
      workspace: organization.workspaceId,
      source,
    })
    expect(dropped_events).toMatchObject([{ reason: 'held_too_long', count: 2 }])
  },
)

test('if a release is killed at any point, every held event is still sent under an ID that removes duplicates', async () => {
  await receive(beyond)
  await measure()
  time += 72 * hour
  await measure()
  const ids = await receive(
    Array.from({ length: 1100 }, (_, index) => `user-${index}`),
    { status: 'held' },
  )
  await upgrade()
  await measure()
  const { eventStore } = harness
  for (const point of ['before', 'after', 'noted'] as const) {
    let requests = 0
    const appendRequest: Parameters<typeof releaseHeld>[0]['appendRequest'] = async (meta, body) => {
      requests += 1
      if (point === 'before' && requests === 2) throw new Error('killed')
      harness.requests.push({ meta, body: Buffer.from(body).toString() })
      if (point === 'after' && requests === 1) throw new Error('killed')
    }
    const insert: typeof eventStore.insert = async (...given) => {
      await eventStore.insert(...given)
      if (point === 'noted') throw new Error('killed')
    }
    const killed = { ...deps(), eventStore: { ...eventStore, insert }, appendRequest }
    await expect(releaseHeld(killed, { organization: organization.organizationId }, { signal })).rejects.toThrow(
      'killed',
    )
  }
  await release()
  const sent = released(0).filter((id) => ids.includes(id))
  expect(new Set(sent)).toEqual(new Set(ids))
  // Events that were sent but not recorded are sent again, in one request.
  expect(sent).toHaveLength(1600)
  const before = harness.requests.length
  await release()
  expect(released(before)).toEqual([])
})

test('usage is shown by day and by source with the same total, including deleted sources', async () => {
  const other = await makeResources(organization.workspaceId, organization.administrator)
  await receive(['ada', 'ada'])
  time += day
  await receive(['ada', 'bob'], { from: idIn(other.source.name) })
  await organization.administrator.call('DELETE', `/${other.source.name}`)
  time += day
  const found = await report()
  expect(found).toMatchObject({
    period_start_time: '2026-03-01T00:00:00.000Z',
    period_end_time: '2026-04-01T00:00:00.000Z',
    profiles: { used: 2, limit: 2 },
    events: { used: 4, limit: 5 },
    days: [
      { date: '2026-03-02', events: 2, new_profiles: 1 },
      { date: '2026-03-03', events: 2, new_profiles: 1 },
    ],
    holds_from_time: null,
  })
  expect(found.sources.map(({ events, profiles }) => [events, profiles])).toEqual([
    [2, 1],
    [2, 2],
  ])
  const usage = await organization.guest.ok(methods.organizations.getUsage, {
    organization: organization.organizationId,
  })
  expect(usage).toMatchObject({ profiles: 2, events: 4, limits: { profiles: 2, events: 5, sources: 2 } })
})

/** The calendar month, without a subscription. */
const periodStart = Date.parse('2026-03-01T00:00:00.000Z')
test.each([
  ['events that a sync imports from years before', { imported: true, happened: Date.parse('2001-09-09') }, 0],
  ['events that a sync imports from 1 ms before the period', { imported: true, happened: periodStart - 1 }, 0],
  ['events that a sync imports from the first moment of the period', { imported: true, happened: periodStart }, 2],
  ['events that a sync imports without a time', { imported: true }, 2],
  ['events that a client dates back', { imported: false, happened: Date.parse('2025-03-02') }, 2],
  ['events from before that were stored before imports were marked', { happened: Date.parse('2025-03-02') }, 2],
] as const)('usage excludes imported history, on each page and in the limits: %s', async (_, given, counted) => {
  await receive(['ada', 'bob'], given)
  await measure()
  const expected = { profiles: { used: counted }, events: { used: counted } }
  expect(await report()).toMatchObject({
    ...expected,
    days: counted === 0 ? [] : [{ events: counted, new_profiles: counted }],
    sources: counted === 0 ? [] : [{ events: counted, profiles: counted }],
  })
  const { administrator, organizationId, workspaceId } = organization
  const params = { organization: organizationId }
  expect(await administrator.ok(methods.organizations.getUsage, params)).toMatchObject({
    profiles: counted,
    events: counted,
  })
  expect(await noticeTitles()).toHaveLength(counted === 0 ? 0 : 1)
  // Every event makes a profile.
  const profiles = await countProfiles(deps(), { workspaces: [workspaceId] }, { owner: 'system' })
  expect(profiles).toEqual([[0, 2]])
  // The usage of a deleted workspace is unchanged.
  await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: 'Other', organization: `organizations/${organizationId}` } },
  )
  await administrator.call('POST', `/${organization.workspace}:delete`, { title: 'Production' })
  await harness.removeDeletedOrganizations({ signal })
  expect(await report()).toMatchObject({ ...expected, deleted_workspaces: { events: counted, profiles: counted } })
})

test('a profile with imported history counts once it has an event in the period, without the history', async () => {
  await receive(['ada', 'bob', 'cy'], { imported: true, happened: start - 400 * day })
  expect(await report()).toMatchObject({ profiles: { used: 0 }, events: { used: 0 } })
  time += day
  await receive(['bob'])
  await receive(['ada'], { imported: true })
  expect(await report()).toMatchObject({
    profiles: { used: 2 },
    events: { used: 2 },
    days: [{ date: '2026-03-03', events: 2, new_profiles: 2 }],
    sources: [{ events: 2, profiles: 2 }],
  })
})

test('a measurement covers organizations that received events, and none if plans have no limits', async () => {
  await receive(beyond)
  const unlimited = createRound({ ...deps(), billing: { ...billing, limits: false }, logger: silentLogger })
  await unlimited(signal)
  const rows = () =>
    harness.db.selectFrom('plan_usage').selectAll().where('organization_id', '=', organization.organizationId).execute()
  expect(await rows()).toEqual([])
  const round = createRound({ ...deps(), logger: silentLogger })
  await round(signal)
  expect(await rows()).toMatchObject([{ profiles: '3', events: '3' }])
  await receive(['dan'])
  await round(signal)
  expect(await rows()).toMatchObject([{ profiles: '4', events: '4' }])
  time += 72 * hour
  await round(signal)
  expect(await heldOf()).toBe(true)
  // Events that were held when the setting was changed are released.
  await unlimited(signal)
  expect(await heldOf()).toBe(false)
})

describe('profiles beyond a paid plan', () => {
  const invoices = async () => {
    const listed = await organization.administrator.ok(methods.invoices.list, {
      organization: organization.organizationId,
    })
    const read = listed.invoices.map(async ({ invoice_url }) => (await harness.call('', 'GET', invoice_url)).body)
    return (await Promise.all(read)) as {
      status: string
      total: string
      lines: { description: string; amount: string }[]
    }[]
  }
  const additional = async () =>
    (await invoices()).filter(({ lines }) => lines.some(({ description }) => description.startsWith('Additional')))
  const settle = () => harness.settleSubscriptions({ signal })
  const setCap = (amount: string | null) =>
    organization.administrator.call('PUT', `/${organization.organization}/overageCap`, { amount })
  const four = ['ada', 'bob', 'cy', 'dan']
  /** Shortly after the period that began with the subscription. */
  const afterPeriod = Date.parse('2026-04-02T00:20:00.000Z')

  test('profiles beyond a paid plan are billed once, as one line as shown, even if the subscription ends with the period', async () => {
    await upgrade()
    await receive(four)
    expect((await report()).overage).toEqual({
      included: 3,
      price: '100.00',
      currency: 'USD',
      blocks: 1,
      amount: '100.00',
      cap: null,
      holds_beyond: null,
    })
    const params = { organization: organization.organizationId }
    await organization.administrator.ok(methods.subscriptions.cancel, params, { body: {} })
    time = Date.parse('2026-04-02T00:10:00.000Z')
    await settle()
    expect(await additional(), 'not while events can still be stored late').toEqual([])
    time = afterPeriod
    await settle()
    const billed = [
      {
        status: 'paid',
        total: '100.00',
        lines: [{ description: 'Additional profiles, Mar 2, 2026 to Apr 2, 2026: 1 × 10,000', amount: '100.00' }],
      },
    ]
    expect(await additional()).toMatchObject(billed)
    // Later events, a repeated billing of the same period, and the free plan add nothing to the bill.
    await receive(
      Array.from({ length: 3 }, (_, index) => `late-${index}`),
      { at: start + day },
    )
    await receive(four)
    await settle()
    time += 40 * day
    await settle()
    expect(await additional()).toMatchObject(billed)
    expect((await report()).overage).toBeNull()
  })

  test('profiles beyond a paid plan are not billed for imported history', async () => {
    await upgrade()
    await receive([...four, 'eve'], { imported: true, happened: start - 60 * day })
    await receive(['ada', 'bob', 'cy'])
    expect((await report()).overage).toMatchObject({ blocks: 0, amount: '0.00' })
    time = afterPeriod
    await settle()
    expect(await additional()).toEqual([])
  })

  test('the overage cost stays within the cap; further events are held after the grace period and released with a higher cap', async () => {
    await upgrade()
    expect((await setCap('twelve')).status).toBe(400)
    expect(await setCap('99.99')).toMatchObject({ status: 200, body: { amount: '99.99' } })
    await receive(four)
    await measure()
    expect(await noticeTitles()).toContain('The cap on additional profiles is reached')
    expect((await report()).overage).toMatchObject({ blocks: 0, amount: '0.00', cap: '99.99', holds_beyond: 3 })
    expect((await report()).holds_from_time).not.toBeNull()
    expect(await heldOf()).toBe(false)
    time += 72 * hour
    await measure()
    expect(await heldOf()).toBe(true)
    const ids = await receive(['eve'], { status: 'held' })
    await setCap('100')
    await measure()
    expect(await heldOf()).toBe(false)
    const before = harness.requests.length
    await release()
    expect(released(before)).toEqual(ids)
    expect((await report()).overage).toMatchObject({ blocks: 1, amount: '100.00', holds_beyond: 10_003 })
    // A lower cap bills the profiles used so far, and nothing more.
    await setCap('0')
    expect((await report()).overage).toMatchObject({ blocks: 1, amount: '100.00', cap: '0.00', holds_beyond: 10_003 })
    time = afterPeriod
    await settle()
    expect(await additional()).toMatchObject([{ total: '100.00' }])
    expect((await report()).overage).toMatchObject({ blocks: 0, holds_beyond: 3 })
  })

  const remove = () => harness.removeDeletedOrganizations({ signal })
  const storedEvents = async () => {
    const [row] = await harness.eventStore.query<{ n: number }>(
      'select count() as n from events where workspace_id = {workspace:String}',
      { workspace: organization.workspaceId },
      { owner: 'system' },
    )
    return Number(row?.n)
  }

  test('BIL-10: profiles of a deleted workspace count once on each page and on the invoice, although their events are deleted', async () => {
    await upgrade()
    await receive(four)
    const before = await report()
    const { administrator, organizationId, workspace } = organization
    const staging = { title: 'Staging', organization: organization.organization }
    await administrator.ok(methods.workspaces.create, {}, { body: staging })
    expect((await administrator.call('POST', `/${workspace}:delete`, { title: 'Production' })).status).toBe(200)
    const counts = async () => {
      const { profiles, events, days, overage, deleted_workspaces } = await report()
      expect([profiles.used, events.used, days, overage]).toEqual([4, 4, before.days, before.overage])
      expect(deleted_workspaces).toEqual({ events: 4, profiles: 4 })
      const usage = await administrator.ok(methods.organizations.getUsage, { organization: organizationId })
      expect(usage).toMatchObject({ workspaces: 1, profiles: 4, events: 4 })
    }
    await counts()
    await remove()
    expect(await storedEvents()).toBe(0)
    await counts()
    time += 2 * hour
    await remove()
    await counts()
    time = afterPeriod
    await settle()
    expect(await additional()).toMatchObject([{ total: '100.00' }])
    expect((await report()).profiles.used).toBe(0)
  })

  test('profiles beyond a plan are billed before their deleted organization is removed', async () => {
    await upgrade()
    await receive(four)
    const { administrator, organizationId } = organization
    const deletion = { title: 'Acme Inc' }
    expect((await administrator.call('POST', `/${organization.organization}:delete`, deletion)).status).toBe(200)
    await remove()
    expect(await storedEvents()).toBe(0)
    const rows = (table: 'organizations' | 'usage_periods', column: 'id' | 'organization_id') =>
      harness.db.selectFrom(table).selectAll().where(column, '=', organizationId).execute()
    expect(await rows('organizations', 'id')).toHaveLength(1)
    time += 2 * hour
    await remove()
    expect(await rows('organizations', 'id'), 'not before it is billed').toHaveLength(1)
    await settle()
    expect(await rows('usage_periods', 'organization_id')).toMatchObject([
      { profiles: '4', blocks: '1', invoice_url: expect.stringMatching(/invoices/) },
    ])
    time += 2 * hour
    await remove()
    expect(await rows('organizations', 'id')).toEqual([])
  })

  test('if the overage invoice cannot be charged, the subscription is past due until another card pays', async () => {
    await upgrade()
    await receive(four)
    const params = { organization: organization.organizationId }
    const bad = await addCard(organization.administrator, organization.organizationId, '4000000000000341')
    const { administrator } = organization
    time = afterPeriod - 10 * 60_000
    await settle()
    await administrator.ok(methods.paymentMethods.setDefault, { ...params, payment_method: bad }, { body: {} })
    time = afterPeriod
    await settle()
    expect(await additional()).toMatchObject([{ status: 'open' }])
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'past_due' })
    await administrator.ok(methods.paymentMethods.delete, { ...params, payment_method: bad })
    expect(await additional()).toMatchObject([{ status: 'paid' }])
    expect(await administrator.ok(methods.subscriptions.get, params)).toMatchObject({ status: 'active' })
  })
})
