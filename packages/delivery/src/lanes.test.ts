import { join } from 'node:path'
import { type Peer, startPeer } from '@tributary/connector-kit/testing'
import { newId } from '@tributary/kernel'
import { journalFilePlaces, resetJournalFile } from '@tributary/storage'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, expect, it } from 'vitest'
import { type DeliverySettings, defaultDeliverySettings } from './settings.ts'
import { createFixture, expectedIds, type Fixture, messageIds } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack

/** Starts a delivery and a peer that responds to no request before `open` is called. */
const start = async (settings: Partial<DeliverySettings> = {}) => {
  stack = new AsyncDisposableStack()
  const opened = Promise.withResolvers<void>()
  const peer = await startPeer(async () => {
    await opened.promise
    return { status: 200 }
  })
  // Events that wait longer than `stallMs` are parked; in these tests they must stay in memory.
  const quick = { stallMs: 60_000, ...settings }
  const stores = { db: database.db, eventStore: store }
  fixture = await createFixture({ ...stores, connector: relay, settings: quick, timeoutMs: 120_000 })
  stack.defer(() => fixture.close())
  stack.defer(() => peer.close())
  stack.defer(() => opened.resolve())
  return { peer, open: opened.resolve }
}
afterEach(async () => {
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

/** Whether every appended record was offered to its destinations. */
const isRead = (records: number): boolean =>
  fixture.delivery.state().partitions.reduce((sum, { next }) => sum + next, 0) >= records
const numbersOf = (peer: Peer): number[] => messageIds(peer).map((id) => Number(id.slice(2)))
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

const bulk = {
  'a replay': { p: newId() },
  'an audience': { b: { k: 'audience' as const, n: 'audience c-1', e: [''] } },
  'rows that became events': { h: true as const },
  'a sync': { b: { k: 'sync' as const, n: 'sync s-1', e: [''] } },
}
/** Appends events of a replay, an audience, or a sync one by one: each is a change of another key. */
const appendBulk = async (what: keyof typeof bulk, to: readonly string[], events: number): Promise<void> => {
  const more = bulk[what]
  await Promise.all(
    upTo(0, events).map((place) =>
      fixture.append(to, 1, 1, 'b' in more ? { b: { ...more.b, e: [`k-${place}`] } } : more),
    ),
  )
}

it.each([
  ['a replay', 'that takes one request at a time', {}],
  ['an audience', 'that takes one request at a time', {}],
  ['a sync', 'that takes one request at a time', {}],
  ['rows that became events', 'that takes one request at a time', {}],
  ['a replay', 'in order', { ordered: true }],
  ['a sync', 'in order', { ordered: true }],
  ['a replay', 'with batches', { batch: 10, wait: 20 }],
] as const)(
  'live events are sent before all of %s that is not in flight, at a destination %s',
  async (what, _, settings) => {
    // Each lane has more events than its queue takes.
    const [queueEvents, bulkEvents, liveEvents] = [64, 130, 90]
    const { peer, open } = await start({ concurrency: 1, queueEvents })
    const id = fixture.destination({ url: peer.url, ...settings })
    await appendBulk(what, [id], bulkEvents)
    await eventually('the first is under way', () => peer.requests.length === 1)
    await fixture.append([id], liveEvents)
    await eventually('the live ones are read', () => isRead(bulkEvents + liveEvents))
    open()
    await fixture.delivery.idle()
    const sent = numbersOf(peer)
    const underWay = 'batch' in settings ? 10 : 1
    expect(sent.slice(underWay, underWay + liveEvents)).toEqual(upTo(bulkEvents, bulkEvents + liveEvents))
    // The rest follows, each event once.
    expect(sent.toSorted((a, b) => a - b)).toEqual(upTo(0, bulkEvents + liveEvents))
  },
)

it('live events are sent to a destination first, and a replay uses its requests if no live event waits', async () => {
  const { peer, open } = await start({ concurrency: 4 })
  open()
  const id = fixture.destination({ url: peer.url, rate: 40, rate_ms: 200 })
  await appendBulk('a replay', [id], 400)
  await eventually('the replay is under way', () => peer.requests.length >= 40)
  await fixture.append([id], 100)
  await eventually('the live ones are read', () => isRead(500))
  const before = peer.requests.length
  await fixture.delivery.idle()
  const sent = numbersOf(peer)
  const lastLive = sent.findLastIndex((number) => number >= 400)
  // Besides live events, only bulk events that were in flight when the live events arrived were sent.
  expect(lastLive).toBeLessThan(before + 100 + 4)
  expect(sent.toSorted((a, b) => a - b)).toEqual(upTo(0, 500))
})

it('a replay makes progress while live events leave capacity for it', async () => {
  stack = new AsyncDisposableStack()
  const sent: string[] = []
  const left = new Set(expectedIds(0, 20))
  const peer = await startPeer(({ body }) => {
    const names: string[] = JSON.parse(body).map(({ messageId }: { messageId: string }) => messageId)
    sent.push(...names)
    for (const name of names) left.delete(name)
    // Live events wait at all times: each delivered one adds the next, until the replay is finished.
    if (!replayed() && sent.length < 20_000) void fixture.append([id], 1)
    return { status: 200 }
  })
  const replayed = (): boolean => left.size === 0
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay, settings: { concurrency: 1 } })
  stack.defer(() => fixture.close())
  stack.defer(() => peer.close())
  const id = fixture.destination({ url: peer.url })
  await appendBulk('a replay', [id], left.size)
  await eventually('all of the replay has arrived', replayed)
  await fixture.delivery.idle()
  expect(new Set(sent).size).toBe(sent.length)
})

