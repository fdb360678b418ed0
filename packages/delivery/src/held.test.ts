import { noMetrics } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { createHeldRanges, type HeldRange, type HeldRecord } from './held.ts'
import { createOffsetTracker } from './offsets.ts'
import { rangeChange, restoredRange } from './range-change.ts'
import { defaultDeliverySettings } from './settings.ts'

const record = (offset: number, more: Partial<HeldRecord> = {}): HeldRecord => ({
  partition: 0,
  offset,
  time: 1000 + offset,
  bytes: 10,
  workspaceId: 'w',
  sourceId: 's',
  tells: false,
  events: 1,
  ...more,
})
const only = (ranges: readonly HeldRange[]): HeldRange => {
  const [range] = ranges
  if (range === undefined || ranges.length !== 1) throw new Error(`${ranges.length} ranges`)
  return range
}

describe('records under way', () => {
  it('end in any order, and the lowest open one is known', () => {
    const tracker = createOffsetTracker()
    const [a, b, c] = [3, 7, 8].map((offset) => tracker.begin(offset))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three begun')
    b.open++
    tracker.release(c)
    tracker.release(a)
    expect(tracker.low()).toBe(7)
    tracker.release(b)
    expect(tracker.low()).toBe(7)
    tracker.release(b)
    expect(tracker.low()).toBeUndefined()
    expect(tracker.size()).toBe(0)
  })

  it('stay few in memory after many have ended', () => {
    const tracker = createOffsetTracker()
    for (let offset = 0; offset < 100_000; offset++) tracker.release(tracker.begin(offset))
    tracker.begin(100_000)
    expect([tracker.low(), tracker.size()]).toEqual([100_000, 1])
  })
})

describe('held ranges', () => {
  it('ten thousand records in a row are one range', () => {
    const held = createHeldRanges()
    for (let offset = 5; offset < 10_005; offset++) held.hold(record(offset), 0)
    expect(only(held.all())).toMatchObject({ cursor: 5, end: 10_005, events: 10_000, bytes: 100_000 })
    expect([held.lags(0), held.lags(1), held.undurableLow(0), held.undurableLow(1)]).toEqual([
      true,
      false,
      5,
      undefined,
    ])
  })

  it('close after a while, so that limits can drop the oldest part', () => {
    const held = createHeldRanges()
    held.hold(record(1, { time: 0 }), 0)
    held.hold(record(2, { time: 600_001 }), 0)
    expect(held.all()).toHaveLength(2)
    expect(held.next()?.cursor).toBe(1)
  })

  it('a range that is read to its end lets newcomers pass, and is not stretched over them', () => {
    const held = createHeldRanges()
    held.hold(record(1), 0)
    const range = only(held.all())
    range.cursor = range.end
    range.tracker.begin(1)
    expect(held.lags(0)).toBe(false)
    held.hold(record(9), 0)
    expect(held.all().map(({ cursor, end }) => [cursor, end])).toEqual([
      [1 + 1, 2],
      [9, 10],
    ])
  })

  it('what is durable does not hold the position, what came since does', () => {
    const held = createHeldRanges()
    held.hold(record(1), 0)
    const range = only(held.all())
    range.persisted = { from: 1, end: 2 }
    expect(held.undurableLow(0)).toBeUndefined()
    held.hold(record(2), 0)
    expect(held.undurableLow(0)).toBe(2)
  })

  it('a restored range is not offered again, whatever was drained of it, and is not stretched', () => {
    const held = createHeldRanges()
    const row = {
      id: 'r',
      workspaceId: 'w',
      sourceId: 's',
      destinationId: 'd',
      partition: 0,
      offset: 10,
      end: 20,
      indexes: [],
      eventIds: [],
      attempts: 0,
      firstTime: 0,
      nextTime: 0,
      tells: false,
      events: 10,
      bytes: 100,
    }
    held.restore(restoredRange(row, 0))
    held.drop(only(held.all()))
    expect([9, 10, 19, 20].map((offset) => held.covers(0, offset))).toEqual([false, true, true, false])
    expect(held.covers(1, 15)).toBe(false)
  })
})

describe('what is written of held ranges', () => {
  const settings = {
    ...defaultDeliverySettings,
    parkAfterMs: 1000,
    held: { maxAgeMs: 10_000, maxEvents: 5, maxRows: 10 },
  }
  const input = (
    held: ReturnType<typeof createHeldRanges>,
    now: number,
    more: { all?: boolean; gone?: boolean } = {},
  ) => rangeChange({ id: 'd', held, settings, metrics: noMetrics, now, all: false, gone: false, ...more })

  it('a burst that is over before it is old touches nothing', () => {
    const held = createHeldRanges()
    held.hold(record(1), 2000)
    expect(input(held, 2999).change.rows).toHaveLength(0)
    const range = only(held.all())
    range.cursor = 2
    const { change, apply } = input(held, 9000)
    apply()
    expect([change.rows.length, change.deletes.length, held.all().length]).toEqual([0, 0, 0])
  })

  it('a range is written when it is old enough, again when it moved, and taken away when it is done', () => {
    const held = createHeldRanges()
    held.hold(record(1), 2000)
    const first = input(held, 3000)
    expect(first.change.rows).toMatchObject([{ offset: 1, end: 2, state: 'waiting', indexes: [] }])
    first.apply()
    expect(input(held, 9000).change.rows).toHaveLength(0)
    held.hold(record(2), 9000)
    expect(input(held, 9000).change).toMatchObject({ deletes: [only(held.all()).id], rows: [{ offset: 1, end: 3 }] })
    const range = only(held.all())
    range.cursor = range.end
    expect(input(held, 9000).change).toMatchObject({ deletes: [range.id], rows: [] })
  })

  it('beyond the limits the oldest dies first, with the reason', () => {
    const held = createHeldRanges()
    held.hold(record(1, { events: 4, time: 0 }), 0)
    held.hold(record(2, { events: 4, time: 600_001 }), 0)
    const { change, apply } = input(held, 600_002)
    expect(change.rows.find((row) => row.state === 'dead')).toMatchObject({ offset: 1, end: 2, reason: 'limit' })
    apply()
    expect(only(held.all()).cursor).toBe(2)
  })

  it('what comes while a dying range is written does not die with it', () => {
    const held = createHeldRanges()
    held.hold(record(1), 0)
    const { apply } = input(held, 5, { gone: true })
    held.hold(record(2), 0)
    apply()
    expect(only(held.all())).toMatchObject({ cursor: 2, end: 3 })
  })
})
