import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventIdsOf, silentLogger } from '@tributary/kernel'
import {
  type ConsumerJournal,
  type EventStore,
  EventStoreUnavailable,
  openPostgresJournal,
  partitionOf,
  type SeenId,
} from '@tributary/storage'
import { createTestDatabase, createTestEventStore, type TestDatabase, type TestEventStore } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatOvertaking } from '../overtaking/overtakings.ts'
import { batchOf, createWorld, type World } from '../pipelines/test-world.ts'
import { createWorkspaceRefill, type RefillFrom, refillIds } from './refill-ids.ts'

let database: TestDatabase
let eventStore: TestEventStore
let dir: string
let journals: ConsumerJournal[]
let epoch: number
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-takeover-'))
  database = await createTestDatabase()
  eventStore = await createTestEventStore()
  journals = []
  epoch = 0
})
afterEach(async () => {
  for (const journal of journals) journal.close()
  await database.close()
  await eventStore.close()
  await rm(dir, { recursive: true, force: true })
})

/** Opens the journal as the next main process does. The file of message IDs is in a folder with this name. */
const takeOver = async (name: string, consumer = 'pipeline'): Promise<ConsumerJournal> => {
  epoch++
  await database.pool.query(
    `insert into coordination_leases values ('main', $1, $2, clock_timestamp() + interval '1 hour')
     on conflict (name) do update set holder = $1, epoch = $2`,
    [name, epoch],
  )
  const journal = await openPostgresJournal({
    url: database.url,
    consumer,
    lease: { name: 'main', epoch },
    file: join(dir, name, 'pipeline.db'),
    filterBytes: 1024 * 1024,
    logger: silentLogger,
  })
  journals.push(journal)
  return journal
}

