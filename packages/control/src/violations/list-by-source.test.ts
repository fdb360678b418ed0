import { type MethodResponse, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const sourceId = idIn(source.name)
  const now = harness.now()
  const insert = (table: string, rows: object[]): Promise<void> =>
    harness.eventStore.insert(
      table,
      rows.map((row) => JSON.stringify({ workspace_id: workspaceId, source_id: sourceId, ...row })).join('\n'),
      { token: newId() },
    )
  /** An event this long ago with these problems, each `[property, kind]`. */
  const event = (id: string, ago: number, problems: [string, string][], more: object = {}) => ({
    event_id: id,
    type: 'track',
    event: 'Order Completed',
    status: 'accepted',
    receive_time: now - ago,
    timestamp: 0,
    compatibility: problems.length === 0 ? 'compatible' : 'needsAttention',
    problems: problems.map(([property, kind]) => ({ property, kind })),
    ...more,
  })
  const params = { workspace: workspaceId, source: sourceId }
  const list = (query: object = {}): Promise<MethodResponse<typeof methods.violations.listBySource>> =>
    organization.guest.ok(methods.violations.listBySource, params, { query })
  return { insert, event, list, params, now }
}

test('problems are counted by event, property, and kind over a day, a week, and a month, most frequent first', async () => {
  const { insert, event, list, params, now } = await start()
  const total: [string, string] = ['total', 'type']
  await insert('events', [
    event('1', hourMs, [total, ['coupon', 'unknown']]),
    event('2', 2 * dayMs, [total]),
    event('3', 8 * dayMs, [total, ['total', 'missing']]),
    event('4', 31 * dayMs, [total]),
    event('5', hourMs, []),
    event('6', hourMs, [['products/sku', 'missing']], { event: 'Cart Viewed' }),
    event('7', hourMs, [['email', 'missing']], { type: 'identify', event: '' }),
  ])
  const sample = (id: string): string => `workspaces/${params.workspace}/events/${id}`
  const at = (ago: number): string => new Date(now - ago).toISOString()
  const once = { last_24_hours: 1, last_7_days: 1, last_30_days: 1, last_seen_time: at(hourMs), fixed_in_version: null }
  const order = { type: 'track', event: 'Order Completed' }
  expect(await list()).toEqual({
    violations: [
      {
        ...order,
        property: 'total',
        problem: 'type',
        last_24_hours: 1,
        last_7_days: 2,
        last_30_days: 3,
        last_seen_time: at(hourMs),
        sample_events: [sample('1'), sample('2'), sample('3')],
        fixed_in_version: null,
      },
      { ...once, type: 'identify', event: '', property: 'email', problem: 'missing', sample_events: [sample('7')] },
      {
        ...once,
        type: 'track',
        event: 'Cart Viewed',
        property: 'products/sku',
        problem: 'missing',
        sample_events: [sample('6')],
      },
      { ...once, ...order, property: 'coupon', problem: 'unknown', sample_events: [sample('1')] },
      {
        ...order,
        property: 'total',
        problem: 'missing',
        last_24_hours: 0,
        last_7_days: 0,
        last_30_days: 1,
        last_seen_time: at(8 * dayMs),
        sample_events: [sample('3')],
        fixed_in_version: null,
      },
    ],
    next_page_token: '',
    blocked_count: 0,
  })
})

test('an event without a definition in the schema is one problem of the whole event', async () => {
  const { insert, event, list } = await start()
  await insert('events', [
    event('1', 1000, [], { compatibility: 'incompatible', event: 'New One' }),
    event('2', 2000, [], { compatibility: 'incompatible', event: 'New One', status: 'blocked' }),
    event('3', 3000, [], { compatibility: 'incompatible', event: '', type: 'identify' }),
  ])
  expect((await list()).violations).toMatchObject([
    { type: 'track', event: 'New One', property: '', problem: 'new_event', last_30_days: 2 },
    { type: 'identify', event: '', property: '', problem: 'new_event', last_30_days: 1 },
  ])
})

