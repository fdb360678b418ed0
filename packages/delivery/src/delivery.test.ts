import { type Peer, type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WorkerSnapshot } from './destination/destination-worker.ts'
import { type DeliverySettings, defaultDeliverySettings } from './settings.ts'
import { createFixture, distinct, expectedIds, type Fixture, messageIds, sortedIds } from './testing.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
const peers: Peer[] = []

beforeEach(async () => {
  fixture = await open()
})
afterEach(async () => {
  await fixture.close()
  for (const peer of peers.splice(0)) await peer.close()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const open = (settings: Partial<DeliverySettings> = {}, timeoutMs?: number): Promise<Fixture> =>
  createFixture({
    db: database.db,
    eventStore: store,
    connector: webhook,
    settings,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
/** Reopens the delivery with other settings. */
const reopen = async (settings: Partial<DeliverySettings>, timeoutMs?: number): Promise<void> => {
  await fixture.close()
  fixture = await open(settings, timeoutMs)
}
const peerOf = async (
  answer?: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer>,
  port = 0,
): Promise<Peer> => {
  const peer = await startPeer(answer, { port })
  peers.push(peer)
  return peer
}
const worker = (id: string): WorkerSnapshot => {
  const found = fixture.delivery.state().workers.find((candidate) => candidate.destinationId === id)
  if (found === undefined) throw new Error('no such worker')
  return found
}
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().execute()
const committed = (): number => fixture.delivery.state().partitions.reduce((sum, place) => sum + place.committed, 0)

describe('healthy destinations', () => {
  it('healthy destinations get every event once, with one delivery log row each and without parked rows', async () => {
    const [one, two] = [await peerOf(), await peerOf()]
    const ids = [fixture.destination({ url: one.url }), fixture.destination({ url: two.url })]
    await fixture.append(ids, 200, 7)
    await fixture.delivery.idle()
    expect(sortedIds(one)).toEqual(expectedIds(0, 200))
    expect(sortedIds(two)).toEqual(expectedIds(0, 200))
    const rows = await fixture.attempts()
    expect(rows).toHaveLength(400)
    expect(
      rows.every(
        (row) => row.status === 'delivered' && row.attempt === 1 && row.http_status === 200 && row.request === '',
      ),
    ).toBe(true)
    expect(await parked()).toHaveLength(0)
    expect(committed()).toBe(Math.ceil(200 / 7))
  })

  it('healthy destinations get batches if their connector supports them, of at most its size', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url, batching: true, batch_size: 50, batch_wait_ms: 100 })
    await fixture.append([id], 230, 10)
    await peer.until(() => distinct(peer) === 230)
    const sizes = peer.requests.map(({ body }) => JSON.parse(body).length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50)
    expect(sizes.length).toBeLessThan(230 / 10)
    expect(sortedIds(peer)).toEqual(expectedIds(0, 230))
  })

  it('after a restart, healthy destinations get only new events', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 20)
    await fixture.delivery.idle()
    await fixture.restart()
    await fixture.append([id], 5)
    await fixture.delivery.idle()
    expect(sortedIds(peer)).toEqual(expectedIds(0, 25))
  })
})

it('records without a destination are skipped: the position advances, and nothing is stored or logged', async () => {
  const peer = await peerOf()
  const id = fixture.destination({ url: peer.url })
  await fixture.append([], 40, 4)
  await fixture.append([id], 6, 3)
  await fixture.append([], 12, 4)
  await fixture.delivery.idle()
  expect(messageIds(peer)).toEqual(expectedIds(40, 46))
  expect(committed()).toBe(10 + 2 + 3)
  expect([await parked(), (await fixture.attempts()).length]).toEqual([[], 6])
  expect(fixture.delivery.state().workers.map((each) => each.destinationId)).toEqual([id])
})

it('a destination without complete settings holds its events, even over a restart, and gets all of them after its set-up', async () => {
  const peer = await peerOf()
  const id = fixture.destination({ method: 'PUT' })
  await fixture.append([id], 20, 3)
  await fixture.delivery.idle()
  expect(worker(id)).toMatchObject({ state: 'paused', reason: 'Not set up yet. Missing: url', heldEvents: 20 })
  await fixture.restart()
  await fixture.append([id], 5)
  await fixture.delivery.idle()
  expect(worker(id)).toMatchObject({ heldEvents: 25, waitingRows: 0 })
  expect((await parked()).every(({ attempts }) => attempts === 0)).toBe(true)
  expect(await fixture.attempts()).toHaveLength(0)
  fixture.change(id, { settings: { method: 'PUT', url: peer.url } })
  await eventually('all of them', () => distinct(peer) === 25)
  await fixture.delivery.idle()
  expect(sortedIds(peer)).toEqual(expectedIds(0, 25))
  expect((await fixture.attempts()).every(({ attempt }) => attempt === 1)).toBe(true)
})

