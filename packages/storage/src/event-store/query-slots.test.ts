import { setImmediate as nextTurn, setImmediate as settled } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createQuerySlots, type QuerySlots, type QuerySlotsOptions } from './query-slots.ts'

const never = new AbortController().signal

class Refused extends Error {}

const slotsOf = (workers: number, options: Partial<QuerySlotsOptions> = {}): QuerySlots<number> =>
  createQuerySlots(
    Array.from({ length: workers }, (_, index) => index),
    {
      maxQueue: 1000,
      maxQueuePerKey: 1000,
      maxWaitMs: 60_000,
      refuse: (why, own) => new Refused(`${why}${own ? ' own' : ''}`),
      ...options,
    },
  )

/** Jobs that run until the test ends them, and the order in which they began. */
const works = (slots: QuerySlots<number>) => {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const results: Promise<void>[] = []
  return {
    began,
    add(name: string, key = name.slice(0, 1)): void {
      const work = (): Promise<void> => {
        began.push(name)
        return new Promise((resolve) => ends.set(name, resolve))
      }
      results.push(slots.run(key, never, work))
    },
    /** Ends the oldest running job, so that the next one starts. */
    async endOldest(): Promise<void> {
      const [name, end] = [...ends][0] ?? []
      if (name === undefined || end === undefined) throw new Error('Nothing runs')
      ends.delete(name)
      end()
      await nextTurn()
    },
    async endAll(): Promise<void> {
      while (ends.size > 0) await this.endOldest()
      await Promise.all(results)
    },
  }
}

describe('createQuerySlots', () => {
  it('each query slot has one job at a time, and the jobs of a key run in order of arrival', async () => {
    const slots = slotsOf(2, { perKey: 2 })
    const each = works(slots)
    for (const name of ['a1', 'a2', 'a3', 'a4']) each.add(name)
    await settled()
    expect(slots.load()).toEqual({ waiting: 2, running: 2 })
    await each.endOldest()
    expect(each.began).toEqual(['a1', 'a2', 'a3'])
    await each.endAll()
    expect(each.began).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(slots.load()).toEqual({ waiting: 0, running: 0 })
  })

  it('a key never gets the last query slot, so that a job of another key begins immediately', async () => {
    const slots = slotsOf(3)
    const each = works(slots)
    for (let index = 0; index < 500; index += 1) each.add(`a${index}`)
    await settled()
    expect(slots.load()).toEqual({ waiting: 498, running: 2 })
    each.add('b')
    await settled()
    expect(each.began).toEqual(['a0', 'a1', 'b'])
    await each.endAll()
  })

  it('a waiting key gets its turn after at most as many jobs of other keys as there are other keys', async () => {
    const slots = slotsOf(3)
    const each = works(slots)
    const others = ['a', 'b', 'c', 'd']
    for (const key of others) for (let index = 0; index < 50; index += 1) each.add(`${key}${index}`)
    await settled()
    expect(slots.load().running).toBe(3)
    const before = each.began.length
    each.add('z')
    let ended = 0
    for (; !each.began.includes('z'); ended += 1) await each.endOldest()
    expect(each.began.length - before).toBeLessThanOrEqual(others.length + 1)
    expect(ended).toBeLessThanOrEqual(others.length + 1)
    // From here on, keys take turns.
    const from = each.began.length
    for (let round = 0; round < 8; round += 1) await each.endOldest()
    expect(each.began.slice(from).map((name) => name.slice(0, 1))).toEqual([...others, ...others])
    await each.endAll()
  })

  it('with a single query slot, it goes to the next key in turn', async () => {
    const slots = slotsOf(1)
    const each = works(slots)
    for (const name of ['a1', 'a2', 'a3', 'b1']) each.add(name)
    await settled()
    await each.endAll()
    expect(each.began).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it("query slots reject jobs beyond the maximum of a key's queue, and beyond the maximum of all queues those of keys that already wait", async () => {
    const slots = slotsOf(2, { maxQueue: 4, maxQueuePerKey: 3 })
    const each = works(slots)
    for (const name of ['a1', 'b1', 'a2', 'a3', 'a4', 'b2']) each.add(name)
    await settled()
    expect(slots.load()).toEqual({ waiting: 4, running: 2 })
    const more = (key: string) => slots.run(key, never, async () => 'never')
    await expect(more('a')).rejects.toThrow('key-full own')
    await expect(more('b')).rejects.toThrow(/^full$/)
    // A key without a waiting job still gets one.
    each.add('c')
    expect(slots.load()).toEqual({ waiting: 5, running: 2 })
    await each.endAll()
    expect(each.began).toContain('c')
  })

  it('a job that waits too long is rejected, and the error says whether its own key was the cause; a job whose caller has gone is removed', async () => {
    const slots = slotsOf(2, { maxWaitMs: 20 })
    const each = works(slots)
    each.add('a1')
    const own = slots.run('a', never, async () => 'never')
    await expect(own).rejects.toThrow('late own')
    each.add('b1')
    const caller = new AbortController()
    const gone = slots.run('c', caller.signal, async () => 'never')
    caller.abort()
    await expect(gone).rejects.toThrow('gone')
    await expect(slots.run('c', caller.signal, async () => 'never')).rejects.toThrow('gone')
    await expect(slots.run('c', never, async () => 'never')).rejects.toThrow(/^late$/)
    expect(slots.load()).toEqual({ waiting: 0, running: 2 })
    await each.endAll()
    expect(await slots.run('c', never, async (worker) => typeof worker)).toBe('number')
  })

  it('a job that throws frees its query slot', async () => {
    const slots = slotsOf(1)
    await expect(slots.run('a', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slots.run('a', never, async (worker) => worker)).toBe(0)
    expect(slots.load()).toEqual({ waiting: 0, running: 0 })
  })
})
