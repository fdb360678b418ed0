import { describe, expect, it } from 'vitest'
import type { InFlightRecord, Item } from '../parking/in-flight-record.ts'
import { createBatchQueue } from './worker-lane.ts'

const inFlight = { open: 0 } as InFlightRecord
const item = (action: string, number: number, more: { since?: number; bytes?: number } = {}): Item => ({
  inFlight,
  index: number,
  event: { eventId: '', messageId: `${action}${number}`, type: 'track', event: '', json: '', action },
  bytes: 10,
  since: 0,
  entry: 0,
  open: undefined,
  ...more,
})
const names = (batch: readonly Item[] | number): string =>
  typeof batch === 'number' ? String(batch) : batch.map(({ event }) => event.messageId).join(' ')
const some = { maxEvents: 3, maxBytes: 1000, maxWaitMs: 100 }
const mixed = [item('a', 0), item('b', 1), item('a', 2), item('a', 3), item('b', 4), item('a', 5)]

describe('a queue', () => {
  it('a queue returns batches of one action, a full batch before one that can wait', () => {
    const queue = createBatchQueue({ bytes: 0 })
    queue.add(mixed)
    expect(names(queue.next(some, 1, false))).toBe('a0 a2 a3')
    expect(names(queue.next(some, 1, false))).toBe('99')
    expect(names(queue.next(some, 100, false))).toBe('b1 b4')
    expect(names(queue.next(some, 100, false))).toBe('a5')
    expect(names(queue.next(some, 100, false))).toBe('Infinity')
  })

  it('the bytes of a profile count in memory, and not for a batch', () => {
    const shared = { bytes: 0 }
    const queue = createBatchQueue(shared)
    const profile = { json: 'x'.repeat(5000), lacks: '', needs: [] }
    queue.add([0, 1].map((number) => ({ ...item('a', number, { bytes: 400 }), profile })))
    expect([queue.bytes(), shared.bytes]).toEqual([10_800, 10_800])
    expect(names(queue.next(some, 100, false))).toBe('a0 a1')
    expect([queue.bytes(), shared.bytes]).toEqual([0, 0])
  })

  it('a queue keeps the order across actions if events are ordered', () => {
    const queue = createBatchQueue({ bytes: 0 })
    queue.add(mixed)
    const batches = Array.from({ length: 4 }, () => names(queue.next(some, 1, true)))
    expect(batches).toEqual(['a0', 'b1', 'a2 a3', 'b4'])
    expect(names(queue.next(some, 1, true))).toBe('99')
  })

  it('a queue returns single events in the order of entry', () => {
    const queue = createBatchQueue({ bytes: 0 })
    queue.add(mixed)
    const single = { maxEvents: 1, maxBytes: 1, maxWaitMs: 0 }
    expect(mixed.map(() => names(queue.next(single, 0, false)))).toEqual(['a0', 'b1', 'a2', 'a3', 'b4', 'a5'])
  })

  it('a queue keeps a batch within the maximum bytes, and returns a larger event alone', () => {
    const queue = createBatchQueue({ bytes: 0 })
    queue.add([item('a', 0, { bytes: 600 }), item('a', 1, { bytes: 600 }), item('a', 2, { bytes: 2000 })])
    expect(names(queue.next(some, 0, false))).toBe('a0')
    expect(names(queue.next(some, 0, false))).toBe('a1')
    expect(names(queue.next(some, 0, false))).toBe('a2')
  })

  it('a queue returns batches of putFirst unchanged before all others, and counts their events and bytes', () => {
    const shared = { bytes: 0 }
    const queue = createBatchQueue(shared)
    queue.add([item('a', 9)])
    queue.putFirst([[item('b', 1)], [item('b', 2), item('b', 3)]])
    expect([queue.length(), queue.bytes(), shared.bytes]).toEqual([4, 40, 40])
    expect(queue.oldest()?.event.messageId).toBe('b1')
    expect(names(queue.next(some, 0, false))).toBe('b1')
    expect(names(queue.next(some, 0, false))).toBe('b2 b3')
    expect([queue.length(), shared.bytes]).toEqual([1, 10])
    expect(names(queue.clear())).toBe('a9')
    expect([queue.length(), queue.bytes(), shared.bytes, queue.oldest()]).toEqual([0, 0, 0, undefined])
  })

  it('a queue uses little memory and stays exact after many events', () => {
    const shared = { bytes: 0 }
    const queue = createBatchQueue(shared)
    let taken = 0
    for (let number = 0; number < 5000; number++) {
      queue.add([item('a', number)])
      if (number % 3 !== 0) taken += (queue.next({ ...some, maxEvents: 1 }, 0, false) as Item[]).length
    }
    expect([queue.length(), shared.bytes]).toEqual([5000 - taken, (5000 - taken) * 10])
    expect(queue.items()[0]?.index).toBe(taken)
  })
})
