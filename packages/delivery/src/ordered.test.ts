import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Peer, type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CrashPlan } from './crash-child.ts'
import type { WorkerSnapshot } from './destination/destination-worker.ts'
import { createFixture, distinct, expectedIds, type Fixture, messageIds } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay })
})
afterEach(async () => {
  await fixture.close()
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

/** A peer that records in order what it accepted, without what it rejected or left without a response. */
const peerOf = async (
  answer: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer>,
): Promise<{ peer: Peer; taken: number[]; together: () => number }> => {
  const taken: number[] = []
  let open = 0
  let maxOpen = 0
  const peer = await startPeer(async (request, index) => {
    maxOpen = Math.max(maxOpen, ++open)
    const answered = await answer(request, index)
    if (typeof answered === 'object' && answered.status === 200) taken.push(...numbersOf(request))
    open--
    return answered
  })
  stack.defer(() => peer.close())
  return { peer, taken, together: () => maxOpen }
}
const numbersOf = ({ body }: PeerRequest): number[] =>
  JSON.parse(body).map((one: { messageId: string }) => Number(one.messageId.slice(2)))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const worker = (id: string): WorkerSnapshot | undefined =>
  fixture.delivery.state().workers.find((candidate) => candidate.destinationId === id)
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().execute()
/** A pseudo-random generator with the same sequence in each run: it decides which events of a record fail. */
const dice = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

describe('an ordered destination', () => {
  it('an ordered destination gets one request at a time and everything in order, without parked rows while nothing fails', async () => {
    const { peer, taken, together } = await peerOf(() => ({ status: 200 }))
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 5 })
    await fixture.append([id], 200, 3)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(200))
    expect(together()).toBe(1)
    expect(await parked()).toHaveLength(0)
  })

  it('an ordered destination that sometimes fails still gets everything in order, once each', async () => {
    const roll = dice(7)
    const { peer, taken } = await peerOf(() => ({ status: roll() < 0.1 ? 503 : 200 }))
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 3 })
    await fixture.append([id], 150, 7)
    await eventually('all were taken', () => taken.length === 150)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(150))
    expect(await parked()).toHaveLength(0)
  })

  it('an ordered destination gets everything in order after failures and after a pause that it requested', async () => {
    let answers: PeerAnswer[] = [
      { status: 200 },
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 503 },
      { status: 503 },
    ]
    const { peer, taken } = await peerOf(() => answers.shift() ?? { status: 200 })
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 4 })
    await fixture.append([id], 20, 4)
    await eventually('the worker breaks', () => worker(id)?.state === 'broken')
    await fixture.append([id], 20, 4)
    await eventually('all were taken', () => taken.length === 40)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(40))
    answers = []
    await fixture.append([id], 10)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(50))
  })

  it('an ordered destination is not blocked by an event that it rejects permanently', async () => {
    const { peer, taken } = await peerOf((request) => ({ status: numbersOf(request).includes(3) ? 422 : 200 }))
    const id = fixture.destination({ url: peer.url, ordered: true })
    await fixture.append([id], 10, 2)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(10).filter((number) => number !== 3))
    expect(await parked()).toMatchObject([{ state: 'dead', last_status: 422 }])
    expect(worker(id)?.state).toBe('flowing')
  })

  it('an ordered destination gets the halves of a batch in order after it rejected the whole batch', async () => {
    const { peer, taken } = await peerOf((request) => ({ status: numbersOf(request).includes(6) ? 413 : 200 }))
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 16, wait: 200 })
    await fixture.append([id], 32, 8)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(32).filter((number) => number !== 6))
  })

  it('an ordered destination gets no later events while a partly failed batch is retried', async () => {
    let busy = true
    const { peer } = await peerOf((request) => {
      const kinds = numbersOf(request).map((number) =>
        busy && number >= 2 ? { kind: 'retry', reason: 'Busy' } : { kind: 'delivered' },
      )
      return { status: 200, body: JSON.stringify(kinds) }
    })
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 4, wait: 50 })
    await fixture.append([id], 12, 6)
    await eventually('it was tried again', () => peer.requests.length >= 3)
    expect(new Set(messageIds(peer))).toEqual(new Set(expectedIds(0, 4)))
    busy = false
    await peer.until(() => distinct(peer) === 12)
    await fixture.delivery.idle()
    const firsts = messageIds(peer).filter((name, index, all) => all.indexOf(name) === index)
    expect(firsts).toEqual(expectedIds(0, 12))
    expect(await parked()).toHaveLength(0)
  })

  it('an ordered destination gets everything in order after it was paused, resumed, and restarted', async () => {
    let release: (() => void) | undefined
    let slow = true
    const { peer, taken } = await peerOf(async (_request, index) => {
      if (slow && index === 2) await new Promise<void>((resolve) => (release = resolve))
      return { status: 200 }
    })
    const id = fixture.destination({ url: peer.url, ordered: true, batch: 2 })
    await fixture.append([id], 30, 3)
    await peer.until(() => peer.requests.length === 3)
    // The destination is paused while one request is open and all other events are queued. Events that arrive during
    // the pause are held.
    fixture.change(id, { enabled: false })
    await eventually('it is paused', () => worker(id)?.state === 'paused')
    await fixture.append([id], 10, 3)
    fixture.change(id, { enabled: true })
    await eventually('it is on again', () => worker(id)?.state === 'flowing')
    expect(peer.requests).toHaveLength(3)
    slow = false
    release?.()
    await eventually('all were taken', () => taken.length >= 12)
    await fixture.restart()
    await fixture.append([id], 10, 3)
    await eventually('all were taken', () => new Set(taken).size === 50)
    await fixture.delivery.idle()
    // Requests in flight at the end of the first run may be repeated.
    expect(taken.filter((number, index) => taken.indexOf(number) === index)).toEqual(upTo(50))
    expect(await parked()).toHaveLength(0)
  })

  it("an ordered destination's row that is not due yet blocks later events, also after a restart", async () => {
    let dead = true
    const { peer, taken } = await peerOf(() => ({ status: dead ? 429 : 200, headers: { 'retry-after': '2' } }))
    const id = fixture.destination({ url: peer.url, ordered: true })
    await fixture.append([id], 5)
    await eventually('it failed', async () => (await parked()).some((row) => row.attempts === 1))
    await fixture.restart()
    dead = false
    const before = peer.requests.length
    await fixture.append([id], 5)
    await eventually('what is new is held', () => worker(id)?.heldEvents === 5)
    expect(peer.requests).toHaveLength(before)
    await eventually('all were taken', () => taken.length === 10)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(10))
  })

  it('a destination that becomes ordered while events wait gets them in order from then on', async () => {
    let dead = true
    const { peer, taken } = await peerOf(() => ({ status: dead ? 503 : 200 }))
    const settings = { url: peer.url, batch: 4 }
    const id = fixture.destination(settings)
    await fixture.append([id], 60, 5)
    await eventually('the circuit breaks', () => worker(id)?.state === 'broken')
    fixture.change(id, { settings: { ...settings, ordered: true } })
    await fixture.append([id], 20, 5)
    await eventually('nothing is under way', () => worker(id)?.inFlight === 0 && worker(id)?.queued === 0)
    dead = false
    await eventually('all were taken', () => taken.length === 80)
    await fixture.delivery.idle()
    expect(taken).toEqual(upTo(80))
  })
})