test('a violation that the current schema allows shows the version that fixed it', async () => {
  const { insert, event, list, params } = await start()
  await insert('events', [
    event('1', 1000, [], { compatibility: 'incompatible', event: 'Added' }),
    event('2', 1000, [], { compatibility: 'incompatible', event: 'Not added' }),
  ])
  const change = async (schema: object): Promise<void> => {
    const path = `/workspaces/${params.workspace}/sources/${params.source}?update_mask=schema`
    const answer = await organization.administrator.call('PATCH', path, { schema: JSON.stringify(schema) })
    expect(answer.status).toBe(200)
  }
  await change({ events: { Added: {} } })
  await change({ events: { Added: {}, Other: {} } })
  const { violations } = await list()
  expect(violations.map((each) => [each.event, each.fixed_in_version])).toEqual([
    ['Added', 2],
    ['Not added', null],
  ])
})

test('the samples of a problem are the five newest events', async () => {
  const { insert, event, list } = await start()
  await insert(
    'events',
    Array.from({ length: 12 }, (_, index) => event(`${index}`, (index + 1) * 1000, [['total', 'type']])),
  )
  const [violation] = (await list()).violations
  expect(violation?.sample_events.map(idIn)).toEqual(['0', '1', '2', '3', '4'])
})

test('blocked events of 30 days are counted until they were sent again', async () => {
  const { insert, event, list, now } = await start()
  const blocked = (id: string, ago: number) => event(id, ago, [['total', 'type']], { status: 'blocked' })
  await insert('events', [
    blocked('1', 1000),
    blocked('2', 2000),
    blocked('3', 29 * dayMs),
    blocked('4', 31 * dayMs),
    event('5', 1000, [['total', 'type']]),
  ])
  expect((await list()).blocked_count).toBe(3)
  await insert('replayed_events', [{ event_id: '2', time: now }])
  await insert('replayed_events', [
    { event_id: '1', time: now, source_id: newId() },
    { event_id: '1', time: now, workspace_id: organization.otherWorkspaceId },
  ])
  expect((await list()).blocked_count).toBe(2)
})

test('problems of another source, or of another workspace under the same source ID, are not counted', async () => {
  const { insert, event, list } = await start()
  const broken = (more: object) => event('1', 1000, [['total', 'type']], { status: 'blocked', ...more })
  await insert('events', [broken({ source_id: newId() }), broken({ workspace_id: organization.otherWorkspaceId })])
  expect(await list()).toEqual({ violations: [], next_page_token: '', blocked_count: 0 })
})

test('pages show every problem once', async () => {
  const { insert, event, list } = await start()
  const names = ['a', 'b', 'c', 'd', 'e']
  await insert('events', [
    event(
      '1',
      1000,
      names.map((name) => [name, 'unknown']),
    ),
  ])
  const seen: string[] = []
  let page_token = ''
  do {
    const page = await list({ page_size: 2, page_token })
    seen.push(...page.violations.map((each) => each.property))
    page_token = page.next_page_token
  } while (page_token !== '')
  expect(seen).toEqual(names)
})

test('only members of the organization see problems, and only of existing sources', async () => {
  const { params } = await start()
  const { administrator, outsider, otherWorkspaceId } = organization
  const of = (workspace: string, source: string): string => `/workspaces/${workspace}/sources/${source}/violations`
  const path = of(params.workspace, params.source)
  expect(await harness.call('', 'GET', path)).toMatchObject({ status: 401 })
  expect(await outsider.call('GET', path)).toMatchObject({ status: 404 })
  expect(await outsider.call('GET', of(otherWorkspaceId, params.source))).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', of(params.workspace, newId()))).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', of(params.workspace, 'x'))).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', `${path}?page_size=-1`)).toMatchObject({ status: 400 })
  expect(await administrator.call('GET', `${path}?page_token=x`)).toMatchObject({ status: 400 })
})
