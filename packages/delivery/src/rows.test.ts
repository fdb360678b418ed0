import { join } from 'node:path'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import type { DeliveryMeta, OutboundRow } from '@tributary/contract'
import { openLogReader, StaleProducer } from '@tributary/storage'
import { createTestStores, eventually, openToyProducer } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFixture, type Fixture, sampleEvent } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack

beforeEach(() => {
  stack = new AsyncDisposableStack()
})
afterEach(async () => {
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const open = async (connector = webhook, settings = {}): Promise<void> => {
  fixture = stack.adopt(
    await createFixture({
      db: database.db,
      eventStore: store,
      connector,
      settings: { maintenanceMs: 50, ...settings },
    }),
    (made) => made.close(),
  )
}
const peerOf = async (answer: (body: OutboundRow) => PeerAnswer = () => ({ status: 200 })): Promise<Peer> =>
  stack.adopt(await startPeer(({ body }) => answer(JSON.parse(body))), (peer) => peer.close())

/** The toy producer on the fixture's logs. */
const produce = async (destinationId: string) => {
  const outcomes = openLogReader({ dir: join(fixture.folder, 'outcomes') })
  stack.defer(() => outcomes.close())
  const toy = await openToyProducer({
    file: join(fixture.folder, 'toy.db'),
    name: 'toy',
    workspaceId: fixture.workspaceId,
    originId: fixture.sourceId,
    destinationId,
    stream: fixture.stream,
    outcomes,
  })
  stack.defer(() => toy.close())
  return toy
}
type Toy = Awaited<ReturnType<typeof produce>>

const upsert = (key: string): Omit<OutboundRow, 'recordId'> => ({
  operation: 'upsert',
  object: 'contacts',
  key,
  payload: { name: `Ü "${key}",\n{`, list: [1, { a: null }] },
})
const remove = (key: string): Omit<OutboundRow, 'recordId'> => ({
  operation: 'delete',
  object: 'contacts',
  key,
  payload: {},
})
const send = async (toy: Toy, rows: readonly Omit<OutboundRow, 'recordId'>[]): Promise<void> => {
  toy.add(rows)
  await toy.send()
}
const learned = (toy: Toy, statuses: readonly string[]) =>
  eventually(`it learns ${statuses.join()}`, async () => {
    await toy.learn()
    return toy.rows().every(({ status }, index) => status === statuses[index]) && toy.rows()
  })

it('each row reaches a webhook as its producer wrote it and is logged, and its outcome is reported', async () => {
  await open()
  const peer = await peerOf()
  const destination = fixture.destination({ url: peer.url })
  const toy = await produce(destination)
  await send(toy, [upsert('k1'), remove('k"2')])
  await learned(toy, ['delivered', 'delivered'])
  const bodies = peer.requests
    .map(({ body }) => JSON.parse(body))
    .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  expect(bodies).toEqual([
    { recordId: 'toy.1', ...upsert('k1') },
    { recordId: 'toy.2', ...remove('k"2') },
  ])
  const [first] = peer.requests
  const { recordId } = JSON.parse(first?.body ?? '{}')
  expect(first?.headers).toMatchObject({ 'x-tributary-record-id': recordId, 'idempotency-key': recordId })
  await fixture.delivery.idle()
  expect((await fixture.attempts()).toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1))).toMatchObject([
    { event_id: 'toy.1', status: 'delivered', producer: 'sync', operation: 'upsert', object: 'contacts', key: 'k1' },
    { event_id: 'toy.2', status: 'delivered', producer: 'sync', operation: 'delete', object: 'contacts', key: 'k"2' },
  ])
})

it('a batching destination gets rows together, in order, separate from events, with one change of a key at a time', async () => {
  await open()
  const peer = await peerOf()
  const destination = fixture.destination({ url: peer.url, batching: true, batch_size: 100, batch_wait_ms: 200 })
  const toy = await produce(destination)
  await fixture.append([destination], 3)
  await send(toy, [upsert('a'), remove('a'), upsert('b')])
  await learned(toy, ['delivered', 'delivered', 'delivered'])
  await fixture.delivery.idle()
  const rows = peer.requests.filter(({ headers }) => headers['x-tributary-record-count'] !== undefined)
  expect(rows.map(({ body }) => JSON.parse(body).map((row: OutboundRow) => row.recordId))).toEqual([
    ['toy.1', 'toy.3'],
    ['toy.2'],
  ])
  expect(peer.requests.map(({ headers }) => headers['x-tributary-event-count'])).toContain('3')
})

it('if a batch is rejected because of one row, the other rows arrive; if the destination returns outcomes of single rows, they are used', async () => {
  await open()
  const peer = stack.adopt(
    await startPeer(({ body }): PeerAnswer => {
      const rows: OutboundRow[] = JSON.parse(body)
      if (rows.some(({ key }) => key === 'bad')) return { status: 422, body: 'What is it?' }
      const refused = rows.filter(({ key }) => key === 'odd')
      const results = refused.map(({ recordId }) => ({ recordId, status: 'rejected', reason: 'Odd' }))
      return { status: 200, body: JSON.stringify({ results }) }
    }),
    (made) => made.close(),
  )
  const toy = await produce(fixture.destination({ url: peer.url, batching: true, batch_size: 100, batch_wait_ms: 200 }))
  await send(toy, ['a', 'b', 'bad', 'odd', 'c'].map(upsert))
  const rows = await learned(toy, ['delivered', 'delivered', 'dead', 'dead', 'delivered'])
  expect(rows.map(({ reason }) => reason)).toEqual(['', '', 'HTTP 422', 'Odd', ''])
})

