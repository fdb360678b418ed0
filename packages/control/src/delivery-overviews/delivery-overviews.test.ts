import { type DeliveryOverview, methods } from '@tributary/contract'
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

type Row = {
  event_id: string
  status: string
  time: number
  attempt: number
  latency_ms: number
  reason: string
  replay_id?: string
}

const hour = 3_600_000
const first = Date.parse('2026-03-02T00:00:00Z')
const query = {
  'start_date.seconds': first / 1000,
  'end_date.seconds': first / 1000 + 86_400,
  granularity: 'hour',
} as const

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const place = { workspace: workspaceId, destination: idIn(destination.name) }
  const store = (rows: readonly Partial<Row>[], more: object = {}) =>
    harness.eventStore.insert(
      'deliveries',
      rows.map((row) =>
        JSON.stringify({
          workspace_id: workspaceId,
          source_id: idIn(source.name),
          destination_id: place.destination,
          attempt: 1,
          ...row,
          ...more,
        }),
      ),
      { token: newId() },
    )
  const get = () => administrator.ok(methods.deliveryOverviews.get, place, { query })
  return { place, store, get, source, destination }
}

/** Counts the same outcomes by going through all rows of each event. */
const bruteForce = (rows: readonly Row[]): Pick<DeliveryOverview, 'current' | 'previous' | 'buckets' | 'reasons'> => {
  const empty = { received: 0, filtered: 0, pending: 0, failed: 0, delivered: 0, first_try: 0, p95_latency_ms: null }
  const result = { current: { ...empty }, previous: { ...empty } }
  const buckets: DeliveryOverview['buckets'] = {}
  const reasons = new Map<string, number>()
  const inRange = rows.filter(({ time }) => time >= first - 24 * hour && time < first + 24 * hour)
  for (const own of Map.groupBy(inRange, ({ event_id }) => event_id).values()) {
    const last = own.toSorted((a, b) => a.time - b.time || a.attempt - b.attempt).at(-1)
    if (last === undefined) continue
    const clean = last.attempt <= 1 && !own.some(({ status }) => status === 'retry' || status === 'dead')
    const totals = last.time >= first ? result.current : result.previous
    totals.received++
    if (last.status === 'filtered') totals.filtered++
    if (last.status === 'retry') totals.pending++
    if (last.status === 'dead') totals.failed++
    if (last.status === 'delivered') totals.delivered++
    if (last.status === 'delivered' && clean) totals.first_try++
    if (last.time < first || last.status === 'retry') continue
    const name = new Date(last.time).toISOString().slice(0, 13).replaceAll(/\D/g, '')
    const bucket = (buckets[name] ??= { delivered: 0, retried: 0, failed: 0, filtered: 0 })
    if (last.status === 'delivered') bucket[clean ? 'delivered' : 'retried']++
    else bucket[last.status === 'dead' ? 'failed' : 'filtered']++
    if (last.status !== 'delivered')
      reasons.set(`${last.status} ${last.reason}`, (reasons.get(`${last.status} ${last.reason}`) ?? 0) + 1)
  }
  const shownReasons = [...reasons].map(([key, event_count]) => {
    const status = key.startsWith('dead') ? ('dead' as const) : ('filtered' as const)
    return { status, reason: key.slice(status.length + 1), event_count }
  })
  return { ...result, buckets, reasons: shownReasons }
}

const byText = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