const countBy = async (column: string): Promise<Record<string, number>> => {
  const rows = await eventStore.query<{ name: string; count: number }>(
    `select ${column} as name, count() as count from events group by name`,
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
const delivered = async (world: World): Promise<string[]> => (await world.delivered()).toSorted()

/** The requests of a source: events, a rejected one, and a replay of a stored one. */
const sendAll = async (world: World): Promise<void> => {
  await world.send(batchOf('a', 50))
  await world.send({ batch: [{ type: 'track', userId: 'u-1', messageId: 'no-name' }] })
  await world.send(batchOf('again', 1), { p: ['3-0000000007-0000'] })
}

describe('a takeover', () => {
  it('a takeover discards repeated events of all kinds, whatever the next main process has in its file of IDs', async () => {
    await using world = await createWorld(eventStore, { journal: await takeOver('one') })
    await sendAll(world)
    await world.pipeline.idle()
    await world.pipeline.stop()
    const stored = await countBy('message_id')
    const sent = await delivered(world)
    expect([Object.keys(stored).length, sent.length]).toEqual([52, 51])
    // The file of IDs of the next main process is empty, its own, from before another process's turn, and empty again.
    for (const name of ['two', 'two', 'one', 'three']) {
      const next = world.another({ journal: await takeOver(name) })
      next.start()
      await sendAll(world)
      for (let each = 2; each <= epoch; each++) await world.send(batchOf(`by-${each}`, 1))
      await next.idle()
      await next.stop()
    }
    expect(await countBy('message_id')).toEqual({ ...stored, 'by-2-0': 1, 'by-3-0': 1, 'by-4-0': 1, 'by-5-0': 1 })
    expect(await delivered(world)).toEqual([...sent, 'by-2-0', 'by-3-0', 'by-4-0', 'by-5-0'].toSorted())
  })

  it.each([
    ['stored', 20],
    ['not stored', 0],
  ])(
    'a takeover stores the batch that the former main process began (%s) exactly once, and has its message IDs',
    async (_, minStored) => {
      const first = await takeOver('one')
      await using world = await createWorld(eventStore, {
        // The response is lost with the process.
        eventStore: {
          ...eventStore,
          async insert(...given) {
            if (minStored > 0) await eventStore.insert(...given)
            await new Promise(() => {})
          },
        },
        journal: first,
        settings: { drainMs: 1 },
      })
      await world.send(batchOf('a', 20))
      await expect.poll(() => first.openRanges().length, { timeout: 30_000 }).toBe(1)
      const stored = async (): Promise<number> => Object.keys(await countBy('message_id')).length
      await expect.poll(stored, { timeout: 30_000 }).toBe(minStored)
      const next = world.another({ journal: await takeOver('two') })
      next.start()
      await world.send(batchOf('a', 30))
      await next.idle()
      await next.stop()
      expect(Object.values(await countBy('message_id'))).toEqual(Array.from({ length: 30 }, () => 1))
      expect(await delivered(world)).toEqual(
        batchOf('a', 30)
          .batch.map((_, n) => `a-${n}`)
          .toSorted(),
      )
    },
  )

  it('a takeover stores nothing twice with a journal restored from an earlier time', async () => {
    await using world = await createWorld(eventStore, { journal: await takeOver('one') })
    await world.send(batchOf('a', 5))
    await world.pipeline.idle()
    const tables = ['journals', 'journal_positions', 'journal_ranges']
    for (const table of tables) await database.pool.query(`create table ${table}_then as select * from ${table}`)
    await world.send(batchOf('b', 5))
    await world.send(batchOf('c', 5))
    await world.pipeline.idle()
    await world.pipeline.stop()
    const stored = await countBy('event_id')
    const sent = await delivered(world)
    await database.pool.query('delete from journals')
    for (const table of tables) await database.pool.query(`insert into ${table} select * from ${table}_then`)
    // The restored journal has this range as open, and the event store has dropped the token since.
    await database.pool.query(
      `insert into journal_ranges (consumer, token, partition, serial, place, first, behind, incarnation)
       select consumer, 'long-ago', partition, 1, 1, next, next + 1, incarnation from journal_positions`,
    )
    const next = world.another({ journal: await takeOver('one') })
    next.start()
    await world.send(batchOf('d', 5))
    await next.idle()
    await next.stop()
    const after = await countBy('event_id')
    expect(Object.values(after)).toEqual(Array.from({ length: 20 }, () => 1))
    expect(after).toMatchObject(stored)
    expect(await delivered(world)).toEqual([...sent, ...batchOf('d', 5).batch.map((_, n) => `d-${n}`)].toSorted())
  })

  it('a takeover stores nothing twice with a journal restored from a time when a workspace was overtaken', async () => {
    await using world = await createWorld(eventStore, { journal: await takeOver('one') })
    const partition = partitionOf('w-0', 8)
    // Both workspaces are in that partition.
    for (let n = 0; n < 10; n++) await world.send(batchOf(`slow-${n}`, 2), { w: 'w-0' })
    await world.send(batchOf('fast', 2), { w: 'w-19' })
    await world.pipeline.idle()
    await world.pipeline.stop()
    const stored = await countBy('event_id')
    const sent = await delivered(world)
    const overtaking = { from: 2, workspaces: new Map([['w-0', 2]]), until: undefined }
    await database.pool.query('insert into journal_notes (consumer, partition, note) values ($1, $2, $3)', [
      'pipeline',
      partition,
      formatOvertaking(overtaking),
    ])
    await database.pool.query(
      `insert into journal_positions (consumer, partition, next, incarnation)
       select consumer, partition + 8, next, incarnation from journal_positions where partition = $1`,
      [partition],
    )
    await database.pool.query('update journal_positions set next = 2 where partition = $1', [partition])
    const journal = await takeOver('one')
    const next = world.another({ journal })
    next.start()
    await world.send(batchOf('slow-more', 2), { w: 'w-0' })
    await next.idle()
    await next.stop()
    const after = await countBy('event_id')
    expect(Object.values(after)).toEqual(Array.from({ length: 24 }, () => 1))
    expect(after).toMatchObject(stored)
    expect(await delivered(world)).toEqual([...sent, 'slow-more-0', 'slow-more-1'].toSorted())
  })
})

describe('a workspace that moves to another consumer', () => {
  it('after a workspace moves to another consumer, its repeated events are discarded there, also after the next takeover', async () => {
    await using world = await createWorld(eventStore, { journal: await takeOver('one') })
    await world.send(batchOf('a', 30))
    await world.pipeline.idle()
    await world.pipeline.stop()
    const other = await takeOver('two', 'other')
    const next = world.another({ journal: other, owned: new Set() })
    await expect(next.refill('w-1')).rejects.toThrow('not begun')
    next.start()
    // The consumer has no IDs of the workspace until it moves there.
    await expect.poll(() => other.apart?.lacksIds()).toBe(false)
    const [id] = await eventStore.query<{ hash: string }>(
      `select hex(substring(SHA256(concat('accepted\\n', source_id, '\\n', message_id)), 1, 16)) as hash from events limit 1`,
    )
    const hash = Buffer.from(id?.hash ?? '', 'hex')
    expect(other.firstSeen(hash)).toBeUndefined()
    await expect.poll(() => next.refill('w-1').then(() => other.firstSeen(hash) !== undefined)).toBe(true)
    await next.stop()
    other.close()
    journals.splice(journals.indexOf(other), 1)
    const again = await takeOver('two', 'other')
    expect([again.apart?.lacksIds(), again.firstSeen(hash) !== undefined]).toEqual([false, true])
  })
})

describe('IDs read from the event store', () => {
  const hashOf = (text: string): string => createHash('sha256').update(text).digest().subarray(0, 16).toString('hex')

  it('the event store computes the same IDs as deduplication, for all sources and pages, in the needed window', async () => {
    const now = Date.now()
    const hour = 3_600_000
    const ids = eventIdsOf({ partition: 3, offset: 12_345_678_901, incarnation: '0mabc12def345' })
    const row = (source: string, n: number, more: object = {}) => ({
      workspace_id: 'w',
      source_id: source,
      event_id: ids(n),
      message_id: `ÿ☃ ${n}`,
      status: 'accepted',
      receive_time: now - 30 * hour + (n % 3),
      timestamp: now,
      properties: {},
      traits: {},
      ...more,
    })
    const rows = [
      ...Array.from({ length: 20 }, (_, n) => row('s-1', n)),
      row('s-2', 20, { status: 'rejected' }),
      row('s-2', 21, { status: 'blocked' }),
      row('s-2', 24, { status: 'rejected', reason: 'refused_by_event_store: Cannot parse this' }),
      row('s-2', 22, { message_id: '' }),
      row('s-2', 23, { receive_time: now - 40 * hour }),
    ]
    await eventStore.insert('events', rows.map((each) => JSON.stringify(each)).join('\n'), { token: 'rows' })
    const found: SeenId[] = []
    let isComplete = false
    const refill = (owned: Partial<Parameters<typeof refillIds>[0]> = {}) =>
      refillIds({
        journal: {
          apart: {
            lacksIds: () => !isComplete,
            unstoredIds: async () => [],
            idsComplete: async () => void (isComplete = true),
          },
          positions: () => new Map([[3, 5]]),
          openRanges: () => [],
          remember: (more) => void found.push(...more),
        },
        reader: {
          partitions: 4,
          starts: async () => [0, 0, 0, 0],
          ends: async () => [0, 0, 0, 6],
          read: async () => [
            {
              partition: 3,
              offset: 5,
              incarnation: '',
              time: now,
              key: 'w',
              meta: JSON.stringify({ w: 'w', s: 's', k: 'single', r: now - 10 * hour, ip: '' }),
              body: Buffer.from('{}'),
            },
          ],
        },
        eventStore,
        clock: () => now,
        logger: silentLogger,
        asking: (question) => question(),
        pageRows: 3,
        ...owned,
      })
    const elsewhere = [0, 1, 2, 3].filter((partition) => partition !== partitionOf('w', 4))
    await refill({ owned: new Set(elsewhere) })
    expect([found, isComplete]).toEqual([[], true])
    for (const spread of [
      { owned: new Set([(partitionOf('w', 4) + 1) % 4]), isIn: true },
      { owned: new Set([(partitionOf('w', 4) + 2) % 4]), isIn: false },
    ]) {
      isComplete = false
      await refill({ owned: spread.owned, widestSpreads: async () => new Map([['w', 2]]) })
      expect(found.splice(0)).toHaveLength(spread.isIn ? 23 : 0)
    }
    isComplete = false
    await refill({ owned: new Set([partitionOf('w', 4)]) })
    expect(isComplete).toBe(true)
    const known = new Map(found.map((id) => [Buffer.from(id.hash).toString('hex'), id]))
    expect(found).toHaveLength(23)
    expect(known.get(hashOf('accepted\ns-1\nÿ☃ 7'))).toMatchObject({ partition: 3, offset: 12_345_678_901, index: 7 })
    expect(known.get(hashOf('rejected\ns-2\nÿ☃ 20'))).toMatchObject({ index: 20 })
    expect(known.get(hashOf('accepted\ns-2\nÿ☃ 24'))).toMatchObject({ index: 24 })
    expect(known.get(hashOf('accepted\ns-2\nÿ☃ 21'))).toMatchObject({ index: 21 })
  })

  it('the refill of a moving workspace fails after a time limit while the event store is down, and works later', async () => {
    let isAway = true
    let queries = 0
    const away: Pick<EventStore, 'query' | 'queryBinary'> = {
      query: async (sql, params, options) => {
        queries++
        if (isAway) throw new EventStoreUnavailable('away')
        return await eventStore.query(sql, params, options)
      },
      queryBinary: eventStore.queryBinary,
    }
    let isComplete = false
    const refill = createWorkspaceRefill({
      journal: {
        apart: {
          lacksIds: () => false,
          unstoredIds: async () => [],
          idsComplete: async () => void (isComplete = true),
        },
        positions: () => new Map(),
        openRanges: () => [],
        remember: () => {},
      },
      eventStore: away,
      clock: Date.now,
      logger: silentLogger,
      signal: new AbortController().signal,
      policy: { baseMs: 1, capMs: 5, maxElapsedMs: 50 },
    })
    await expect(refill('w-9')).rejects.toThrow('Waited too long until the event store answered')
    expect(queries).toBeGreaterThan(3)
    expect(isComplete).toBe(false)
    isAway = false
    await refill('w-9')
    expect(isComplete).toBe(true)
  })

  it('the refill of a moving workspace leaves out message IDs of events before the given places in the log, whatever their times of receipt', async () => {
    const now = Date.now()
    const places: [partition: number, offset: number, incarnation: string, index?: number][] = [
      // Before its place: offsets of the same incarnation with as many digits.
      [3, 6_999_999_998, 'b'],
      [3, 6_999_999_999, 'b', 10_000],
      [3, 7_000_000_000, 'b'],
      [3, 7_000_000_000, 'b', 12],
      [3, 10_000_000_000, 'b'],
      [3, 5, 'c'],
      [30, 5, 'b'],
      [4, 41, 'b'],
      [4, 42, 'b'],
      [4, 41, 'bb'],
      [5, 1, 'b'],
      [64, 7, ''],
    ]
    const rows = places.map(([partition, offset, incarnation, index = 0], n) => ({
      workspace_id: n === 11 ? 'w-2' : 'w-1',
      source_id: `s-${n % 2}`,
      event_id: eventIdsOf({ partition, offset, incarnation })(index),
      message_id: `m-${n}`,
      status: 'accepted',
      receive_time: now + (n % 2 === 0 ? -19 : 19) * 60_000,
      timestamp: now,
      properties: {},
      traits: {},
    }))
    await eventStore.insert('events', rows.map((each) => JSON.stringify(each)).join('\n'), { token: 'places' })
    const found: SeenId[] = []
    let isBegun = false
    const refill = createWorkspaceRefill({
      journal: {
        apart: { lacksIds: () => !isBegun, unstoredIds: async () => [], idsComplete: async () => {} },
        positions: () => new Map(),
        openRanges: () => [],
        remember: (more) => void found.push(...more),
      },
      eventStore,
      clock: () => now,
      logger: silentLogger,
      signal: new AbortController().signal,
    })
    const learned = async (from?: RefillFrom): Promise<string[]> => {
      found.length = 0
      await refill('w-1', from)
      return found.map(({ partition, offset, index }) => `${partition} ${offset} ${index}`).toSorted()
    }
    await expect(learned()).rejects.toThrow('not begun')
    isBegun = true
    const textOf = ([partition, offset, , index = 0]: (typeof places)[number]): string =>
      `${partition} ${offset} ${index}`
    const behind = [2, 3, 4, 5, 6, 8, 9, 10].map((n) => textOf(places[n] ?? [0, 0, '']))
    const from = [
      { partition: 3, offset: 7_000_000_000, incarnation: 'b' },
      { partition: 4, offset: 42, incarnation: 'b' },
      { partition: 5, offset: 9, incarnation: '' },
    ]
    expect(await learned({ time: now, places: from })).toEqual(behind.toSorted())
    const all = places.slice(0, -1).map(textOf).toSorted()
    expect(await learned({ time: now, places: [] })).toEqual(all)
    expect(await learned()).toEqual(all)
  })
})
