import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { openLogReader } from '@tributary/storage'
import { createTestStores, openToyProducer } from '@tributary/test-kit'
import { afterEach, describe, expect, it } from 'vitest'
import type { CrashPlan } from './crash-child.ts'
import { createFixture } from './testing.ts'

const { database, store } = await createTestStores()
afterEach(async () => {
  await database.db.deleteFrom('parked_deliveries').execute()
})
const runChild = async (plan: CrashPlan): Promise<string | null> => {
  const script = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], { stdio: ['ignore', 'ignore', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGTERM'), 120_000)
  const [, signal] = await once(child, 'exit')
  clearTimeout(timer)
  return signal
}

const isLong = Number(process.env.SOAK_ROUNDS ?? 0) > 0

const ids = (peer: Peer): Set<string> => new Set(peer.requests.map(({ body }) => JSON.parse(body).messageId))

it.each([
  ['delivery.after-request', 20],
  ['delivery.after-outcomes', 2],
  ['delivery.before-commit', 1],
])('after a kill at %s, time %i, a producer of rows still gets the outcome of each row', async (point, count) => {
  await using stack = new AsyncDisposableStack()
  const peer = stack.adopt(await startPeer(() => ({ status: 200 })), (made) => made.close())
  const fixture = stack.adopt(
    await createFixture({ db: database.db, eventStore: store, connector: webhook, start: false }),
    (made) => made.close(),
  )
  const destinationId = fixture.destination({ url: peer.url })
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
  toy.add(
    Array.from({ length: 200 }, (_, n) => ({ operation: 'upsert', object: 'contacts', key: `k${n}`, payload: { n } })),
  )
  await toy.send()
  const signal = await runChild({
    postgresUrl: database.url,
    eventStoreUrl: store.url,
    folder: fixture.folder,
    entries: [...fixture.entries.values()],
    connector: { module: '@tributary/connectors/destinations/webhook', name: 'webhook' },
    fault: { point, count },
  })
  expect(signal).toBe('SIGKILL')
  await fixture.restart()
  await fixture.delivery.idle()
  await toy.learn()
  expect(toy.rows().filter(({ status }) => status !== 'delivered')).toEqual([])
  expect(new Set(peer.requests.map(({ body }) => JSON.parse(body).recordId)).size).toBe(200)
})

describe('after a kill during delivery, every event still reaches every destination', () => {
  it.each<[string, number]>([
    ['delivery.after-request', 150],
    ['delivery.after-park', 3],
    ['delivery.before-commit', 2],
    ...(isLong
      ? ([
          ['delivery.after-request', 1],
          ['delivery.after-park', 1],
          ['delivery.before-commit', 1],
        ] as [string, number][])
      : []),
  ])('after a kill during delivery at %s, time %i, every event reaches every destination', async (point, count) => {
    await using stack = new AsyncDisposableStack()
    const peerOf = async (answer: () => PeerAnswer): Promise<Peer> =>
      stack.adopt(await startPeer(answer), (peer) => peer.close())
    let dead = true
    const healthy = await peerOf(() => ({ status: 200 }))
    const failing = await peerOf(() => ({ status: dead ? 503 : 200 }))
    const held = await peerOf(() => ({ status: 200 }))
    const fixture = stack.adopt(
      await createFixture({ db: database.db, eventStore: store, connector: webhook, start: false }),
      (made) => made.close(),
    )
    const destinations = [healthy, failing, held].map((peer) =>
      fixture.destination({ url: peer.url }, { enabled: peer !== held }),
    )
    await fixture.append(destinations, 200)
    const signal = await runChild({
      postgresUrl: database.url,
      eventStoreUrl: store.url,
      folder: fixture.folder,
      entries: [...fixture.entries.values()],
      connector: { module: '@tributary/connectors/destinations/webhook', name: 'webhook' },
      fault: { point, count },
    })
    expect(signal).toBe('SIGKILL')

    dead = false
    failing.requests.length = 0
    for (const [id, entry] of fixture.entries) fixture.entries.set(id, { ...entry, enabled: true })
    await fixture.restart()
    await failing.until(() => ids(failing).size === 200)
    await held.until(() => ids(held).size === 200)
    await fixture.delivery.idle()
    expect(ids(healthy).size).toBe(200)
    // Each delivered event has a row in the delivery log.
    const rows = await store.query<{ destination_id: string; events: string }>(
      `select destination_id, toString(uniqExact(message_id)) as events from deliveries where status = 'delivered'
        and destination_id in {destinations:Array(String)} group by destination_id`,
      { destinations },
    )
    expect(rows.map((row) => row.events)).toEqual(['200', '200', '200'])
    expect(await database.db.selectFrom('parked_deliveries').selectAll().execute()).toHaveLength(0)
  })

  it.each([
    ['delivery.after-request', 250],
    ['delivery.after-park', 2],
    ['delivery.before-commit', 1],
  ])(
    'after a kill during the sending of held events at %s, time %i, every event reaches every destination',
    async (point, count) => {
      const held = 800
      await using stack = new AsyncDisposableStack()
      const peer = stack.adopt(await startPeer(), (made) => made.close())
      const fixture = stack.adopt(
        await createFixture({ db: database.db, eventStore: store, connector: webhook }),
        (made) => made.close(),
      )
      const id = fixture.destination({ url: peer.url }, { enabled: false })
      await fixture.append([id], held, 4)
      await fixture.delivery.idle()
      await fixture.delivery.stop()
      const entry = fixture.entries.get(id)
      if (entry !== undefined) fixture.entries.set(id, { ...entry, enabled: true })
      // New events arrive behind the held ones, so that positions advance, too.
      await fixture.append([id], 100)
      const signal = await runChild({
        postgresUrl: database.url,
        eventStoreUrl: store.url,
        folder: fixture.folder,
        entries: [...fixture.entries.values()],
        connector: { module: '@tributary/connectors/destinations/webhook', name: 'webhook' },
        fault: { point, count },
      })
      expect(signal).toBe('SIGKILL')
      await fixture.restart()
      await fixture.delivery.idle()
      expect(ids(peer).size).toBe(held + 100)
      // Requests that were durable before the kill are not repeated, so there are few repeats.
      expect(peer.requests.length).toBeLessThan(2 * (held + 100))
      expect(await database.db.selectFrom('parked_deliveries').selectAll().execute()).toHaveLength(0)
    },
  )
})
