import { describe, expect, it } from 'vitest'
import { createInFlight } from './insert.ts'

const range = (partition: number, from: number, to: number) => ({ partition, from, to })
const done = (inFlight: ReturnType<typeof createInFlight>, token: string): void => {
  inFlight.stored(token)
  inFlight.delivered(token)
}

describe('in-flight tracking', () => {
  it('in-flight tracking commits nothing while only the store has acknowledged', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5)])
    inFlight.stored('a')
    expect(inFlight.takeCommittable()).toBeUndefined()
  })

  it('in-flight tracking commits nothing while only the deliveries are durable', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5)])
    inFlight.delivered('a')
    expect(inFlight.takeCommittable()).toBeUndefined()
  })

  it('in-flight tracking commits a batch once the store and the deliveries have acknowledged it, in either order, and only once', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5), range(3, 7, 9)])
    inFlight.delivered('a')
    inFlight.stored('a')
    expect(inFlight.takeCommittable()).toEqual(
      new Map([
        [0, 5],
        [3, 9],
      ]),
    )
    expect(inFlight.takeCommittable()).toBeUndefined()
    expect(inFlight.size).toBe(0)
  })

  it('in-flight tracking does not commit a finished batch while an older batch is unfinished', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5)])
    inFlight.begin('b', [range(0, 5, 8)])
    done(inFlight, 'b')
    expect(inFlight.takeCommittable()).toBeUndefined()
    done(inFlight, 'a')
    expect(inFlight.takeCommittable()).toEqual(new Map([[0, 8]]))
  })

  it('an unfinished batch also delays later batches with ranges of other partitions, so that no token is partly committed', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5), range(1, 0, 2)])
    inFlight.begin('b', [range(1, 2, 4), range(2, 0, 3)])
    done(inFlight, 'b')
    expect(inFlight.takeCommittable()).toBeUndefined()
  })

  it('in-flight tracking commits all finished batches before the first unfinished one, and still tracks all other batches', () => {
    const inFlight = createInFlight()
    for (const [token, from] of [
      ['a', 0],
      ['b', 5],
      ['c', 10],
    ] as const)
      inFlight.begin(token, [range(0, from, from + 5)])
    done(inFlight, 'a')
    done(inFlight, 'c')
    expect(inFlight.takeCommittable()).toEqual(new Map([[0, 5]]))
    expect(inFlight.size).toBe(2)
    done(inFlight, 'b')
    expect(inFlight.takeCommittable()).toEqual(new Map([[0, 15]]))
  })

  it('in-flight tracking refuses a range that begins before the end of an earlier range, and accepts a range after a gap', () => {
    const inFlight = createInFlight()
    inFlight.begin('a', [range(0, 0, 5)])
    expect(() => inFlight.begin('b', [range(0, 4, 7)])).toThrow(/does not lie behind/)
    inFlight.begin('b', [range(0, 6, 7)])
    expect(() => inFlight.begin('a', [range(0, 5, 7)])).toThrow(/in flight already/)
  })

  it('in-flight tracking refuses an acknowledgment of a batch that is not in flight', () => {
    expect(() => createInFlight().stored('a')).toThrow(/No batch in flight/)
  })
})
