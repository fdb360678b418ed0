import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics } from '@tributary/kernel'
import { type LogReader, openLogReader, openLogWriter } from '@tributary/storage'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDueRows, type RowFetchDeps } from './due-rows.ts'
import { createKeyOrder } from './key-order.ts'
import type { ParkedRow, ParkingChange } from './parked-row.ts'
import type { Parking } from './parking.ts'
import type { Intake } from './parking-context.ts'
import { createPlaceOrder } from './place-order.ts'
import { createRetryQueue } from './retry-queue.ts'
import { createRowReading } from './row-reading.ts'
import { createRowsInOrder } from './rows-in-order.ts'
import { createSpilledRanges } from './spilled-ranges.ts'

let dir: string
let log: LogReader
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tributary-rows-'))
  const writer = await openLogWriter({ dir, partitions: 1, inline: true })
  for (let n = 0; n < 20; n++)
    await writer.append({
      key: 'w',
      meta: JSON.stringify({ w: 'w', s: 's', d: ['d-1'], n: 2 }),
      body: Buffer.alloc(200_000),
    })
  await writer.close()
  log = openLogReader({ dir })
})
afterEach(() => {
  log.close()
  rmSync(dir, { recursive: true, force: true })
})

const row = (offset: number, more: Partial<ParkedRow> = {}): ParkedRow => ({
  id: `r-${offset}-${more.indexes?.join() ?? 0}`,
  workspaceId: 'w',
  sourceId: 's',
  destinationId: 'd-1',
  lane: 'live',
  needsReport: false,
  partition: 0,
  offset,
  indexes: [0],
  eventIds: [],
  attempts: 1,
  firstTime: 0,
  nextTime: 100,
  ...more,
})

/** Rows of a destination in a fake store, and the list of rows taken from it. */
const start = (stored: readonly ParkedRow[]) => {
  const now = { time: 1000, state: 'flowing' as Intake, busy: false, hasCapacity: 1000, readTo: 1000 }
  const dead: string[] = []
  const taken: string[] = []
  const records = new Set<unknown>()
  const answer = { before: (): void => {} }
  const parking = {
    push: (change: ParkingChange, settle: (unwritten: ReadonlySet<string>) => void) => {
      dead.push(...change.rows.map(({ id, reason }) => `${id} ${reason}`))
      settle(new Set())
    },
    waiting: async (_: string, __: string, without: readonly string[], limit: number, order = 'due') => {
      const left = stored.filter(({ id }) => !without.includes(id))
      const key = (each: ParkedRow): number => (order === 'due' ? each.nextTime : each.offset)
      answer.before()
      const rows = left.toSorted((a, b) => key(a) - key(b)).slice(0, limit)
      return { rows, more: rows.length === limit }
    },
  } as unknown as Parking
  const clock = () => now.time
  const owned = new Set([0])
  const retries = createRetryQueue(
    'd-1',
    { parking, metrics: noMetrics, clock },
    createKeyOrder({ bytes: 0 }, () => true),
  )
  const read = createRowReading({
    profiles: { isNeeded: () => false, look: async () => {} },
    context: { reader: log, clock, owned },
    retries,
    knows: () => true,
    later: async () => () => {},
    consume: (record, of) => {
      records.add(record)
      taken.push(of?.id ?? '')
    },
  })
  const deps: RowFetchDeps = {
    id: 'd-1',
    lane: 'live',
    context: { parking, clock, isRead: (_, offset) => offset < now.readTo },
    rows: retries.rows,
    state: () => now.state,
    busy: () => now.busy || (now.state === 'probing' && taken.length > 0),
    hasCapacity: () => taken.length < now.hasCapacity,
    read,
  }
  const spilled = createSpilledRanges()
  const order = createPlaceOrder({ rows: retries.rows, spilled, busy: () => false })
  const due = createDueRows(deps)
  const inOrder = createRowsInOrder({ ...deps, order })
  return { now, owned, dead, taken, records, answer, read, spilled, order, due, inOrder, rows: retries.rows }
}
const ids = (...offsets: number[]): string[] => offsets.map((offset) => `r-${offset}-0`)

