import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Holders } from './pool.ts'
import { createQueue, type QueueOptions } from './queue.ts'

const never = new AbortController().signal

const queueOf = (options: Partial<QueueOptions> = {}) =>
  createQueue({
    total: 4,
    shares: { organization: 3, user: 2, work: 3 },
    turns: 'organization',
    waiting: 1000,
    waitingShares: { user: 20, organization: 50 },
    maxWaitMs: 60_000,
    refuse: (why, bound) => new Error(`${why} ${bound}`),
    ...options,
  })

/** Creates jobs that run until the test ends them, and records the order in which they begin. */
const works = (queue: ReturnType<typeof queueOf>) => {
  const began: string[] = []
  const ends: (() => void)[] = []
  return {
    began,
    add: (name: string, holders: Holders, signal = never) => {
      const job = queue.run(holders, signal, () => {
        began.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
      // A job that still waits after its test is refused later, while another test runs.
      job.catch(() => {})
      return job
    },
    async endOldest() {
      ends.shift()?.()
      await nextRound()
    },
  }
}

describe('a queue', () => {
  it("a queue starts another organization's job immediately, even if many jobs of one user hang", async () => {
    const queue = queueOf()
    const { add, began } = works(queue)
    const refused = Array.from({ length: 605 }, () => add('hanging', { user: 'a', organization: 'o1' }).catch(String))
    await nextRound()
    expect(queue.load()).toEqual({ waiting: 20, running: 2 })
    void add('other', { user: 'b', organization: 'o2' })
    expect(began).toEqual(['hanging', 'hanging', 'other'])
    expect(await refused.at(-1)).toBe('Error: own-full user')
  })

  it('a queue starts a later job of another user if the user of the next job has reached the limit', async () => {
    const { add, began } = works(queueOf())
    for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name, { user: 'a', organization: 'o' })
    void add('b1', { user: 'b', organization: 'o' })
    expect(began).toEqual(['a1', 'a2', 'b1'])
  })

  it('a queue reserves a slot for other work if one kind runs often enough, for any holder', async () => {
    const { add, began, endOldest } = works(queueOf())
    for (let index = 1; index < 6; index += 1) void add(`slow ${index}`, { organization: `o${index}`, work: 'slow' })
    void add('quick', { organization: 'o9', work: 'quick' })
    expect(began).toEqual(['slow 1', 'slow 2', 'slow 3', 'quick'])
    await endOldest()
    expect(began.at(-1)).toBe('slow 4')
  })

  it('a queue gives turns to organizations, not to waiting calls', async () => {
    const { add, began, endOldest } = works(queueOf({ total: 1, shares: {} }))
    for (let index = 0; index < 10; index += 1) void add('many', { organization: 'o1', user: `u${index}` })
    void add('few', { organization: 'o2', user: 'u' })
    await endOldest()
    await endOldest()
    expect(began).toEqual(['many', 'many', 'few'])
  })

  it('a queue removes a job whose caller has gone, and gives its slot to the next job', async () => {
    const queue = queueOf({ total: 1 })
    const { add, began, endOldest } = works(queue)
    const caller = new AbortController()
    void add('first', { user: 'a', organization: 'o' })
    const gone = add('gone', { user: 'b', organization: 'o' }, caller.signal)
    void add('next', { user: 'c', organization: 'o' })
    caller.abort()
    await expect(gone).rejects.toThrow('gone total')
    await endOldest()
    expect(began).toEqual(['first', 'next'])
    expect(queue.load()).toEqual({ waiting: 0, running: 1 })
  })
})
