import { type Peer, type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { type EventMapping, eventMappings } from '@tributary/contract'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WorkerSnapshot } from './destination/destination-worker.ts'
import type { DeliverySettings } from './settings.ts'
import { createFixture, distinct, expectedIds, type Fixture, messageIds, sortedIds } from './testing.ts'
import { relay } from './testing-connector.ts'

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

const open = (settings: Partial<DeliverySettings> = {}): Promise<Fixture> =>
  createFixture({ db: database.db, eventStore: store, connector: relay, settings })
const reopen = async (settings: Partial<DeliverySettings>): Promise<void> => {
  await fixture.close()
  fixture = await open(settings)
}
const peerOf = async (
  answer?: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer>,
): Promise<Peer> => {
  const peer = await startPeer(answer)
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
const idsOf = (body: string): string[] => JSON.parse(body).map((one: { messageId: string }) => one.messageId)
const actionsOf = (body: string): string[] => JSON.parse(body).map((one: { action: string }) => one.action)
const outcomes = (body: string, of: (id: string) => object): PeerAnswer => ({
  status: 200,
  body: JSON.stringify(idsOf(body).map(of)),
})
const mapping = (more: object): object => ({ destination: 'send', field_mappings: [], ...more })
const mappings = (...list: object[]): EventMapping[] =>
  eventMappings.parse(list.map((one, index) => ({ id: `000${index}`, ...one })))
const orders = (name: string) =>
  mappings(
    mapping({
      destination: 'order',
      field_mappings: [
        { id: 'aaaa', source: { type: 'FIELD', name: `properties.${name}` }, target: { name: 'total' } },
      ],
    }),
  )

describe('filtered events', () => {
  const onlyEven = {
    match: 'all' as const,
    conditions: [{ id: 'aaaa', field: 'properties.even', operator: 'equals' as const, value: 'true' }],
  }
  const parity = (number: number) => ({ properties: { even: number % 2 === 0 } })

  it('filtered events have one delivery log row with the reason, but no request, parked row, or failure', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url }, { filters: new Map([[fixture.sourceId, onlyEven]]) })
    await fixture.append([id], 100, 7, {}, parity)
    await fixture.delivery.idle()
    expect(sortedIds(peer)).toEqual(expectedIds(0, 100).filter((_, index) => index % 2 === 0))
    const rows = await fixture.attempts()
    expect(rows.filter((row) => row.status === 'delivered')).toHaveLength(50)
    const left = rows.filter((row) => row.status === 'filtered')
    expect(new Set(left.map((row) => row.message_id)).size).toBe(50)
    expect(left).toHaveLength(50)
    expect(left[0]).toMatchObject({
      reason: 'Filter of the connection',
      http_status: 0,
      attempt: 1,
      request: '',
      response: '',
    })
    expect(await parked()).toHaveLength(0)
    expect(committed()).toBe(Math.ceil(100 / 7))
    expect(worker(id).state).toBe('flowing')
    await fixture.restart()
    await fixture.delivery.idle()
    expect(await fixture.attempts()).toHaveLength(100)
  })

  it('filtered events are also logged for a paused destination, even if ten thousand of them were held', async () => {
    await reopen({ attempts: { rows: 1000, waitMs: 20, bufferRows: 2000, bufferBytes: 16 * 1024 * 1024 } })
    const peer = await peerOf()
    const id = fixture.destination(
      { url: peer.url },
      { enabled: false, mappings: mappings(mapping({ event_name: 'x' })) },
    )
    await fixture.append([id], 10_000, 50)
    await fixture.delivery.idle()
    fixture.change(id, { enabled: true })
    await eventually('all are written', async () => (await fixture.attempts()).length === 10_000)
    await fixture.delivery.idle()
    expect((await fixture.attempts()).every((row) => row.reason === 'No mapping matches')).toBe(true)
    expect(peer.requests).toHaveLength(0)
    expect(await parked()).toHaveLength(0)
  })

  it('a broken destination is probed with events that pass, not with filtered ones', async () => {
    let dead = true
    const peer = await peerOf(() => ({ status: dead ? 503 : 200 }))
    const id = fixture.destination({ url: peer.url }, { filters: new Map([[fixture.sourceId, onlyEven]]) })
    await fixture.append([id], 200, 1, {}, parity)
    await eventually('the circuit breaks', () => worker(id).state === 'broken')
    dead = false
    await peer.until(() => new Set(peer.requests.flatMap(({ body }) => idsOf(body))).size === 100)
    await fixture.delivery.idle()
    expect(worker(id).state).toBe('flowing')
    expect((await fixture.attempts()).filter((row) => row.status === 'filtered')).toHaveLength(100)
    expect(await parked()).toHaveLength(0)
  })
})