describe('isolation', () => {
  it('a dead and a hanging destination do not delay a healthy one, and get all their events when they work again', async () => {
    // No request ends by itself in this test, so that the result does not depend on the machine's speed.
    await reopen({ concurrency: 4, queueEvents: 32 }, 120_000)
    let hangs = true
    const waiting: ((answer: PeerAnswer) => void)[] = []
    const letGo = (answer: PeerAnswer): void => {
      for (const release of waiting.splice(0)) release(answer)
    }
    const healthy = await peerOf()
    const hanging = await peerOf(() => (hangs ? new Promise((resolve) => waiting.push(resolve)) : { status: 200 }))
    const gone = await peerOf()
    await gone.close()
    const ids = [healthy.url, hanging.url, gone.url].map((url) => fixture.destination({ url }))
    await fixture.append(ids, 500)
    await healthy.until(() => distinct(healthy) === 500)
    await fixture.append(ids, 100)
    await healthy.until(() => distinct(healthy) === 600)
    // The healthy destination got everything while the first requests to the hanging one were open.
    expect(hanging.requests.length).toBe(4)
    expect(messageIds(healthy)).toHaveLength(600)
    await eventually(
      'the position moves though one destination is dead and one has not answered',
      () => committed() === 600,
    )
    expect(hanging.requests.length).toBe(4)
    hangs = false
    letGo({ status: 200 })
    const back = await peerOf(undefined, gone.port)
    await hanging.until(() => distinct(hanging) === 600)
    await back.until(() => distinct(back) === 600)
    await fixture.delivery.idle()
    expect(await parked()).toHaveLength(0)
    expect(messageIds(back)).toHaveLength(600)
  })
})

describe('while a store is down', () => {
  it('while PostgreSQL is down, healthy destinations get their events, and no event of a failing one is lost', async () => {
    const healthy = await peerOf()
    let dead = true
    const failing = await peerOf(() => ({ status: dead ? 503 : 200 }))
    const ids = [healthy, failing].map((peer) => fixture.destination({ url: peer.url }))
    await database.pool.query('alter table parked_deliveries rename to away')
    try {
      await fixture.append(ids, 300)
      await healthy.until(() => distinct(healthy) === 300)
      await eventually('the circuit breaks', () => worker(ids[1] ?? '').state !== 'flowing')
      expect(committed()).toBeLessThan(300)
    } finally {
      await database.pool.query('alter table away rename to parked_deliveries')
    }
    dead = false
    await fixture.delivery.idle()
    await failing.until(() => distinct(failing) === 300)
    await fixture.delivery.idle()
    expect(committed()).toBe(300)
    expect(messageIds(healthy)).toHaveLength(300)
  })

  it('while the event store is down, the position does not advance, the backlog is limited, and each attempt is written once', async () => {
    const attempts = { rows: 10, waitMs: 20, bufferRows: 50, bufferBytes: 1024 * 1024 }
    await reopen({ attempts, parkAfterMs: 3_600_000 })
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url })
    await store.command('rename table deliveries to away')
    try {
      await fixture.append([id], 300)
      await eventually('deliveries wait', () => fixture.delivery.state().unwritten.attempts >= 50)
      expect(committed()).toBe(0)
      expect(fixture.delivery.state().unwritten.attempts).toBeLessThanOrEqual(50 + 16)
    } finally {
      await store.command('rename table away to deliveries')
    }
    await fixture.delivery.idle()
    expect(committed()).toBe(300)
    expect(sortedIds(peer)).toEqual(expectedIds(0, 300))
    expect((await fixture.attempts()).map((row) => row.message_id).toSorted()).toEqual(expectedIds(0, 300).toSorted())
  })
})