it('slow requests of a replay leave one request free for live events', async () => {
  stack = new AsyncDisposableStack()
  const opened = Promise.withResolvers<void>()
  const peer = await startPeer(async ({ body }) => {
    if (Number(JSON.parse(body)[0].messageId.slice(2)) < 100) await opened.promise
    return { status: 200 }
  })
  const settings = { concurrency: 4, stallMs: 60_000 }
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay, settings })
  stack.defer(() => fixture.close())
  stack.defer(() => peer.close())
  stack.defer(() => opened.resolve())
  const id = fixture.destination({ url: peer.url })
  await appendBulk('a replay', [id], 100)
  await eventually('the replay is under way', () => peer.requests.length === 3)
  await fixture.append([id], 50)
  await eventually('the live ones arrive', () => expectedIds(100, 150).every((name) => messageIds(peer).includes(name)))
  expect(numbersOf(peer).filter((number) => number < 100)).toHaveLength(3)
})

it("a replay's events in memory for one destination leave space for live events of another", async () => {
  const { peer: hanging } = await start({ totalBytes: 20_000 })
  const peer = await startPeer(() => ({ status: 200 }))
  stack.defer(() => peer.close())
  const [slow, other] = [fixture.destination({ url: hanging.url }), fixture.destination({ url: peer.url })]
  await appendBulk('a sync', [slow], 500)
  await eventually('all of it is read', () => isRead(500))
  await fixture.append([other], 50)
  await eventually('the live ones arrive', () => peer.requests.length === 50)
})

it('live events that were held as ranges before a restart are sent first, and each is sent once', async () => {
  const { peer, open } = await start({ concurrency: 1 })
  open()
  const id = fixture.destination({ url: peer.url }, { enabled: false })
  for (let round = 0; round < 3; round++) {
    await appendBulk('a replay', [id], 300)
    await fixture.append([id], 100)
  }
  await eventually('all of it is read', () => isRead(1200))
  await fixture.delivery.idle()
  await fixture.restart()
  fixture.change(id, { enabled: true })
  await eventually('all of it arrives', () => messageIds(peer).length === 1200)
  const live = [...upTo(300, 400), ...upTo(700, 800), ...upTo(1100, 1200)]
  expect(numbersOf(peer).slice(0, 300)).toEqual(live)
  expect(new Set(messageIds(peer)).size).toBe(1200)
})