describe('mappings', () => {
  it('omitted fields are in the delivery log with the reason, and the event is delivered', async () => {
    const peer = await peerOf()
    const phone = { name: 'phone', label: 'Phone', help: '', type: 'string', pii: 'phone' } as const
    const kept = { required: false, recommended: false, kind: 'identity' } as const
    const action = { ...relay.actions[0], name: 'call', title: 'call', description: '', eventTypes: [] }
    const call = { ...action, targets: [{ ...phone, ...kept }], customTargets: true, wholeEvent: false }
    const connector = { ...relay, actions: [...relay.actions, call] }
    await fixture.close()
    fixture = await createFixture({ db: database.db, eventStore: store, connector, settings: {} })
    const fields = ['phone', 'order'].map((name) => ({
      id: name.slice(0, 4),
      source: { type: 'FIELD', name: `properties.${name}` },
      target: { name },
    }))
    const id = fixture.destination(
      { url: peer.url, batch: 10 },
      { mappings: mappings(mapping({ destination: 'call', field_mappings: fields })) },
    )
    const phones = ['020 7946 0958', '+442079460958', '+442079460958, +442079460959', '']
    await fixture.append([id], 4, 4, {}, (number) => ({ properties: { phone: phones[number], order: number } }))
    await fixture.delivery.idle()
    expect(distinct(peer)).toBe(4)
    const rows = (await fixture.attempts()).toSorted((a, b) => (a.message_id < b.message_id ? -1 : 1))
    expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
      ['delivered', '"Phone" (phone) is not sent: properties.phone is a phone number without a country code'],
      ['delivered', ''],
      ['delivered', '"Phone" (phone) is not sent: properties.phone has more than one phone number'],
      ['delivered', ''],
    ])
  })

  it('an unmappable event is a dead letter, does not delay others, and is sent after the mapping is fixed', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url, batch: 10 }, { mappings: orders('total') })
    await fixture.append([id], 40, 8, {}, (number) => ({ properties: number % 4 === 0 ? {} : { total: number } }))
    await fixture.delivery.idle()
    expect(distinct(peer)).toBe(30)
    const [first] = peer.requests
    expect(JSON.parse(first?.body ?? '')[0]).toEqual({ messageId: 'm-1', action: 'order', payload: { total: 1 } })
    const rows = await parked()
    // One row for each record, or more if the mapping of a record was interrupted by other work.
    expect(rows.reduce((events, { event_count }) => events + event_count, 0)).toBe(10)
    expect(rows[0]).toMatchObject({ state: 'dead', attempts: 1, last_status: null })
    expect(rows[0]?.last_reason).toContain('total')
    const dead = (await fixture.attempts()).filter((row) => row.status === 'dead')
    expect(dead).toHaveLength(10)
    expect(dead[0]).toMatchObject({ http_status: 0, reason: rows[0]?.last_reason })
    expect(worker(id).state).toBe('flowing')

    fixture.change(id, { mappings: mappings(mapping({ destination: 'note' })) })
    await database.db
      .updateTable('parked_deliveries')
      .set({ state: 'waiting', next_time: new Date(), attempts: 0 })
      .execute()
    await fixture.delivery.retryNow(id)
    await peer.until(() => distinct(peer) === 40)
    await fixture.delivery.idle()
    expect(peer.requests.slice(-1).flatMap(({ body }) => actionsOf(body))).toContain('note')
    expect(await parked()).toHaveLength(0)
  })

  it('a retry uses the current mappings', async () => {
    let dead = true
    const peer = await peerOf(() => ({ status: dead ? 503 : 200 }))
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 20)
    await eventually('the circuit breaks', () => worker(id).state === 'broken')
    fixture.change(id, {
      mappings: mappings(
        mapping({
          filters: [{ id: 'aaaa', field: 'properties.number', operator: 'less_than', value: '5' }],
          destination: 'note',
        }),
      ),
    })
    peer.requests.length = 0
    await peer.until(() => peer.requests.some(({ body }) => actionsOf(body)[0] === 'note'))
    dead = false
    await eventually('all have an outcome', async () => {
      const rows = await fixture.attempts()
      return new Set(rows.filter((row) => row.status !== 'retry').map((row) => row.message_id)).size === 20
    })
    await fixture.delivery.idle()
    const failures = (await fixture.attempts()).filter((row) => row.status !== 'retry')
    expect(failures.filter((row) => row.status === 'filtered')).toHaveLength(15)
    expect(peer.requests.filter(({ body }) => actionsOf(body)[0] === 'note').length).toBeGreaterThanOrEqual(5)
    expect(await parked()).toHaveLength(0)
  })

  it('a batch contains events of only one action', async () => {
    const peer = await peerOf()
    const id = fixture.destination(
      { url: peer.url, batch: 20 },
      { mappings: mappings(mapping({ event_name: 'A' }), mapping({ destination: 'note' })) },
    )
    await fixture.append([id], 100, 10, {}, (number) => ({ event: number % 2 === 0 ? 'A' : 'B' }))
    await fixture.delivery.idle()
    const batches = peer.requests.map(({ body }) => actionsOf(body))
    expect(batches.every((actions) => new Set(actions).size === 1)).toBe(true)
    expect(new Set(batches.flat())).toEqual(new Set(['send', 'note']))
    expect(batches.length).toBeLessThan(20)
    expect(sortedIds(peer)).toEqual(expectedIds(0, 100))
  })
})