test('event counts equal a scan of every row, however often the events were attempted', async () => {
  const { store, get } = await start()
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const rows: Row[] = []
  for (let index = 0; index < 3000; index++) {
    const event_id = `0-${index}-0`
    let time = first - 26 * hour + random(52 * hour)
    if (random(6) === 0) {
      rows.push({ event_id, status: 'filtered', time, attempt: 0, latency_ms: 0, reason: `No mapping ${random(3)}` })
      continue
    }
    const tries = random(4) === 0 ? 1 + random(5) : 0
    for (let attempt = 1; attempt <= tries; attempt++) {
      rows.push({ event_id, status: 'retry', time, attempt, latency_ms: 5, reason: 'HTTP 503' })
      time += random(hour)
    }
    const end = random(10)
    if (end === 0) continue
    const died = end === 1
    rows.push({
      event_id,
      status: died ? 'dead' : 'delivered',
      time,
      attempt: tries + 1,
      latency_ms: 10 + random(100),
      reason: died ? `HTTP 42${random(2)}` : '',
    })
    // A dead letter that a user retried. Its attempts are counted from the start again.
    if (died && random(2) === 0)
      rows.push({ event_id, status: 'delivered', time: time + hour, attempt: 1, latency_ms: 20, reason: '' })
    // A replay of an event that was delivered before.
    if (!died && random(20) === 0)
      rows.push({
        event_id,
        status: 'delivered',
        time: time + 2 * hour,
        attempt: 1,
        latency_ms: 20,
        reason: '',
        replay_id: 'r',
      })
    // A delivery repeated after a crash.
    if (!died && random(20) === 0)
      rows.push({
        event_id,
        status: 'delivered',
        time: time - (time % hour) + hour - 1,
        attempt: tries + 1,
        latency_ms: 20,
        reason: '',
      })
  }
  await store(rows)
  await store(rows.slice(0, 50), { workspace_id: organization.otherWorkspaceId })
  await store(rows.slice(0, 50), { destination_id: newId() })
  const counted = await get()
  const expected = bruteForce(rows)
  expect({ ...counted.current, p95_latency_ms: null }).toEqual(expected.current)
  expect({ ...counted.previous, p95_latency_ms: null }).toEqual(expected.previous)
  expect(counted.buckets).toEqual(expected.buckets)
  expect(counted.reasons.toSorted(byText)).toEqual(expected.reasons.toSorted(byText))
  expect(counted.current.first_try).toBeGreaterThan(0)
  expect(counted.current.received).toBeGreaterThan(1000)
})

test('an event delivered at the third attempt counts as delivered once, in the hour of its delivery', async () => {
  const { store, get } = await start()
  await store([
    { event_id: 'a', status: 'retry', time: first + hour, attempt: 1 },
    { event_id: 'a', status: 'retry', time: first + 2 * hour, attempt: 2 },
    { event_id: 'a', status: 'delivered', time: first + 3 * hour, attempt: 3, latency_ms: 40 },
    { event_id: 'b', status: 'delivered', time: first + 3 * hour, attempt: 1, latency_ms: 60 },
  ])
  const { current, buckets } = await get()
  expect(current).toMatchObject({ received: 2, delivered: 2, first_try: 1, pending: 0, failed: 0 })
  expect(buckets).toEqual({ '2026030203': { delivered: 1, retried: 1, failed: 0, filtered: 0 } })
})

test('the p95 latency is at least that of 95 in 100 deliveries', async () => {
  const { store, get } = await start()
  await store(
    Array.from({ length: 100 }, (_, index) => ({
      event_id: `p-${index}`,
      status: 'delivered',
      time: first + index,
      latency_ms: index + 1,
    })),
  )
  const { current, previous } = await get()
  expect(Math.abs((current.p95_latency_ms ?? 0) - 95)).toBeLessThanOrEqual(1)
  expect(previous.p95_latency_ms).toBeNull()
})

test('held events without an attempt are pending; discarded ones without an attempt are failed; waiting ones show their age', async () => {
  const { get, place, source } = await start()
  const park = (more: object) =>
    harness.db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: place.workspace,
        source_id: idIn(source.name),
        destination_id: place.destination,
        log_partition: 0,
        log_offset: Math.floor(Math.random() * 1e9),
        event_indexes: [],
        event_count: 4,
        state: 'waiting',
        attempts: 0,
        first_time: new Date(first + hour),
        next_time: new Date(first + hour),
        last_status: null,
        ...more,
      })
      .execute()
  await park({})
  await park({ event_count: 3, state: 'dead', last_reason: 'limit' })
  await park({ event_count: 2, attempts: 1, last_status: 503, last_reason: 'HTTP 503' })
  await park({ event_count: 9, first_time: new Date(first - hour) })
  expect(await get()).toMatchObject({
    current: { received: 7, pending: 4, failed: 3 },
    previous: { received: 9, pending: 9 },
    waiting: { event_count: 15, oldest_time: new Date(first - hour).toISOString() },
    dead: { event_count: 3 },
  })
})

test.each([
  ['start_date.seconds=5&end_date.seconds=5', 'end_date.seconds'],
  [`start_date.seconds=0&end_date.seconds=${93 * 86_400}`, 'end_date.seconds'],
  [`start_date.seconds=0&end_date.seconds=${3 * 86_400}&granularity=hour`, 'end_date.seconds'],
  ['end_date.seconds=5', 'start_date.seconds'],
])('the query %s is refused with 400, and the response names the field', async (text, field) => {
  const { destination } = await start()
  const reply = await organization.guest.call('GET', `/${destination.name}/deliveryOverview?${text}`)
  expect([reply.status, Object.keys(reply.body['metadata'] ?? {})]).toEqual([400, [field]])
})
