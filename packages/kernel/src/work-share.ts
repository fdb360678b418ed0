import { rateLimited } from './errors.ts'

/** Bounds of what strangers' work may take of a thread. */
export type WorkShareSettings = {
  /** Part of the thread's time that one key may take for expensive work, and that all keys together may. */
  share: number
  together: number
  /** What may be taken at once before the share counts, ms. */
  burstMs: number
  /** What each piece of work may take without counting, ms: common work is never slowed down. */
  freeMs: number
  /** Jobs that wait for their turn, of one key. */
  waiting: number
}

export const defaultWorkShare: WorkShareSettings = {
  share: 0.25,
  together: 0.5,
  burstMs: 50,
  freeMs: 0.25,
  waiting: 16,
}

/**
 * Shares a thread among tenants whose own code it runs, such as templates. What one of them takes beyond its share makes
 * it wait, and nobody else: the others go on at once, and the event loop is served between any two jobs.
 */
export type WorkShare = {
  /** Ms until the key may begin something; 0 for whoever has taken no more than its share. */
  wait(key: string): number
  /** Runs work of a key now and counts the time that it takes; `pieces` says how many pieces of work it is at most. */
  run<T>(key: string, work: () => T, pieces?: () => number): T
  /** Counts ms of work of a key that were not measured one by one, such as reading what it sent. */
  charge(key: string, ms: number): void
  /**
   * Runs a job when it is the key's turn: one at a time, the keys in turns, each in an own round of the event loop. False
   * when too many of its jobs wait already. A job must not throw.
   */
  later(key: string, job: () => void, pieces?: () => number): boolean
  /** Runs the rest of a job that has begun as `later` does, however much of its key waits. */
  resume(key: string, job: () => void, pieces?: () => number): void
  /** Keys of which anything is remembered. */
  remembered(): number
}

type Account = { debtMs: number; at: number }

const one = (): number => 1

/** Accounts that are kept before those that owe nothing any more are looked for. */
const fewAccounts = 1024

/** So long after expensive work a key counts among those that have a share together: many could take short turns else. */
const rememberedMs = 10_000

/** A share with nothing taken of it. `now` gives ms of a clock that does not jump. */
export const createWorkShare = (
  given: Partial<WorkShareSettings> = {},
  now: () => number = () => performance.now(),
): WorkShare => {
  const settings = { ...defaultWorkShare, ...given }
  const accounts = new Map<string, Account>()
  let sweepAt = fewAccounts
  const together: Account = { debtMs: 0, at: 0 }
  const queues = new Map<string, { job: () => void; pieces: () => number }[]>()
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined

  const debtOf = ({ debtMs, at }: Account, share: number): number => Math.max(0, debtMs - (now() - at) * share)
  const waitOf = (account: Account, share: number): number =>
    Math.max(0, debtOf(account, share) - settings.burstMs) / share

  const isForgotten = (account: Account): boolean =>
    debtOf(account, settings.share) === 0 && now() - account.at > rememberedMs

  /** Keys may be anybody's, such as networks: what they leave behind does not add up. */
  const sweep = (): void => {
    for (const [key, account] of accounts) if (isForgotten(account)) accounts.delete(key)
    sweepAt = Math.max(fewAccounts, 2 * accounts.size)
  }

  const wait = (key: string): number => {
    const account = accounts.get(key)
    if (account === undefined) return 0
    if (isForgotten(account)) {
      accounts.delete(key)
      return 0
    }
    return Math.max(waitOf(account, settings.share), waitOf(together, settings.together))
  }

  const charge = (key: string, ms: number): void => {
    if (ms <= 0) return
    const account = accounts.get(key) ?? { debtMs: 0, at: 0 }
    accounts.set(key, { debtMs: debtOf(account, settings.share) + ms, at: now() })
    if (accounts.size >= sweepAt) sweep()
    Object.assign(together, { debtMs: debtOf(together, settings.together) + ms, at: now() })
  }

  const run: WorkShare['run'] = (key, work, pieces = one) => {
    const started = now()
    try {
      return work()
    } finally {
      charge(key, now() - started - settings.freeMs * pieces())
    }
  }

  const turn = (): void => {
    soon = undefined
    for (const [key, queue] of queues) {
      if (wait(key) > 0) continue
      const next = queue.shift()
      // Whoever had a turn stands last.
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      if (next !== undefined) run(key, next.job, next.pieces)
      break
    }
    schedule()
  }

  const schedule = (): void => {
    if (soon !== undefined || queues.size === 0) return
    clearTimeout(later)
    // Nobody's turn comes before that of all together.
    const least = waitOf(together, settings.together)
    let soonest = Number.POSITIVE_INFINITY
    for (const key of queues.keys()) {
      soonest = Math.min(soonest, wait(key))
      if (soonest <= least) break
    }
    if (soonest === 0) soon = setImmediate(turn)
    else later = setTimeout(turn, Math.ceil(soonest))
  }

  const resume: WorkShare['resume'] = (key, job, pieces = one) => {
    const queue = queues.get(key) ?? []
    queue.push({ job, pieces })
    queues.set(key, queue)
    schedule()
  }

  return {
    wait,
    run,
    charge,
    later: (key, job, pieces) => {
      if ((queues.get(key)?.length ?? 0) >= settings.waiting) return false
      resume(key, job, pieces)
      return true
    },
    resume,
    remembered: () => accounts.size,
  }
}

/**
 * Runs work of a key at once, or when it is its turn. Rejects with 429 RATE_LIMITED when too much of the key's waits, and
 * with whatever the work throws.
 */
export const takeTurn = async <T>(share: WorkShare, key: string, work: () => T): Promise<T> => {
  if (share.wait(key) === 0) return share.run(key, work)
  return await new Promise<T>((resolve, reject) => {
    const job = (): void => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    }
    if (!share.later(key, job))
      reject(rateLimited('Templates and conditions of this workspace take more time than their share; try again', 5000))
  })
}