describe('large batches', () => {
  it('large batches are filled from held events before they are sent, even beyond the usual queue size', async () => {
    await reopen({ queueEvents: 50, collectMs: 120_000 })
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url, batch: 1000, wait: 60_000 }, { enabled: false })
    await fixture.append([id], 3000, 100)
    await fixture.delivery.idle()
    fixture.change(id, { enabled: true })
    await peer.until(() => peer.requests.length >= 3)
    expect(peer.requests.map(({ body }) => idsOf(body).length)).toEqual([1000, 1000, 1000])
    expect(sortedIds(peer)).toEqual(expectedIds(0, 3000))
  })

  it('large batches are sent immediately when memory is full, because they cannot grow', async () => {
    await reopen({ queueBytes: 10_000, totalBytes: 40_000, collectMs: 120_000 })
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url, batch: 10_000, wait: 60_000 })
    await fixture.append([id], 400, 10)
    await peer.until(() => distinct(peer) >= 300)
    expect(peer.requests.length).toBeGreaterThan(3)
  })
})

describe('the rate limit of a destination', () => {
  it('waiting events are mapped again if the mappings change', async () => {
    const peer = await peerOf()
    const id = fixture.destination({ url: peer.url, rate: 5, rate_ms: 500 })
    await fixture.append([id], 20, 5)
    await peer.until(() => peer.requests.length >= 3)
    fixture.change(id, { mappings: mappings(mapping({ destination: 'note' })) })
    await fixture.delivery.idle()
    const actions = peer.requests.map(({ body }) => actionsOf(body)[0])
    expect(actions.slice(0, 3)).toEqual(['send', 'send', 'send'])
    expect(actions.slice(6)).toEqual(actions.slice(6).map(() => 'note'))
    expect(sortedIds(peer)).toEqual(expectedIds(0, 20))
    expect(await parked()).toHaveLength(0)
  })

  it('the rate limit applies to every request, and waiting events do not delay the position', async () => {
    await reopen({ crawlMs: 200 })
    const times: number[] = []
    const peer = await peerOf(() => {
      times.push(performance.now())
      return { status: 200 }
    })
    const id = fixture.destination({ url: peer.url, rate: 10, rate_ms: 500 })
    await fixture.append([id], 40)
    await eventually('the position moves on', () => committed() === 40)
    expect(peer.requests.length).toBeLessThan(40)
    await peer.until(() => distinct(peer) === 40)
    await fixture.delivery.idle()
    expect(messageIds(peer)).toHaveLength(40)
    // On a busy machine arrivals may bunch up, but starts do not.
    const spans = times.map((from) => times.filter((time) => time >= from && time < from + 450).length)
    expect(Math.max(...spans)).toBeLessThanOrEqual(11)
    expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThanOrEqual(1800)
    expect(await parked()).toHaveLength(0)
  })
})