describe('after a kill, an ordered destination gets everything, and no event before an earlier one', () => {
  it.each([
    ['delivery.after-request', 12],
    ['delivery.after-park', 2],
    ['delivery.before-commit', 1],
  ])(
    'after a kill at %s, time %i, an ordered destination gets everything, and no event before an earlier one',
    async (point, count) => {
      const roll = dice(count)
      const { peer, taken } = await peerOf(() => ({ status: roll() < 0.2 ? 503 : 200 }))
      const made = await createFixture({ db: database.db, eventStore: store, connector: relay, start: false })
      stack.defer(() => made.close())
      const id = made.destination({ url: peer.url, ordered: true, batch: 2 })
      await made.append([id], 60, 3)
      const plan: CrashPlan = {
        postgresUrl: database.url,
        eventStoreUrl: store.url,
        folder: made.folder,
        entries: [...made.entries.values()],
        connector: { module: new URL('./testing-connector.ts', import.meta.url).href, name: 'relay' },
        fault: { point, count },
      }
      const script = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
      const child = spawn(process.execPath, [script, JSON.stringify(plan)], { stdio: ['ignore', 'ignore', 'inherit'] })
      const timer = setTimeout(() => child.kill('SIGTERM'), 120_000)
      const [, signal] = await once(child, 'exit')
      clearTimeout(timer)
      expect(signal).toBe('SIGKILL')
      await made.restart()
      await made.append([id], 20, 3)
      await eventually('all were taken', () => new Set(taken).size === 80)
      await made.delivery.idle()
      // Unacknowledged events may be repeated. The first acceptance of each event is in order.
      expect(taken.filter((number, index) => taken.indexOf(number) === index)).toEqual(upTo(80))
      expect(await parked()).toHaveLength(0)
    },
  )
})