it('live events that were requeued to rows because of a changed destination are sent first', async () => {
  const { peer, open } = await start({ concurrency: 1 })
  const id = fixture.destination({ url: peer.url })
  await appendBulk('a replay', [id], 300)
  await eventually('the first is under way', () => peer.requests.length === 1)
  await fixture.append([id], 100)
  await eventually('the live ones are read', () => isRead(400))
  fixture.change(id, { consentCategories: ['Advertising'] })
  const rows = () => database.db.selectFrom('parked_deliveries').select('bulk').execute()
  await eventually('all of it is in rows', async () => (await rows()).length >= 399)
  const isBulk = (await rows()).map(({ bulk: each }) => each)
  expect([isBulk.filter((each) => !each).length, isBulk.filter(Boolean).length >= 299]).toEqual([100, true])
  open()
  await fixture.delivery.idle()
  const sent = numbersOf(peer)
  expect(new Set(sent)).toEqual(new Set(upTo(0, 400)))
  expect(sent.findLastIndex((number) => number >= 300)).toBeLessThan(1 + 100 + 200)
})

it('live events from a dead range are sent again after newer live events, without replay events in between', async () => {
  const { peer, open } = await start({ concurrency: 1 })
  open()
  const id = fixture.destination({ url: peer.url }, { enabled: false })
  await fixture.append([id], 20)
  await appendBulk('a replay', [id], 20)
  await fixture.append([id], 20)
  await eventually('all of it is read', () => isRead(60))
  await fixture.delivery.idle()
  // The live events become dead letters; a replay makes them due again.
  await fixture.restart({ held: { ...defaultDeliverySettings.held, maxEvents: 30 } })
  await eventually('it is dead', async () => {
    await fixture.delivery.idle()
    const rows = await database.db.selectFrom('parked_deliveries').select(['state', 'holds']).execute()
    return rows.some(({ state, holds }) => state === 'dead' && holds === 'live')
  })
  // With the lower limit, the live events would become dead letters again.
  await fixture.restart({ held: defaultDeliverySettings.held })
  await fixture.append([id], 5)
  await eventually('what is new is read', () => isRead(65))
  await database.db
    .updateTable('parked_deliveries')
    .set({ state: 'waiting', bulk: true, next_time: new Date() })
    .where('state', '=', 'dead')
    .execute()
  await fixture.delivery.takeUp(id)
  fixture.change(id, { enabled: true })
  await eventually('all of it arrives', () => messageIds(peer).length >= 65)
  await fixture.delivery.idle()
  const sent = numbersOf(peer)
  expect(sent.slice(0, 5)).toEqual(upTo(60, 65))
  expect(sent.toSorted((a, b) => a - b)).toEqual(upTo(0, 65))
})

it('a range from before lanes existed covers records of both lanes, even if they are read again, and each is sent once', async () => {
  const { peer, open } = await start()
  open()
  const id = fixture.destination({ url: peer.url }, { enabled: false })
  await appendBulk('a replay', [id], 20)
  await fixture.append([id], 20)
  await appendBulk('a replay', [id], 20)
  await eventually('all of it is read', () => isRead(60))
  await fixture.delivery.idle()
  const [live, ...others] = await database.db.selectFrom('parked_deliveries').selectAll().orderBy('bulk').execute()
  expect([live?.holds, others.map(({ holds }) => holds)]).toEqual(['live', ['bulk']])
  await database.db.deleteFrom('parked_deliveries').where('bulk', '=', true).execute()
  const before = { holds: '' as const, log_offset: 0, log_end: 60, event_count: 60 }
  await database.db.updateTable('parked_deliveries').set(before).execute()
  // The process was killed before its position was written.
  const file = join(fixture.folder, 'journal.db')
  resetJournalFile(
    file,
    (journalFilePlaces(file) ?? []).map((each) => ({ ...each, offset: 0, incarnation: undefined, note: () => '' })),
  )
  await fixture.restart()
  await fixture.delivery.idle()
  fixture.change(id, { enabled: true })
  await eventually('all of it arrives', () => messageIds(peer).length >= 60)
  await fixture.delivery.idle()
  expect(numbersOf(peer).toSorted((a, b) => a - b)).toEqual(upTo(0, 60))
})
