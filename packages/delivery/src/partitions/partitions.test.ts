import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DestinationDefinition } from '@tributary/connector-kit'
import type { DeliveryMeta } from '@tributary/contract'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { type LogReader, openJournal, openLogReader, openLogWriter } from '@tributary/storage'
import { consumerConformance } from '@tributary/storage/testing'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, expect, test } from 'vitest'
import { createDelivery, type Delivery } from '../delivery.ts'
import type { DestinationWorker } from '../destination/destination-worker.ts'
import { createParking } from '../parking/parking.ts'
import { createSpilledRanges, rangeLow } from '../parking/spilled-ranges.ts'
import type { DestinationEntry } from '../ports.ts'
import { quickSettings, sampleEvent } from '../testing.ts'
import { relay } from '../testing-connector.ts'
import { createPartitions } from './partitions.ts'
import { type Commit, createPlaces } from './reading.ts'

const partitions = 8
const all = Array.from({ length: partitions }, (_, partition) => partition)

const { database, store } = await createTestStores()
afterEach(async () => {
  await database.db.deleteFrom('parked_deliveries').execute()
})

/** IDs of destinations and workspaces have this form in the tables. */
const idOf = (key: string): string => `00000000-0000-7000-8000-${key.replace(/\D/g, '').padStart(12, '0')}`

