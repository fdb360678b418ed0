import { setTimeout as wait } from 'node:timers/promises'
import { networkOf } from '@tributary/http'
import { rateLimited } from '@tributary/kernel'
import type { ControlDeps, Counters } from '../../deps.ts'
import { hiddenAddress } from './count-tries.ts'
import { isKnownPlace } from './sign-in-places.ts'

/** Failures that are free, by whom they are counted for. */
export type FreeTries = { perEmailAndIp: number; perEmail: number; perIp: number }

/** How long failures are remembered, and the longest waits between two tries, all ms. */
const windowMs = 60 * 60_000
const firstWaitMs = 1000
const longestWaitMs = { pair: 15 * 60_000, shared: 60_000 } as const
/** Where somebody has signed in before, wrong tries wait for their turn, and nobody is refused before this queue is full. */
const known = { firstWaitMs: 100, longestWaitMs: 1000, queue: 100 } as const

const waitMs = (failures: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(30, failures))

type Limit = { key: string; free: number; longestMs: number }

export type LoginThrottling = {
  /**
   * Lets one try of a secret of an address (in lower case) through, or throws 429 with `retry_after`. It is counted
   * before it is checked, so that many at once do not slip through. Returns what takes it back: call it when it was right.
   */
  enter(email: string, ip: string): Promise<() => Promise<void>>
}

/**
 * Slows down who guesses, without locking out whose account it is. Failures are counted by place, by place and account,
 * and by account; beyond the free ones, one try is let through after a wait that doubles with each failure. Tries that
 * are refused unchecked do not count.
 *
 * From a place that the user has signed in from before, none of that holds: nobody elsewhere can use it up, and a right
 * secret is always checked. There, tries beyond the free ones are let through one after the other, at most a few a
 * second and later one a second.
 */
export const createLoginThrottling = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing'>,
  options: {
    /** In the names of counters. */
    kind: string
    free: FreeTries
    message: string
    pause?: (ms: number) => Promise<void>
  },
): LoginThrottling => {
  const { db, counters, clock, signing } = deps
  const { kind, free, message } = options
  const pause = options.pause ?? wait
  const queues = new Map<string, { last: Promise<void>; length: number }>()

  const count = async ({ key, free: allowed, longestMs }: Limit): Promise<void> => {
    const tries = await counters.increment(key, 1, windowMs)
    if (tries <= allowed) return
    const over = tries - allowed - 1
    // The first to come after a wait is let through, and begins the next one.
    if ((await counters.increment(`${key}:wait`, 1, waitMs(over, firstWaitMs, longestMs))) === 1) return
    await counters.increment(key, -1, windowMs)
    throw rateLimited(message, waitMs(over - 1, firstWaitMs, longestMs))
  }

  const takeBack = (keys: readonly string[], by: Counters): Promise<unknown> =>
    Promise.all(keys.map((key) => by.increment(key, -1, windowMs)))

  const enterUnknown = async (limits: readonly Limit[]): Promise<() => Promise<void>> => {
    const counted: string[] = []
    for (const limit of limits) {
      try {
        await count(limit)
      } catch (error) {
        await takeBack(counted, counters)
        throw error
      }
      counted.push(limit.key)
    }
    return async () => void (await takeBack(counted, counters))
  }

  const enterKnown = async (key: string): Promise<() => Promise<void>> => {
    const failures = (await counters.increment(key, 1, windowMs)) - free.perEmailAndIp - 1
    const back = async (): Promise<void> => void (await takeBack([key], counters))
    if (failures < 0) return back
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= known.queue) {
      await back()
      throw rateLimited(message, known.longestWaitMs)
    }
    queues.set(key, queue)
    queue.length++
    queue.last = queue.last.then(() => pause(waitMs(failures, known.firstWaitMs, known.longestWaitMs)))
    await queue.last
    if (--queue.length === 0) queues.delete(key)
    return back
  }

  return {
    async enter(email, ip) {
      const [hidden, place] = [hiddenAddress(email), networkOf(ip)]
      if (await isKnownPlace(db, { email, ip, now: clock(), signing }))
        return await enterKnown(`${kind}:known:${hidden}:${place}`)
      // The place first: what many places share is not used up by one, nor memory filled with counters.
      return await enterUnknown([
        { key: `${kind}:${place}`, free: free.perIp, longestMs: longestWaitMs.shared },
        { key: `${kind}:${hidden}:${place}`, free: free.perEmailAndIp, longestMs: longestWaitMs.pair },
        { key: `${kind}:${hidden}`, free: free.perEmail, longestMs: longestWaitMs.shared },
      ])
    },
  }
}
