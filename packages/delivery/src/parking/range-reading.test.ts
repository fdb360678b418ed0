import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { silentLogger } from '@tributary/kernel'
import { type LogReader, openLogReader, openLogWriter } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InFlightRecord } from './in-flight-record.ts'
import type { Intake } from './parking-context.ts'
import { createRangeReading, type RangeReadingDeps } from './range-reading.ts'
import { createSpilledRanges, isRangeDone, type SpilledRanges } from './spilled-ranges.ts'

let dir: string
let log: LogReader
let spilled: SpilledRanges
let taken: number[]
let finish: (() => void)[]
const count = 300

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tributary-ranges-'))
  const writer = await openLogWriter({ dir, partitions: 1, inline: true })
  const append = (n: number) =>
    writer.append({
      key: 'w',
      // Every third record is for another destination.
      meta: JSON.stringify({ w: 'w', s: 's', d: [n % 3 === 2 ? 'other' : 'd-1'], n: 1 }),
      body: Buffer.alloc(2000),
    })
  await Promise.all(Array.from({ length: count }, (_, n) => append(n)))
  await writer.close()
  log = openLogReader({ dir })
  spilled = createSpilledRanges()
  taken = []
  finish = []
})
afterEach(() => {
  log.close()
  rmSync(dir, { recursive: true, force: true })
})

const own = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n).filter((n) => n % 3 !== 2)
const hold = (from: number, to: number): void => {
  for (const offset of own(from, to))
    spilled.add(
      {
        partition: 0,
        offset,
        time: 1000 + offset,
        bytes: 2000,
        workspaceId: 'w',
        sourceId: 's',
        needsReport: false,
        events: 1,
      },
      0,
    )
}

const start = (more: Partial<RangeReadingDeps> = {}) => {
  let resting = false
  const reading = createRangeReading({
    profiles: { isNeeded: () => false, lacks: () => false, waits: () => false, look: async () => {} },
    id: 'd-1',
    context: { reader: log, clock: () => 0, logger: silentLogger, isRead: () => true },
    spilled,
    state: () => 'flowing',
    busy: () => false,
    hasCapacity: () => true,
    rangesDue: () => true,
    limit: () => Number.POSITIVE_INFINITY,
    later: async () => () => {},
    consume: (record, _row, done) => {
      taken.push(record.reference.offset)
      finish.push(() => done({} as InFlightRecord))
    },
    wake: () => {
      reading.start()
      resting = !reading.underWay()
    },
    ...more,
  })
  reading.start()
  // On a slow machine, one turn may not be enough. Reading has ended if a wake-up starts no further turn.
  const ended = async (): Promise<void> => {
    resting = !reading.underWay()
    while (!resting) await nextTurn()
  }
  return { reading, ended }
}

test('every record of a range that names the destination is taken once and in order, and then the range is done', async () => {
  hold(10, 290)
  const [range] = spilled.all()
  await start().ended()
  expect(taken).toEqual(own(10, 290))
  expect(range && [isRangeDone(range), range.unreadEvents, range.events]).toEqual([false, 0, own(10, 290).length])
  for (const done of finish) done()
  expect(range && [isRangeDone(range), range.events, range.bytes]).toEqual([true, 0, 0])
})

test('without capacity, reading pauses, and later continues at the same offset', async () => {
  hold(0, 100)
  let hasCapacity = 7
  const { reading, ended } = start({ hasCapacity: () => taken.length < hasCapacity })
  await ended()
  expect(taken).toEqual(own(0, 100).slice(0, 7))
  hasCapacity = 1000
  reading.start()
  await ended()
  expect(taken).toEqual(own(0, 100))
})

test('a range is read only up to its limit', async () => {
  hold(0, 100)
  let limit = 30
  const { reading, ended } = start({ limit: (range) => (range.cursor < limit ? limit : undefined) })
  await ended()
  expect([taken, spilled.next()?.cursor]).toEqual([own(0, 30), 30])
  limit = 60
  reading.start()
  await ended()
  expect(taken).toEqual(own(0, 60))
})

test('a probing worker takes one record, and the next one when no request is in flight', async () => {
  hold(0, 100)
  let busy = 0
  const { reading, ended } = start({ state: () => 'probing', busy: () => taken.length > busy })
  await ended()
  expect(taken).toEqual([0])
  busy = 1
  reading.start()
  await ended()
  expect(taken).toEqual([0, 1])
})

test.each<[string, (change: { state: Intake; hasCapacity: boolean }) => void]>([
  ['the worker was paused', (now) => (now.state = 'stopped')],
  ['the room was taken by others', (now) => (now.hasCapacity = false)],
  ['the range was given up', () => spilled.all().forEach((range) => (range.dead = 'limit'))],
  ['a range of lower places was taken up', () => spilled.all().forEach((range) => (range.cursor = 50))],
])('records that are read while %s are not taken', async (_, change) => {
  hold(40, 100)
  const now: { state: Intake; hasCapacity: boolean } = { state: 'flowing', hasCapacity: true }
  let changed = false
  const reader: LogReader = {
    ...log,
    read: async (...args) => {
      const records = await log.read(...args)
      if (!changed) change(now)
      changed = true
      return records
    },
  }
  const { ended } = start({
    context: { reader, clock: () => 0, logger: silentLogger, isRead: () => true },
    state: () => now.state,
    hasCapacity: () => now.hasCapacity,
  })
  await ended()
  expect(taken.filter((offset) => offset < 50)).toEqual([])
})

test('when the log cannot be read, no held range is removed, and reading pauses before it retries', async () => {
  hold(0, 50)
  let reads = 0
  const broken = { ...log, read: () => Promise.reject(new Error(`EIO ${++reads}`)) }
  let now = 0
  const context = { reader: broken, clock: () => now, logger: silentLogger, isRead: () => true }
  const { reading, ended } = start({ context })
  await ended()
  reading.start()
  await ended()
  expect([reads, taken, spilled.next()?.cursor]).toEqual([1, [], 0])
  now = 1000
  reading.start()
  await ended()
  expect(reads).toBe(2)
})

test('a range whose records are gone from the log becomes dead', async () => {
  spilled.add(
    {
      partition: 0,
      offset: count + 5,
      time: 0,
      bytes: 1,
      workspaceId: 'w',
      sourceId: 's',
      needsReport: false,
      events: 1,
    },
    0,
  )
  await start().ended()
  expect(spilled.all().map((range) => range.dead)).toEqual(['No longer in the log'])
})

test('a record that profiles read during the look-up of others is taken only after its own look-up', async () => {
  hold(0, 60)
  let readTo = 30
  const looked: number[] = []
  const unknown: number[] = []
  const { ended } = start({
    profiles: {
      isNeeded: () => true,
      waits: ({ reference }) => reference.offset >= readTo,
      lacks: ({ reference }) => !looked.includes(reference.offset),
      look: async (wanted) => {
        await nextTurn()
        looked.push(...wanted.map(({ record }) => record.reference.offset))
        readTo = 60
      },
    },
    consume: (record) => {
      taken.push(record.reference.offset)
      if (!looked.includes(record.reference.offset)) unknown.push(record.reference.offset)
    },
  })
  await ended()
  expect([taken, unknown]).toEqual([own(0, 60), []])
})
