import { type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { outboundBody } from '@tributary/contract'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ForgottenUsers } from './ports.ts'
import type { DeliverySettings } from './settings.ts'
import { createFixture, type Fixture, messageIds, sampleEvent } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack
/** Events of u1 up to this time belong to a deleted user, epoch ms; 0 if no user was deleted. */
let deletedAt = 0
const forgotten: ForgottenUsers = {
  until: () => deletedAt,
  version: () => (deletedAt === 0 ? '' : String(deletedAt)),
  isOf: (_, { userId, receivedAt }) => userId === 'u1' && Date.parse(receivedAt) <= deletedAt,
}
/** Deletes u1, as of a time after all sample events, and resolves when delivery has applied it. */
const deleteUser = async (): Promise<void> => {
  deletedAt = Date.parse('2026-01-02T00:00:00.000Z')
  await fixture.delivery.forget()
}

beforeEach(() => {
  stack = new AsyncDisposableStack()
  deletedAt = 0
})
afterEach(async () => {
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const open = async (connector = relay, settings: Partial<DeliverySettings> = {}): Promise<void> => {
  fixture = stack.adopt(
    await createFixture({
      db: database.db,
      eventStore: store,
      connector,
      forgotten,
      settings: { maintenanceMs: 50, ...settings },
    }),
    (made) => made.close(),
  )
}
const peerOf = async (answer: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer>) =>
  stack.adopt(await startPeer(answer), (peer) => peer.close())

/** Appends one event of u1 and one of u2, with the message IDs m-0 and m-1. */
const append = (destination: string, perRecord = 1) =>
  fixture.append([destination], 2, perRecord, {}, (number) => ({ userId: number % 2 === 0 ? 'u1' : 'u2' }))

/** Returns the final rows of the delivery log: the last attempt of each event. */
const outcomes = async () =>
  (await fixture.attempts())
    .toSorted((a, b) => a.attempt - b.attempt)
    .map(({ event_id, message_id, status, reason, request, response }) => ({
      event_id,
      message_id,
      status,
      reason,
      sample: request + response,
    }))
const leftOut = (eventId: string) => ({
  event_id: eventId,
  message_id: '',
  status: 'filtered',
  reason: 'The user was deleted',
  sample: '',
})
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().execute()

it('held events are not sent after their user was deleted, and the delivery log has the reason', async () => {
  await open()
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url }, { enabled: false })
  await append(id)
  await fixture.delivery.idle()
  await deleteUser()
  fixture.change(id, { enabled: true })
  await peer.until((requests) => requests.length > 0)
  await fixture.delivery.idle()
  expect(messageIds(peer)).toEqual(['m-1'])
  expect(await outcomes()).toContainEqual(leftOut(sampleEvent(0).eventId))
  expect(await parked()).toEqual([])
})

it('events that wait for a retry are not retried after their user was deleted', async () => {
  // No retry becomes due by itself, because one could be in flight when the user is deleted.
  await open(relay, { retry: { baseMs: 600_000, capMs: 600_000, maxElapsedMs: 4 * 3_600_000 } })
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url })
  await append(id)
  await eventually('both wait', async () => (await parked()).filter(({ attempts }) => attempts === 1).length === 2)
  await deleteUser()
  const before = peer.requests.length
  status = 200
  await database.db.updateTable('parked_deliveries').set({ next_time: new Date() }).execute()
  await fixture.delivery.retryNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  await fixture.delivery.idle()
  expect(messageIds(peer).slice(before)).not.toContain('m-0')
  expect(messageIds(peer).slice(before)).toContain('m-1')
  expect(await outcomes()).toContainEqual(leftOut(sampleEvent(0).eventId))
})

it('queued events are not sent after their user was deleted', async () => {
  await open()
  const { promise: answered, resolve: answer } = Promise.withResolvers<PeerAnswer>()
  const peer = await peerOf((_, index) => (index === 0 ? answered : { status: 200 }))
  // The destination is ordered, so it gets one request at a time.
  const id = fixture.destination({ url: peer.url, ordered: true })
  await fixture.append([id], 1, 1, {}, () => ({ userId: 'u2' }))
  await peer.until((requests) => requests.length === 1)
  await fixture.append([id], 2, 1, {}, (number) => ({ userId: number === 1 ? 'u1' : 'u2' }))
  await eventually('both are queued', async () => fixture.delivery.state().workers[0]?.queued === 2)
  await deleteUser()
  answer({ status: 200 })
  await peer.until((requests) => requests.length === 2)
  await fixture.delivery.idle()
  expect(messageIds(peer)).toEqual(['m-0', 'm-2'])
  expect(await outcomes()).toContainEqual(leftOut(sampleEvent(1).eventId))
})

