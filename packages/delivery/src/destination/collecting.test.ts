import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFixture, expectedIds, type Fixture, messageIds, sortedIds } from '../testing.ts'
import { relay } from '../testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let peer: Peer
let answer: PeerAnswer

beforeEach(async () => {
  answer = { status: 200 }
  peer = await startPeer(() => answer)
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay, settings: { collectMs: 200 } })
})
afterEach(async () => {
  await fixture.close()
  await peer.close()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const make = (wait: number, batch = 10_000): string => fixture.destination({ url: peer.url, batch, wait })
const worker = (id: string) => fixture.delivery.state().workers.find((each) => each.destinationId === id)
const positions = () => fixture.delivery.state().partitions
const sizes = (): number[] => peer.requests.map(({ body }) => JSON.parse(body).length)

it('a batch with a long wait stays in the log, uses no memory, and does not delay the shared position', async () => {
  const id = make(60_000)
  await fixture.append([id], 300)
  await fixture.delivery.idle()
  expect(worker(id)).toMatchObject({ queued: 0, inFlight: 0, heldEvents: 300 })
  expect(positions().every(({ next, committed }) => next === committed)).toBe(true)
  expect(peer.requests).toEqual([])
  const rows = await database.db.selectFrom('parked_deliveries').selectAll().execute()
  expect(rows.reduce((sum, row) => sum + row.event_count, 0)).toBe(300)
  expect(rows.length).toBeLessThanOrEqual(positions().length)
})

it('a batch is sent as a whole when its first event has waited long enough', async () => {
  const id = make(1500)
  const begun = Date.now()
  for (let round = 0; round < 3; round++) await fixture.append([id], 40)
  await peer.until((requests) => requests.length > 0)
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1400)
  await fixture.delivery.idle()
  expect(sizes()).toEqual([120])
  expect(sortedIds(peer)).toEqual(expectedIds(0, 120))
  await expect.poll(() => worker(id)?.heldEvents).toBe(0)
})

it('a full batch is sent immediately, even above the usual queue size, and all other events wait', async () => {
  const id = make(60_000, 1000)
  await fixture.append([id], 2500)
  await peer.until((requests) => requests.length === 2)
  expect(sizes()).toEqual([1000, 1000])
  expect(worker(id)).toMatchObject({ queued: 0 })
  await expect.poll(() => worker(id)?.heldEvents).toBe(500)
})

it('events that wait for a batch survive a restart, and each is sent once', async () => {
  const id = make(2000)
  await fixture.append([id], 50)
  await fixture.delivery.idle()
  await fixture.restart()
  await fixture.append([id], 50)
  await peer.until(() => messageIds(peer).length >= 100)
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual(expectedIds(0, 100))
})

it('after a failure, the batch is retried soon, without another long wait', async () => {
  const id = make(60_000, 20)
  answer = { status: 503 }
  await fixture.append([id], 20, 5)
  await peer.until((requests) => requests.length > 0)
  answer = { status: 200 }
  await expect
    .poll(async () => (await fixture.attempts()).filter(({ status }) => status === 'delivered').length)
    .toBe(20)
  expect(new Set(messageIds(peer)).size).toBe(20)
})