describe('a batch', () => {
  it('if a batch fails in part, accepted events are not resent, rejected ones are dead letters, and others are retried', async () => {
    let first = true
    const peer = await peerOf(({ body }) => {
      const answer = outcomes(body, (id) => {
        const number = Number(id.slice(2))
        if (number % 4 === 1) return { kind: 'rejected', reason: 'Unknown product' }
        if (number % 4 === 2 && first) return { kind: 'retry', reason: 'Busy' }
        return { kind: 'delivered' }
      })
      first = false
      return answer
    })
    const id = fixture.destination({ url: peer.url, batch: 20, wait: 300 })
    await fixture.append([id], 20, 4)
    await eventually('the second try', () => peer.requests.length >= 2)
    await fixture.delivery.idle()
    const counts = new Map<string, number>()
    for (const name of messageIds(peer)) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const [name, count] of counts) expect([name, count]).toEqual([name, Number(name.slice(2)) % 4 === 2 ? 2 : 1])
    const rows = await parked()
    expect(rows.map((row) => [row.state, row.last_reason, row.event_indexes])).toEqual(
      Array.from({ length: 5 }, () => ['dead', 'Unknown product', [1]]),
    )
    const log = await fixture.attempts()
    const of = (status: string) => log.filter((row) => row.status === status).length
    expect([of('delivered'), of('dead'), of('retry')]).toEqual([15, 5, 5])
  })

  it('a batch that is rejected as a whole is halved until the faulty event is alone', async () => {
    const peer = await peerOf(({ body }) => ({ status: idsOf(body).includes('m-13') ? 413 : 200, body: 'too large' }))
    const id = fixture.destination({ url: peer.url, batch: 32, wait: 300 })
    await fixture.append([id], 32, 8)
    await fixture.delivery.idle()
    const taken = peer.requests.filter(({ body }) => !idsOf(body).includes('m-13')).flatMap(({ body }) => idsOf(body))
    expect(taken.toSorted()).toEqual(
      expectedIds(0, 32)
        .filter((name) => name !== 'm-13')
        .toSorted(),
    )
    // Batches of 32, 16, 8, 4, 2 and 1 with the faulty event, and after each split a half that is accepted.
    expect(peer.requests).toHaveLength(6 + 5)
    expect(worker(id).state).toBe('flowing')
    const rows = await parked()
    expect(rows).toMatchObject([{ state: 'dead', event_indexes: [5], last_status: 413, last_reason: 'HTTP 413' }])
    const log = await fixture.attempts()
    expect(log).toHaveLength(32)
    expect(log.filter((row) => row.status === 'dead').map((row) => row.message_id)).toEqual(['m-13'])
  })
})
