import { setTimeout as wait } from 'node:timers/promises'
import { type Client, networkOf } from '@tributary/http'
import { AppError, rateLimited } from '@tributary/kernel'
import type { ControlDeps, Counters } from '../../deps.ts'
import { hiddenAddress } from './count-tries.ts'
import { isKnownPlace } from './sign-in-places.ts'
import type { SignInRecords } from './sign-in-records.ts'

/** Number of failures per counter that cause no delay. */
export type FreeTries = { perEmailAndIp: number; perEmail: number; perIp: number }

/** Maximum attempts per hour for an account: at one place with an earlier sign-in, and at all other places together. */
export type MostTries = { perKnownPlace: number; elsewhere: number }

/** Time for which failures are counted, and the first and longest waits between two attempts, ms. */
const windowMs = 60 * 60_000
const firstWaitMs = 1000
const longestWaitMs = { pair: 15 * 60_000, shared: 60_000 } as const
/**
 * Limits at a place where the user has signed in before. Attempts after wrong ones wait in a queue, and are refused
 * only if this queue is full.
 */
const known = { firstWaitMs: 100, longestWaitMs: 1000, queue: 100 } as const

const waitMs = (failures: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(30, failures))

type Limit = { key: string; free: number; longestMs: number; most?: number }

export type LoginThrottling = {
  /**
   * Lets one attempt for an address (in lower case) through, or throws 429 with `retry_after`. The attempt is counted
   * before it is checked, so that concurrent ones cannot bypass the limit. Returns a function that undoes the count:
   * call it if the secret was right.
   */
  enter(email: string, ip: string): Promise<() => Promise<void>>
}

type LoginThrottlingOptions = {
  /** The prefix of the names of counters. */
  kind: string
  free: FreeTries
  most?: MostTries
  message: string
  pause?: (ms: number) => Promise<void>
}

/** Makes queues by key. In a queue, one attempt waits after the other. */
const createQueues = (pause: (ms: number) => Promise<void>) => {
  const queues = new Map<string, { last: Promise<void>; length: number }>()
  return {
    isFull: (key: string): boolean => (queues.get(key)?.length ?? 0) >= known.queue,
    async wait(key: string, ms: number): Promise<void> {
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
      queues.set(key, queue)
      queue.length++
      queue.last = queue.last.then(() => pause(ms))
      await queue.last
      if (--queue.length === 0) queues.delete(key)
    },
  }
}

/**
 * Slows down guesses without locking out the owner of an account. Failures are counted by place, by place and account,
 * and by account. Beyond the free attempts, the wait before the next attempt doubles with each failure. Attempts that
 * are refused unchecked do not count. None of this applies to a place from which the user has signed in before: other
 * places cannot use up its attempts, and a right secret is always checked. There, attempts beyond the free ones run one
 * after the other, at most a few per second, later one per second. `most` limits the attempts per hour. They are
 * counted separately for each place with an earlier sign-in, and for all other places together.
 */
export const createLoginThrottling = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing'>,
  options: LoginThrottlingOptions,
): LoginThrottling => {
  const { db, counters, clock, signing } = deps
  const { kind, free, most, message } = options
  const queues = createQueues(options.pause ?? wait)

  const count = async ({ key, free: allowed, longestMs, most: limit }: Limit): Promise<void> => {
    const tries = await counters.increment(key, 1, windowMs)
    if (limit !== undefined && tries > limit) {
      await counters.increment(key, -1, windowMs)
      throw rateLimited(message, windowMs)
    }
    if (tries <= allowed) return
    const over = tries - allowed - 1
    // The first attempt after a wait is allowed, and starts the next wait.
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
    const tries = await counters.increment(key, 1, windowMs)
    const failures = tries - free.perEmailAndIp - 1
    const back = async (): Promise<void> => void (await takeBack([key], counters))
    if (most !== undefined && tries > most.perKnownPlace) {
      await back()
      throw rateLimited(message, windowMs)
    }
    if (failures < 0) return back
    if (queues.isFull(key)) {
      await back()
      throw rateLimited(message, known.longestWaitMs)
    }
    await queues.wait(key, waitMs(failures, known.firstWaitMs, known.longestWaitMs))
    return back
  }

  return {
    async enter(email, ip) {
      const [hidden, place] = [hiddenAddress(email), networkOf(ip)]
      if (await isKnownPlace(db, { email, ip, now: clock(), signing }))
        return await enterKnown(`${kind}:known:${hidden}:${place}`)
      // The limit of the place comes first, so that one place can neither use up shared limits nor fill the memory with
      // counters.
      return await enterUnknown([
        { key: `${kind}:${place}`, free: free.perIp, longestMs: longestWaitMs.shared },
        { key: `${kind}:${hidden}:${place}`, free: free.perEmailAndIp, longestMs: longestWaitMs.pair },
        {
          key: `${kind}:${hidden}`,
          free: free.perEmail,
          longestMs: longestWaitMs.shared,
          ...(most === undefined ? {} : { most: most.elsewhere }),
        },
      ])
    },
  }
}

/**
 * Applies the throttling. Records only the first refusal per hour of an account and place, because all of them would
 * fill the log.
 */
export const notingLockOut =
  ({ counters }: Pick<ControlDeps, 'counters'>, records: SignInRecords, throttling: LoginThrottling) =>
  async (given: { action: `users.${string}`; email: string; client: Client }): Promise<() => Promise<void>> => {
    const { action, email, client } = given
    try {
      return await throttling.enter(email, client.ip)
    } catch (error) {
      const key = `${action}:noted:${hiddenAddress(email)}:${networkOf(client.ip)}`
      if (error instanceof AppError && (await counters.increment(key, 1, windowMs)) === 1)
        await records.failed({ ...given, failure: 'too_many_tries' })
      throw error
    }
  }