describe('rows read from the log', () => {
  test('rows are read from the log in the given order, in several reads, and once for rows of one record', async () => {
    const rows = [0, 1, 1, 2, 5, 9, 12, 13, 19, 19].map((offset, n) => row(offset, { indexes: [n] }))
    const { read, taken, records } = start(rows)
    expect(await read(rows, () => true)).toBe(10)
    expect(taken).toEqual(rows.map(({ id }) => id))
    expect(records.size).toBe(8)
  })

  test('a row whose record is gone becomes a dead letter, and later rows are taken', async () => {
    const { read, taken, dead } = start([])
    expect(await read([row(3), row(99), row(4)], () => true)).toBe(3)
    expect([taken, dead]).toEqual([ids(3, 4), ['r-99-0 No longer in the log']])
  })

  test('no row is taken after a row that may not be taken', async () => {
    const { read, taken } = start([])
    expect(await read([row(3), row(4), row(5)], ({ offset }) => offset !== 4)).toBe(1)
    expect(taken).toEqual(ids(3))
  })
})

test('rows of a removed partition are not taken', async () => {
  const { read, owned, taken } = start([])
  owned.clear()
  expect(await read([row(3)], () => true)).toBe(0)
  expect(taken).toEqual([])
})

describe('rows of an unordered destination', () => {
  test('due rows are taken in the order of the log, and the next due time is set', async () => {
    const { due, taken, rows } = start([row(9), row(2, { nextTime: 900 }), row(5), row(7, { nextTime: 1700 })])
    await due()
    expect([taken, rows.nextDue]).toEqual([ids(2, 5, 9), 1700])
  })

  test('without capacity, the remaining rows stay due', async () => {
    const { due, taken, rows, now } = start([row(1), row(2), row(3)])
    now.hasCapacity = 2
    await due()
    expect([taken, rows.nextDue]).toEqual([ids(1, 2), 100])
  })

  test('a row waits until earlier records in the log have been offered', async () => {
    const { due, taken, rows, now } = start([row(2), row(5)])
    now.readTo = 5
    await due()
    expect([taken, rows.nextDue]).toEqual([ids(2), 1050])
    now.readTo = 6
    await due()
    expect(taken).toEqual(ids(2, 5))
  })

  test('a probe takes one row, even before it is due, and none while a request is in flight', async () => {
    const first = start([row(4, { nextTime: 5000 }), row(1, { nextTime: 9000 })])
    first.now.state = 'probing'
    await first.due()
    expect([first.taken, first.rows.nextDue]).toEqual([ids(4), 1000])
    const second = start([row(4)])
    Object.assign(second.now, { state: 'probing', busy: true })
    await second.due()
    expect(second.taken).toEqual([])
  })

  test('rows that were looked up before partitions were removed are not taken, even if the partitions return', async () => {
    const { due, taken, rows, answer } = start([row(1)])
    answer.before = () => {
      rows.handovers++
    }
    await due()
    expect([taken, rows.nextDue]).toEqual([[], 100])
    answer.before = () => {}
    await due()
    expect(taken).toEqual(ids(1))
  })

  test('if the worker stops during the query, no row is taken', async () => {
    const { due, taken, now, answer } = start([row(1)])
    answer.before = () => {
      now.state = 'stopped'
    }
    await due()
    expect(taken).toEqual([])
  })
})

describe('rows of an ordered destination', () => {
  const hold = (spilled: ReturnType<typeof start>['spilled'], offset: number): void =>
    spilled.add(
      { partition: 0, offset, time: 0, bytes: 1, workspaceId: 'w', sourceId: 's', needsReport: false, events: 1 },
      0,
    )

  test('a row that is not due yet blocks all rows behind it, and becomes the head', async () => {
    const { inOrder, taken, order, rows } = start([row(1), row(2, { nextTime: 1700 }), row(3)])
    await inOrder()
    expect([taken, order.head()?.offset, rows.nextDue]).toEqual([ids(1), 2, 1700])
  })

  test('a row behind held records is not taken before the held records', async () => {
    const { inOrder, taken, order, spilled } = start([row(1), row(6)])
    hold(spilled, 4)
    await inOrder()
    expect([taken, order.head()?.offset]).toEqual([ids(1), 6])
  })

  test('if no row is left, the order reports that none waits', async () => {
    const { inOrder, taken, order, rows } = start([row(1), row(6)])
    await inOrder()
    expect([taken, order.known(), order.head(), rows.nextDue]).toEqual([ids(1, 6), true, undefined, Infinity])
  })

  test('if a row begins to wait during the query, no row is taken, and the query is repeated', async () => {
    const { inOrder, taken, order, rows, answer } = start([row(3)])
    answer.before = () => {
      rows.version++
      answer.before = () => {}
    }
    await inOrder()
    expect([taken, order.known(), rows.nextDue]).toEqual([[], false, 1000])
    await inOrder()
    expect([taken, order.known()]).toEqual([ids(3), true])
  })
})