it('positions are committed at least every second, so that a kill repeats at most one second of deliveries', async () => {
  const { attempts, flushMs } = defaultDeliverySettings
  await reopen({ attempts, flushMs })
  const delivered = new Map<string, number>()
  const peer = await peerOf((request) => {
    for (const [, id = ''] of request.body.matchAll(/"messageId":"(m-\d+)"/g)) delivered.set(id, performance.now())
    return { status: 200 }
  })
  const id = fixture.destination({ url: peer.url })
  /** Just before each commit, the age of the oldest delivery that a kill would have repeated. */
  const ages: number[] = []
  let before = 0
  for (let sent = 0; ages.length < 9; sent++) {
    if (sent % 4 === 0) await fixture.append([id], 2)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const now = committed()
    const oldest = delivered.get(`m-${before}`)
    if (now > before && oldest !== undefined) ages.push(performance.now() - oldest)
    before = now
  }
  // The median is compared, because single values may be high on a busy machine.
  expect(ages.toSorted((one, other) => one - other)[4]).toBeLessThan(1000)
})

describe('failures', () => {
  it('Retry-After is honored: nothing is sent before it expires, and everything afterwards', async () => {
    const times: number[] = []
    const peer = await peerOf((_request, index) => {
      times.push(Date.now())
      return index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 }
    })
    await reopen({ concurrency: 1 })
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 10)
    await peer.until(() => peer.requests.length === 11)
    await fixture.delivery.idle()
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(990)
    expect(distinct(peer)).toBe(10)
    const first = (await fixture.attempts()).filter((row) => row.message_id === 'm-0')
    expect(first.map((row) => [row.attempt, row.status]).toSorted()).toEqual([
      [1, 'retry'],
      [2, 'delivered'],
    ])
  })

  it('an event that the destination rejects becomes a dead letter immediately, with request and response, and is not retried', async () => {
    const peer = await peerOf((request) =>
      request.body.includes('"m-3"') ? { status: 422, body: 'no such order' } : { status: 200 },
    )
    const id = fixture.destination({ url: peer.url, headers: { Authorization: 'Bearer s3cr3t-value' } })
    await fixture.append([id], 10, 5)
    await fixture.delivery.idle()
    expect(messageIds(peer)).toHaveLength(10)
    const [dead, ...others] = await parked()
    expect(others).toHaveLength(0)
    expect(dead).toMatchObject({
      state: 'dead',
      destination_id: id,
      event_indexes: [3],
      event_count: 1,
      attempts: 1,
      last_status: 422,
      last_reason: 'HTTP 422',
    })
    expect(dead?.request).toContain('m-3')
    expect(dead?.request).not.toContain('s3cr3t-value')
    expect(dead?.response).toContain('no such order')
    const rows = (await fixture.attempts()).filter((row) => row.status === 'dead')
    expect(dead?.event_ids).toHaveLength(1)
    expect(rows).toMatchObject([{ message_id: 'm-3', http_status: 422, reason: 'HTTP 422' }])
    expect(rows[0]?.response).toContain('no such order')
  })

  it('an event that fails for too long becomes a dead letter with its last request and response', async () => {
    await reopen({ retry: { baseMs: 20, capMs: 50, maxElapsedMs: 200 } })
    const peer = await peerOf((request) =>
      request.body.includes('"m-1"') ? { status: 500, body: 'broken' } : { status: 200 },
    )
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 3)
    const [dead] = await eventually('a dead letter', async () => {
      const rows = await parked()
      return rows.length === 1 && rows[0]?.state === 'dead' && rows
    })
    expect(dead?.last_reason).toBe('Retries exhausted: HTTP 500')
    expect(dead?.attempts).toBeGreaterThan(1)
    expect(dead?.response).toContain('broken')
    expect(messageIds(peer).filter((id_) => id_ === 'm-1').length).toBe(dead?.attempts)
  })

  it('the circuit breaks after consecutive failures, probes with single requests, and closes when one succeeds', async () => {
    await reopen({ concurrency: 2 })
    let broken = true
    let open_ = 0
    let together = 0
    const peer = await peerOf(() => {
      together = Math.max(together, ++open_)
      open_--
      return { status: broken ? 503 : 200 }
    })
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 1000)
    await eventually('the circuit breaks', () => worker(id).state === 'broken')
    await eventually('everything is held by reference', () => committed() === 1000 && worker(id).queued === 0)
    // At most the five failures, requests in flight, and probes were sent: far fewer than one request per event.
    expect(peer.requests.length).toBeLessThan(50)
    broken = false
    await peer.until(() => distinct(peer) === 1000)
    await fixture.delivery.idle()
    expect(worker(id)).toMatchObject({ state: 'flowing', queued: 0, heldEvents: 0, waitingRows: 0 })
    expect(await parked()).toHaveLength(0)
  })

  it('a destination with a forbidden address holds its events and reports the reason', async () => {
    const id = fixture.destination({ url: 'http://10.0.0.1/' })
    await fixture.append([id], 3)
    await eventually('the circuit breaks', () => worker(id).state === 'broken')
    expect(worker(id).reason).toContain('not public')
    expect((await fixture.attempts()).every((row) => row.status === 'retry')).toBe(true)
  })
})

