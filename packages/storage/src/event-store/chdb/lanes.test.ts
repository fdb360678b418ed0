import { describe, expect, it } from 'vitest'
import { createLane } from './lanes.ts'

const never = new AbortController().signal

describe('createLane', () => {
  it('gives each worker one work at a time, in order of arrival', async () => {
    const lane = createLane(['a', 'b'], { name: 'x', maxQueue: 10, maxWaitMs: 10_000 })
    const order: string[] = []
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const works = gates.map((gate, index) =>
      lane.run(never, async () => {
        order.push(`start ${index}`)
        await gate.promise
      }),
    )
    await Promise.resolve()
    expect(lane.load()).toEqual({ waiting: 2, running: 2 })
    gates[1]?.resolve()
    await works[1]
    expect(order).toEqual(['start 0', 'start 1', 'start 2'])
    for (const gate of gates) gate.resolve()
    await Promise.all(works)
    expect(lane.load()).toEqual({ waiting: 0, running: 0 })
  })

  it('refuses with 202 beyond its queue and beyond its wait, and forgets who has gone', async () => {
    const lane = createLane(['a'], { name: 'x', maxQueue: 2, maxWaitMs: 20 })
    const gate = Promise.withResolvers<void>()
    const first = lane.run(never, () => gate.promise)
    const caller = new AbortController()
    const gone = lane.run(caller.signal, async () => 'never')
    const late = lane.run(never, async () => 'never')
    await expect(lane.run(never, async () => 'never')).rejects.toMatchObject({ code: 202 })
    caller.abort()
    await expect(gone).rejects.toMatchObject({ code: 202 })
    await expect(late).rejects.toMatchObject({ code: 202 })
    expect(lane.load()).toEqual({ waiting: 0, running: 1 })
    gate.resolve()
    await first
    expect(await lane.run(never, async (worker) => worker)).toBe('a')
  })

  it('frees the worker of a work that throws', async () => {
    const lane = createLane(['a'], { name: 'x', maxQueue: 1, maxWaitMs: 20 })
    await expect(lane.run(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await lane.run(never, async (worker) => worker)).toBe('a')
  })
})