it.each([
  [503, 'retry'],
  [400, 'dead'],
])(
  'a request in flight when its user is deleted, which then fails with %i, leaves no sample of the user',
  async (status, kind) => {
    await open()
    const { promise: answered, resolve: answer } = Promise.withResolvers<PeerAnswer>()
    const peer = await peerOf((_, index) => (index === 0 ? answered : { status: 200 }))
    const id = fixture.destination({ url: peer.url, batch: 2, wait: 200 })
    await append(id, 2)
    await peer.until((requests) => requests.length === 1)
    await deleteUser()
    answer({ status, body: 'u1 is unknown' })
    await eventually('it is written', async () => (await outcomes()).length >= 2)
    await fixture.delivery.idle()
    const all = await outcomes()
    expect(all).toContainEqual(leftOut(sampleEvent(0).eventId))
    expect(all).toContainEqual({
      event_id: sampleEvent(1).eventId,
      message_id: 'm-1',
      status: kind,
      reason: `HTTP ${status}`,
      sample: '',
    })
    const left = (await parked()).map(({ event_ids, request, response }) => ({ event_ids, request, response }))
    const other = { event_ids: [sampleEvent(1).eventId], request: '', response: '' }
    // With other statuses, the other event may still wait for a retry.
    expect(left).toEqual(status === 400 ? [other] : left.map(() => other))
    expect(messageIds(peer).filter((each) => each === 'm-0')).toHaveLength(1)
  },
)

it('rows written about a user before delivery applied the deletion are durable when it has applied it', async () => {
  await open()
  const peer = await peerOf(() => ({ status: 400, body: 'u1 is unknown' }))
  const id = fixture.destination({ url: peer.url })
  await append(id)
  await eventually('both are answered', async () => peer.requests.length === 2)
  await eventually('nothing is under way', async () => fixture.delivery.state().workers[0]?.inFlight === 0)
  await deleteUser()
  expect(await outcomes()).toHaveLength(2)
  expect(await parked()).toHaveLength(2)
})

it.each(['rows', 'events'])(
  'the exit of a user who left an audience before their deletion is sent, without a sample: %s',
  async (form) => {
    await open(webhook)
    let status = 503
    const peer = await peerOf(() => ({ status, body: 'u1 is unknown' }))
    const id = fixture.destination({ url: peer.url }, { enabled: false })
    const rowOf = (operation: 'upsert' | 'delete') => ({
      recordId: `r.${operation}`,
      operation,
      object: 'audience_members',
      key: 'p-1',
      payload: { userIds: ['u1'], anonymousIds: [], timestamp: '2026-01-01T00:00:00.000Z' },
    })
    const eventOf = (name: 'upsert' | 'delete') => ({
      ...sampleEvent(0),
      eventId: `r.${name}`,
      event: name === 'upsert' ? 'Audience Entered' : 'Audience Exited',
      properties: { [name]: true },
    })
    const events = form === 'events'
    const b = { k: 'audience', n: 'a', ...(events ? { e: ['p-1', 'p-1'] } : {}) }
    const meta = { w: fixture.workspaceId, s: fixture.sourceId, d: [id], n: 2, b }
    const body = Buffer.from(
      events
        ? `[${(['upsert', 'delete'] as const).map((name) => JSON.stringify(eventOf(name))).join(',\n')}]\n`
        : outboundBody([rowOf('upsert'), rowOf('delete')]),
    )
    await fixture.stream.append({ key: fixture.workspaceId, meta: JSON.stringify(meta), body })
    await fixture.delivery.idle()
    await deleteUser()
    fixture.change(id, { enabled: true })
    await eventually('it failed', async () => (await outcomes()).some((each) => each.status === 'retry'))
    status = 200
    await fixture.delivery.retryNow(id)
    await eventually('it is told', async () => (await outcomes()).some((each) => each.status === 'delivered'))
    const all = await outcomes()
    expect(all).toContainEqual(leftOut('r.upsert'))
    expect(all.filter(({ event_id }) => event_id === 'r.delete').map(({ sample }) => sample)).toEqual(
      all.filter(({ event_id }) => event_id === 'r.delete').map(() => ''),
    )
    expect(peer.requests.every((each) => each.body.includes('"delete"'))).toBe(true)
  },
)

it('if a destination fails to delete a user, the delivery log and parked rows keep no key and no sample', async () => {
  const peer = await peerOf(() => ({ status: 422, body: 'secret-answer' }))
  await open(webhook)
  const id = fixture.destination({ url: peer.url })
  const meta = { w: fixture.workspaceId, s: fixture.sourceId, d: [id], n: 1, b: { k: 'privacy', n: 'privacy' } }
  const row = {
    recordId: 'r.0',
    operation: 'delete',
    object: 'users',
    key: 'secret-key',
    payload: { userIds: ['secret-key'] },
  } as const
  await fixture.stream.append({
    key: fixture.workspaceId,
    meta: JSON.stringify(meta),
    body: Buffer.from(outboundBody([row])),
  })
  await peer.until((requests) => requests.length > 0)
  await eventually('it is dead', async () => (await parked()).length === 1)
  await fixture.delivery.idle()
  expect(peer.requests[0]?.body).toContain('secret-key')
  expect(await fixture.attempts()).toMatchObject([
    { event_id: 'r.0', status: 'dead', http_status: 422, key: '', request: '', response: '' },
  ])
  expect(JSON.stringify([await fixture.attempts(), await parked()])).not.toContain('secret')
})