describe('held events', () => {
  it('ten thousand events for a paused destination take few rows, and are sent later with bounded memory', async () => {
    const peer = await peerOf()
    const settings = { url: peer.url, batching: true, batch_size: 100, batch_wait_ms: 10 }
    const id = fixture.destination(settings, { enabled: false })
    await fixture.append([id], 10_000, 20)
    await fixture.delivery.idle()
    const rows = await parked()
    expect(rows.length).toBeLessThanOrEqual(3)
    expect(rows.reduce((sum, row) => sum + row.event_count, 0)).toBe(10_000)
    expect(committed()).toBe(500)
    expect(peer.requests).toHaveLength(0)
    let maxQueued = 0
    const watch = setInterval(() => {
      maxQueued = Math.max(maxQueued, worker(id).queued)
    }, 1)
    const entry = fixture.entries.get(id)
    if (entry !== undefined) fixture.entries.set(id, { ...entry, enabled: true })
    // Parsing all bodies at each request would block this thread, which also has to handle the responses.
    await eventually('it is resumed', () => worker(id).state === 'flowing')
    await fixture.delivery.idle()
    clearInterval(watch)
    expect(messageIds(peer)).toHaveLength(10_000)
    expect(maxQueued).toBeLessThanOrEqual(512 + 20)
    expect(await parked()).toHaveLength(0)
  })

  it('held events survive a restart, and the log keeps every record from the first held one', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url }, { enabled: false })
    const positions = await fixture.append([id], 50)
    const [first] = positions
    await fixture.delivery.idle()
    await fixture.restart()
    await fixture.append([id], 10)
    await fixture.delivery.idle()
    expect(fixture.delivery.minimumNeeded().find((place) => place.partition === first?.partition)).toEqual(first)
    const entry = fixture.entries.get(id)
    if (entry !== undefined) fixture.entries.set(id, { ...entry, enabled: true })
    await peer.until(() => distinct(peer) === 60)
    await fixture.delivery.idle()
    expect(sortedIds(peer)).toEqual(expectedIds(0, 60))
    await fixture.restart()
    expect(fixture.delivery.minimumNeeded().find((place) => place.partition === first?.partition)?.offset).toBe(60)
  })

  it('a slow destination has few events in memory, and all its other events wait in the log', async () => {
    await reopen({ queueEvents: 16, concurrency: 1 })
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 400)
    await fixture.delivery.idle()
    // Sent one at a time from held ranges, still in order and once each.
    expect(messageIds(peer)).toEqual(expectedIds(0, 400))
  })

  it('events held for a deleted destination become dead letters with the reason', async () => {
    const id = fixture.destination({ url: 'http://127.0.0.1:1/' })
    await fixture.append([id], 100, 10)
    await eventually('something is parked', async () => (await parked()).length > 0 && committed() === 10)
    fixture.entries.delete(id)
    await fixture.append([id], 10, 10)
    const rows = await eventually('all of it is dead', async () => {
      const found = await parked()
      const dead = found.filter((row) => row.state === 'dead').reduce((sum, row) => sum + row.event_count, 0)
      return dead === 110 && found
    })
    expect(rows.every((row) => row.last_reason === 'The destination was deleted')).toBe(true)
    await fixture.delivery.idle()
    expect(fixture.delivery.minimumNeeded().reduce((sum, place) => sum + place.offset, 0)).toBeGreaterThanOrEqual(0)
  })

  it('beyond the maximum of held events, the oldest become dead letters with the reason', async () => {
    await reopen({ held: { maxAgeMs: 3_600_000, maxLogAgeMs: 3_600_000, maxEvents: 50, maxRows: 1000 } })
    const id = fixture.destination({ url: 'http://127.0.0.1:1/' }, { enabled: false })
    await fixture.append([id], 60, 10)
    await fixture.delivery.idle()
    const rows = await parked()
    expect(rows.filter((row) => row.state === 'dead').map((row) => [row.last_reason, row.event_count])).toEqual([
      ['limit', 60],
    ])
  })
})
