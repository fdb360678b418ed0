import { ConfigurationError, RetryableError } from '@tributary/connector-kit'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareWarehouses } from './compare.ts'
import { queueDueLoads } from './queue-due-loads.ts'
import { createEngine, dayMs, type Engine, secret, startTime } from './testing.ts'

const { database, store } = await createTestStores()
const { db } = database

type Destination = Awaited<ReturnType<Engine['makeDestination']>>
const today = Math.floor(startTime / dayMs) * dayMs
const yesterday = new Date(today - dayMs).toISOString().slice(0, 10)

let engine: Engine
let destination: Destination
beforeEach(async () => {
  await db.deleteFrom('organizations').execute()
  engine = await createEngine(database, store)
  destination = await engine.makeDestination()
  await queueDueLoads(engine.services)
  await complete(today)
})
afterEach(() => engine.close())

const compare = () => compareWarehouses(engine.services)
/** Says that all events received before a time are loaded. */
const complete = (time: number, { id }: Destination = destination) =>
  db
    .updateTable('warehouse_states')
    .set({ complete_time: new Date(time) })
    .where('destination_id', '=', id)
    .execute()
const comparison = async (of: Destination = destination) => (await engine.stateOf(of)).comparison
let events = 0
/** Adds an event that was received at a time and staged for the destination. */
const deliver = async (time: number, given: { type?: string; event?: string; messageId?: string } = {}) => {
  const eventId = `0-${++events}-0`
  await engine.received(eventId, time, given)
  await engine.staged(destination, { eventId, time: time + 1000 })
  return eventId
}

test('a day whose rows are all there has equal counts, by table', async () => {
  await deliver(today - dayMs)
  await deliver(today - 1)
  await deliver(today - 2, { type: 'identify', event: '' })
  let asked: unknown
  engine.state.count = async (span) => {
    asked = span
    return { tracks: 2, order: 2, identifys: 1, users: 9, accounts: 9, empty: 0 }
  }
  await compare()
  expect(asked).toEqual({ from: today - dayMs, to: today })
  expect(await comparison()).toEqual({
    day: yesterday,
    compare_time: new Date(startTime).toISOString(),
    reason: '',
    tables: [
      { table: 'identifys', event_count: 1, row_count: 1 },
      { table: 'order', event_count: 2, row_count: 2 },
      { table: 'tracks', event_count: 2, row_count: 2 },
    ],
  })
})

test('rows that are missing, and rows that are too many, show as different counts', async () => {
  await deliver(today - dayMs)
  await deliver(today - dayMs, { event: 'Signup' })
  engine.state.count = async () => ({ tracks: 1, signup: 3, unknown: 4 })
  await compare()
  expect(await comparison()).toMatchObject({
    tables: [
      { table: 'order', event_count: 1, row_count: 0 },
      { table: 'signup', event_count: 1, row_count: 3 },
      { table: 'tracks', event_count: 2, row_count: 1 },
      { table: 'unknown', event_count: 0, row_count: 4 },
    ],
  })
})

test('an event counts on the day of its receipt, once, and only if it was delivered to this destination', async () => {
  await deliver(today - dayMs - 1)
  await deliver(today)
  await deliver(today - dayMs, { messageId: 'twice' })
  await deliver(today - dayMs + 1, { messageId: 'twice' })
  const late = await deliver(today - 1)
  // It was retried, and delivered on the next day.
  await engine.staged(destination, { eventId: late, time: today + 5000 })
  await engine.received('0-dead-0', today - 1)
  await engine.staged(destination, { eventId: '0-dead-0', time: today - 1, status: 'dead' })
  await engine.received('0-other-0', today - 1)
  await engine.staged(await engine.makeDestination(), { eventId: '0-other-0', time: today - 1 })
  await compare()
  expect(await comparison()).toMatchObject({
    tables: [
      { table: 'order', event_count: 2, row_count: 0 },
      { table: 'tracks', event_count: 2, row_count: 0 },
    ],
  })
})

test('a day is compared once, and the next day again', async () => {
  await compare()
  await compare()
  expect(engine.state.calls).toEqual(['count'])
  engine.clock.now += dayMs
  await compare()
  expect(engine.state.calls).toEqual(['count'])
  await complete(today + dayMs)
  await compare()
  expect(engine.state.calls).toEqual(['count', 'count'])
  expect(await comparison()).toMatchObject({ day: new Date(today).toISOString().slice(0, 10) })
})

test('a day is compared only when all of it is loaded', async () => {
  await complete(today - 1)
  await compare()
  const never = await engine.makeDestination()
  await queueDueLoads(engine.services)
  await compare()
  expect(engine.state.calls).toEqual([])
  expect([await comparison(), await comparison(never)]).toEqual([null, null])
})

test.each([
  ['is down', () => new RetryableError(`${secret} timed out`)],
  ['refuses the account', () => new ConfigurationError(`no grant for ${secret}`)],
])('a warehouse that %s has the reason without secrets, and delays no other', async (_, errorOf) => {
  const other = await engine.makeDestination()
  await queueDueLoads(engine.services)
  await complete(today, other)
  let counts = 0
  engine.state.count = async () => {
    if (++counts === 1) throw errorOf()
    return {}
  }
  await compare()
  const both = [await comparison(), await comparison(other)] as { reason: string; tables: unknown[] }[]
  expect(both.map(({ reason }) => reason === '').toSorted()).toEqual([false, true])
  const failed = both.find(({ reason }) => reason !== '')
  expect(failed).toMatchObject({ day: yesterday, tables: [] })
  expect(failed?.reason).toMatch(/timed out|no grant for/)
  expect(JSON.stringify(failed)).not.toContain(secret)
})

test('a warehouse whose day could not be compared is asked again in the next hour', async () => {
  engine.state.count = () => Promise.reject(new RetryableError('down'))
  await compare()
  engine.state.count = async () => ({ tracks: 1 })
  engine.clock.now += 3_600_000
  await compare()
  expect(await comparison()).toMatchObject({ day: yesterday, reason: '', tables: [{ table: 'tracks' }] })
})

test('a fault of the connector is logged, and delays no other', async () => {
  engine.state.count = () => Promise.reject(new TypeError('x'))
  await compare()
  expect(await comparison()).toBeNull()
  expect(engine.errors).toMatchObject([{ err: expect.any(TypeError), destination: destination.id }])
})

test('disabled and deleted destinations are not compared', async () => {
  await db.updateTable('destinations').set({ enabled: false }).where('id', '=', destination.id).execute()
  const deleted = await engine.makeDestination()
  await queueDueLoads(engine.services)
  await complete(today, deleted)
  await db.updateTable('destinations').set({ delete_time: new Date() }).where('id', '=', deleted.id).execute()
  await compare()
  expect(engine.state.calls).toEqual([])
})