/** A log and a journal that several deliveries share, each with its own connector. */
const openWorld = async (ordered: boolean) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-partitions-'))
  const writer = await openLogWriter({ dir: join(folder, 'log'), partitions, inline: true })
  const reader = openLogReader({ dir: join(folder, 'log') })
  const journal = openJournal({ file: join(folder, 'journal.db'), filterBytes: 1024 })
  const entry = (id: string): DestinationEntry => ({
    id,
    workspaceId: id,
    title: 'Kept',
    app: relay.slug,
    enabled: true,
    settings: { url: 'https://example.com', batch: 5, wait: 1, rate: 0, rate_ms: 1000, ordered },
    mappings: undefined,
    presetVersion: 2,
    consentCategories: [],
    filters: new Map(),
  })
  const entries = new Map<string, DestinationEntry>()
  return {
    partitions,
    reader,
    journal,
    async append(key: string, number: number): Promise<void> {
      const id = idOf(key)
      if (!entries.has(id)) entries.set(id, entry(id))
      const body = Buffer.from(JSON.stringify([{ ...sampleEvent(number), messageId: `${key} ${number}` }]))
      const meta: DeliveryMeta = { w: id, s: id, d: [id], n: 1 }
      await writer.append({ key, meta: JSON.stringify(meta), body })
      reader.notice()
    },
    /** A delivery without partitions. `handle` is called for each event; if it rejects, the event is retried. */
    async open(handle: (key: string, number: number) => Promise<void>, read: LogReader = reader): Promise<Delivery> {
      const connector: DestinationDefinition = {
        ...relay,
        deliver: async (events) => {
          for (const { messageId } of events) {
            const [key = '', number] = messageId.split(' ')
            await handle(key, Number(number))
          }
          return { outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 1 }
        },
      }
      const delivery = createDelivery({
        reader: read,
        journal,
        db: database.db,
        eventStore: store,
        outcomes: { appendGroup: () => Promise.reject(new Error('unused')) },
        forgotten: { until: () => 0, version: () => '', isOf: () => false },
        destinationCache: { get: (id) => entries.get(id), ready: async () => {} },
        connectors: new Map([[connector.slug, connector]]),
        requestClient: {
          request: () => Promise.reject(new Error('unused')),
          connect: () => Promise.reject(new Error('unused')),
        },
        clock: Date.now,
        logger: silentLogger,
        metrics: noMetrics,
        settings: quickSettings,
      })
      await delivery.start([])
      return delivery
    },
    async close(): Promise<void> {
      reader.close()
      journal.close()
      await writer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// An ordered destination, since concurrent requests could reorder events.
consumerConformance('delivery', () => openWorld(true))

test('records that were read before a partition was removed are not sent after the partition is returned', async () => {
  const world = await openWorld(true)
  const sent: string[] = []
  const handle = (holder: string) => async (key: string, number: number) => void sent.push(`${holder} ${key} ${number}`)
  const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: LogReader = {
    ...world.reader,
    read: async (...args) => {
      const records = await world.reader.read(...args)
      if (records.length > 0) {
        begun.resolve()
        await goesOn.promise
      }
      return records
    },
  }
  const [first, second] = [await world.open(handle('first'), slow), await world.open(handle('second'))]
  try {
    await first.give(all)
    await world.append('k-1', 0)
    await begun.promise
    await first.take(all)
    await second.give(all)
    await second.idle()
    await second.take(all)
    await first.give(all)
    goesOn.resolve()
    await first.idle()
    expect(sent).toEqual(['second k-1 0'])
  } finally {
    goesOn.resolve()
    await first.stop()
    await second.stop()
    await world.close()
  }
})

test('a partition is released only when the progress of each range is written', async () => {
  const [place] = createPlaces(1)
  const spilled = createSpilledRanges()
  if (place === undefined) throw new Error('there is one')
  place.owned = true
  const of = { partition: 0, time: 0, bytes: 1, workspaceId: 'w', sourceId: 's', needsReport: false, events: 1 }
  for (const offset of [0, 1]) spilled.add({ ...of, offset }, 0)
  const [range] = spilled.all()
  if (range === undefined) throw new Error('there is one')
  const underWay = range.tracker.begin(0)
  range.cursor = 1
  let written = 0
  const commit: Commit = {
    run: async () => {
      range.persisted = { from: rangeLow(range), end: range.end }
      // The event is delivered while the older progress is written.
      if (written++ === 0) range.tracker.release(underWay)
      return true
    },
  }
  const worker = { lanes: [{ spilled }], requeue: () => {}, isBusy: () => false, keyOrder: { forget: () => {} } }
  const { take } = createPartitions({
    owned: new Set([0]),
    places: [place],
    workers: new Map([['d-1', worker as unknown as DestinationWorker]]),
    attempts: { flush: async () => {} },
    commit,
    maintenance: { refresh: async () => {} },
  } as unknown as Parameters<typeof createPartitions>[0])
  await take([0])
  expect([written, range.persisted]).toEqual([2, { from: 1, end: 2 }])
})

test('the owner of some partitions makes no rows of other partitions dead', async () => {
  const world = await openWorld(false)
  const holder = await world.open(async () => {
    throw new Error('not now')
  })
  try {
    await holder.give(all)
    for (const key of ['k-1', 'k-2', 'k-3']) await world.append(key, 0)
    const states = async () => {
      const rows = await database.db.selectFrom('parked_deliveries').select(['log_partition', 'state']).execute()
      return rows.map(({ log_partition: partition, state }) => [partition, state] as const)
    }
    await expect.poll(async () => (await states()).length, { timeout: 15_000 }).toBe(3)
    await holder.take(all)
    const [first, ...others] = await states()
    const mine = first?.[0] ?? -1
    const limits = { before: Date.now() + 1000, maxRows: 1000, crowded: [] }
    expect(await createParking(database.db, new Set([mine])).enforceLimits(limits)).toHaveLength(1)
    expect(await states()).toEqual(expect.arrayContaining([[mine, 'dead'], ...others]))
    expect(others.map(([, state]) => state)).toEqual(['waiting', 'waiting'])
  } finally {
    await holder.stop()
    await world.close()
  }
})

test('held and parked deliveries move with their partition, and its next owner sends them', async () => {
  const world = await openWorld(false)
  const sent = new Map<string, string[]>([
    ['first', []],
    ['second', []],
  ])
  let fails = true
  const handle = (holder: string) => async (key: string, number: number) => {
    if (holder === 'first' && fails) throw new Error('not now')
    sent.get(holder)?.push(`${key} ${number}`)
  }
  const [first, second] = [await world.open(handle('first')), await world.open(handle('second'))]
  try {
    await first.give(all)
    for (let number = 0; number < 30; number++)
      await Promise.all(['k-1', 'k-2', 'k-3'].map((key) => world.append(key, number)))
    await expect.poll(() => first.state().workers.filter(({ state }) => state !== 'flowing').length).toBe(3)
    const mine = all.filter((partition) => partition % 2 === 0)
    await first.take(mine)
    await second.give(mine)
    await second.retryNow(idOf('k-1'))
    fails = false
    await first.take(all)
    await second.give(all)
    await expect.poll(async () => (await second.idle(), sent.get('second')?.length), { timeout: 15_000 }).toBe(90)
    expect(sent.get('first')).toEqual([])
    expect(new Set(sent.get('second')).size).toBe(90)
    expect(await database.db.selectFrom('parked_deliveries').select('id').execute()).toEqual([])
  } finally {
    await first.stop()
    await second.stop()
    await world.close()
  }
})