it('an event of a producer is mapped, is in the delivery log under its key, and can be retried', async () => {
  await open()
  let status = 400
  const peer = await peerOf(() => ({ status }))
  const destination = fixture.destination({ url: peer.url })
  const event = { ...sampleEvent(1), eventId: 'connection-1', messageId: 'connection-1', event: 'Audience Entered' }
  const meta: DeliveryMeta = {
    w: fixture.workspaceId,
    s: fixture.sourceId,
    d: [destination],
    n: 1,
    b: { k: 'audience', n: 'audience connection', e: ['profile'] },
  }
  const body = Buffer.from(`[${JSON.stringify(event)}]\n`)
  await fixture.stream.appendGroup([{ key: fixture.workspaceId, meta: JSON.stringify(meta), body }])
  const parked = () => database.db.selectFrom('parked_deliveries').select(['state', 'event_ids']).execute()
  await eventually('it is a dead letter', async () => (await parked()).length === 1)
  expect(await parked()).toEqual([{ state: 'dead', event_ids: ['connection-1'] }])
  expect(JSON.parse(peer.requests[0]?.body ?? '')).toEqual(event)
  status = 200
  await database.db
    .updateTable('parked_deliveries')
    .set({ state: 'waiting', next_time: new Date(), attempts: 0 })
    .execute()
  await fixture.delivery.takeUp(destination)
  await eventually('it is delivered', async () => (await fixture.attempts()).length === 2)
  const tried = { event_id: 'connection-1', producer: 'audience', operation: 'event', key: 'profile' }
  expect(await fixture.attempts()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...tried, status: 'dead' }),
      expect.objectContaining({ ...tried, status: 'delivered' }),
    ]),
  )
})

it('a producer gets retries, rejections, and the final outcome of a retried row', async () => {
  await open()
  let up = false
  const peer = await peerOf(({ key }) => ({ status: up ? 200 : key === 'bad' ? 400 : 503 }))
  const destination = fixture.destination({ url: peer.url })
  const toy = await produce(destination)
  await send(toy, [upsert('bad'), upsert('late')])
  const [bad] = await learned(toy, ['dead', 'retry'])
  expect(bad?.reason).toContain('400')
  up = true
  await learned(toy, ['dead', 'delivered'])
  await fixture.delivery.idle()
  await database.db
    .updateTable('parked_deliveries')
    .set({ state: 'waiting', next_time: new Date(), attempts: 0 })
    .execute()
  await fixture.delivery.takeUp(destination)
  await learned(toy, ['delivered', 'delivered'])
})

it('a destination that accepts only events rejects rows with the reason, as dead letters', async () => {
  await open(relay)
  const peer = await peerOf()
  const destination = fixture.destination({ url: peer.url })
  const toy = await produce(destination)
  await send(toy, [upsert('k')])
  expect(await learned(toy, ['dead'])).toMatchObject([{ reason: 'This destination takes events only' }])
  await fixture.delivery.idle()
  expect(peer.requests).toEqual([])
  expect(await fixture.attempts()).toMatchObject([{ status: 'dead', reason: 'This destination takes events only' }])
})

it('a row that its destination correctly skipped is done, and its producer gets the outcome with the reason', async () => {
  const reason = 'It is there already'
  const deliverRows: typeof webhook.deliverRows = async () => ({
    outcomes: [{ kind: 'skipped', reason }],
    httpStatus: 0,
    latencyMs: 0,
  })
  await open({ ...webhook, deliverRows })
  const toy = await produce(fixture.destination({ url: 'https://receiver.example' }))
  await send(toy, [upsert('k')])
  expect(await learned(toy, ['filtered'])).toMatchObject([{ reason }])
  await fixture.delivery.idle()
  expect(await fixture.attempts()).toMatchObject([{ status: 'filtered', reason }])
})

it('held rows stay in the log until settled, and their producer is notified if they die with their destination', async () => {
  await open()
  const peer = await peerOf()
  const destination = fixture.destination({ url: peer.url }, { enabled: false })
  const toy = await produce(destination)
  await send(
    toy,
    Array.from({ length: 60 }, (_, n) => upsert(`k${n}`)),
  )
  await fixture.delivery.idle()
  await fixture.append([], 20)
  await fixture.delivery.idle()
  const needed = () =>
    Math.min(
      ...fixture.delivery
        .minimumNeeded()
        .filter(({ partition }) => partition === place)
        .map(({ offset }) => offset),
    )
  const place = fixture.delivery.state().partitions.find(({ committed }) => committed > 0)?.partition
  expect(needed()).toBe(0)
  fixture.entries.delete(destination)
  const rows = await learned(
    toy,
    Array.from({ length: 60 }, () => 'dead'),
  )
  expect(rows[0]?.reason).toBe('The destination was deleted')
  await eventually('nothing is needed any more', () => needed() > 2)
  expect(peer.requests).toEqual([])
})

it('after a successor begins, the earlier producer can append nothing, and the successor continues', async () => {
  await open()
  const peer = await peerOf()
  const destination = fixture.destination({ url: peer.url })
  const first = await produce(destination)
  await send(first, [upsert('a'), upsert('b')])
  const second = await produce(destination)
  first.add([upsert('c')])
  await expect(first.send()).rejects.toBeInstanceOf(StaleProducer)
  await second.send()
  await learned(second, ['delivered', 'delivered', 'delivered'])
  expect(peer.requests).toHaveLength(3)
})
