import { noMetrics } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { createOffsetTracker } from '../log/record.ts'
import { defaultDeliverySettings } from '../settings.ts'
import { rangeChange, restoredRange } from './range-change.ts'
import { createSpilledRanges, type SpilledRange, type SpilledRecord } from './spilled-ranges.ts'

const record = (offset: number, more: Partial<SpilledRecord> = {}): SpilledRecord => ({
  partition: 0,
  offset,
  time: 1000 + offset,
  bytes: 10,
  workspaceId: 'w',
  sourceId: 's',
  needsReport: false,
  events: 1,
  ...more,
})
const only = (ranges: readonly SpilledRange[]): SpilledRange => {
  const [range] = ranges
  if (range === undefined || ranges.length !== 1) throw new Error(`${ranges.length} ranges`)
  return range
}

describe('records in flight', () => {
  it('records in flight end in any order, and `low` is the lowest open one', () => {
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

  it('records in flight use little memory after many have ended', () => {
    const tracker = createOffsetTracker()
    for (let offset = 0; offset < 100_000; offset++) tracker.release(tracker.begin(offset))
    tracker.begin(100_000)
    expect([tracker.low(), tracker.size()]).toEqual([100_000, 1])
  })
})

describe('held ranges', () => {
  it('ten thousand consecutive held records are one range', () => {
    const spilled = createSpilledRanges()
    for (let offset = 5; offset < 10_005; offset++) spilled.add(record(offset), 0)
    expect(only(spilled.all())).toMatchObject({ cursor: 5, end: 10_005, events: 10_000, bytes: 100_000 })
    expect([spilled.lags(0), spilled.lags(1), spilled.undurableLow(0), spilled.undurableLow(1)]).toEqual([
      true,
      false,
      5,
      undefined,
    ])
  })

  it('held ranges are closed after a while, so that limits can drop the oldest part', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1, { time: 0 }), 0)
    spilled.add(record(2, { time: 600_001 }), 0)
    expect(spilled.all()).toHaveLength(2)
    expect(spilled.next()?.cursor).toBe(1)
  })

  it('a held range that is read to its end is not extended by later records, which make a new range', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1), 0)
    const range = only(spilled.all())
    range.cursor = range.end
    range.tracker.begin(1)
    expect(spilled.lags(0)).toBe(false)
    spilled.add(record(9), 0)
    expect(spilled.all().map(({ cursor, end }) => [cursor, end])).toEqual([
      [1 + 1, 2],
      [9, 10],
    ])
  })

  it('the position passes durable ranges, but not records that were added afterwards', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1), 0)
    const range = only(spilled.all())
    range.persisted = { from: 1, end: 2 }
    expect(spilled.undurableLow(0)).toBeUndefined()
    spilled.add(record(2), 0)
    expect(spilled.undurableLow(0)).toBe(2)
  })

  it('a restored range covers its records after they were sent, and is not extended', () => {
    const spilled = createSpilledRanges()
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
      needsReport: false,
      lane: 'live' as const,
      holds: undefined,
      events: 10,
      bytes: 100,
    }
    spilled.restore(restoredRange(row, 0))
    spilled.drop(only(spilled.all()))
    expect([9, 10, 19, 20].map((offset) => spilled.covers(0, offset, 'live'))).toEqual([false, true, true, false])
    expect(spilled.covers(1, 15, 'live')).toBe(false)
  })
})

describe('writing of held ranges', () => {
  const settings = {
    ...defaultDeliverySettings,
    parkAfterMs: 1000,
    held: { maxAgeMs: 10_000, maxLogAgeMs: 10_000, maxEvents: 5, maxRows: 10 },
  }
  const input = (
    spilled: ReturnType<typeof createSpilledRanges>,
    now: number,
    more: { all?: boolean; gone?: boolean } = {},
  ) =>
    rangeChange({ id: 'd', lane: 'live', spilled, settings, metrics: noMetrics, now, all: false, gone: false, ...more })

  it('a short burst of held records is never written', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1), 2000)
    expect(input(spilled, 2999).change.rows).toHaveLength(0)
    const range = only(spilled.all())
    range.cursor = 2
    const { change, apply } = input(spilled, 9000)
    apply()
    expect([change.rows.length, change.deletes.length, spilled.all().length]).toEqual([0, 0, 0])
  })

  it('a held range is written when it is old enough, again after it moved, and deleted when it is done', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1), 2000)
    const first = input(spilled, 3000)
    expect(first.change.rows).toMatchObject([{ offset: 1, end: 2, state: 'waiting', indexes: [] }])
    first.apply()
    expect(input(spilled, 9000).change.rows).toHaveLength(0)
    spilled.add(record(2), 9000)
    expect(input(spilled, 9000).change).toMatchObject({
      deletes: [only(spilled.all()).id],
      rows: [{ offset: 1, end: 3 }],
    })
    const range = only(spilled.all())
    range.cursor = range.end
    expect(input(spilled, 9000).change).toMatchObject({ deletes: [range.id], rows: [] })
  })

  it('beyond the limits, the oldest held range becomes dead first, with the reason', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1, { events: 4, time: 0 }), 0)
    spilled.add(record(2, { events: 4, time: 600_001 }), 0)
    const { change, apply } = input(spilled, 600_002)
    expect(change.rows.find((row) => row.state === 'dead')).toMatchObject({ offset: 1, end: 2, reason: 'limit' })
    apply()
    expect(only(spilled.all()).cursor).toBe(2)
  })

  it('records that arrive while a dead range is written do not become dead with it', () => {
    const spilled = createSpilledRanges()
    spilled.add(record(1), 0)
    const { apply } = input(spilled, 5, { gone: true })
    spilled.add(record(2), 0)
    apply()
    expect(only(spilled.all())).toMatchObject({ cursor: 2, end: 3 })
  })
})
