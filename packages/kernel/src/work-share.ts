import { rateLimited } from './errors.ts'
import { boundToWork, signalOfWork } from './thread-board.ts'

/** Bounds of what strangers' work may take of a thread. */
export type WorkShareSettings = {
  /** Part of the thread's time that one key may take for expensive work, and that all keys together may. */
  share: number
  together: number
  /** The time that may be taken before the share counts, ms. */
  burstMs: number
  /** What each piece of work may take without counting, ms: common work is never slowed down. */
  freeMs: number
  /** Jobs that wait for their turn, of one key. */
  waiting: number
  /** The longest time that a key, or all together, can owe, ms: a key that took more does not wait for all of it. */
  maxDebtMs: number
}

export const defaultWorkShare: WorkShareSettings = {
  share: 0.25,
  together: 0.5,
  burstMs: 50,
  freeMs: 0.25,
  waiting: 16,
  maxDebtMs: 5000,
}

/**
 * Shares a thread among tenants whose own code it runs, such as templates. A tenant that takes more than its share
 * waits, and no other does: the others go on immediately, and the event loop is served between any two jobs.
 */
export type WorkShare = {
  /** Ms until the key may begin something; 0 for a key that has taken no more than its share. */
  wait(key: string): number
  /** Runs work of a key now and counts the processor time that it takes; `pieces` says how many pieces of work it is at most. */
  run<T>(key: string, work: () => T, pieces?: () => number): T
  /** Counts ms of work of a key that were not measured one by one, such as reading what it sent. */
  charge(key: string, ms: number): void
  /**
   * Runs a job when it is the key's turn: one at a time, the keys in turns, each in an own round of the event loop. False
   * when too many of its jobs wait already. A job must not throw. One whose signal aborts before its turn leaves the queue, and never runs.
   */
  later(key: string, job: () => void, pieces?: () => number, signal?: AbortSignal): boolean
  /** Runs the rest of a job that has begun as `later` does, however much of its key waits. */
  resume(key: string, job: () => void, pieces?: () => number): void
  /** Keys of which anything is remembered. */
  remembered(): number
}

type Account = { debtMs: number; at: number }

const one = (): number => 1

/** Accounts that are kept before those without debts are removed. */
const fewAccounts = 1024

/**
 * How long after expensive work a key counts among those that have a share together, ms: else many keys could take
 * short turns.
 */
const rememberedMs = 10_000

/** Processor time of this thread, ms: what others do on the same processor meanwhile is not in it. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * A share of which nothing is taken yet. The clock `now` gives ms and does not jump; by it debts are paid back. The
 * function `worked` gives the ms that work takes; both are the same where only a clock is given.
 */
export const createWorkShare = (
  given: Partial<WorkShareSettings> = {},
  now?: () => number,
  worked: () => number = now ?? threadMs,
): WorkShare => createShare({ ...defaultWorkShare, ...given }, now ?? (() => performance.now()), worked)

type Waiting = { job: () => void; pieces: () => number }

/** The job, which leaves when the signal aborts before it. */
const unlessGone = (job: () => void, signal: AbortSignal, leave: () => void): (() => void) => {
  signal.addEventListener('abort', leave, { once: true })
  return () => {
    signal.removeEventListener('abort', leave)
    job()
  }
}

const createShare = (settings: WorkShareSettings, now: () => number, worked: () => number): WorkShare => {
  const accounts = new Map<string, Account>()
  let sweepAt = fewAccounts
  const together: Account = { debtMs: 0, at: 0 }
  const queues = new Map<string, Waiting[]>()
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined

  const debtOf = ({ debtMs, at }: Account, share: number): number => Math.max(0, debtMs - (now() - at) * share)
  const waitOf = (account: Account, share: number): number =>
    Math.max(0, debtOf(account, share) - settings.burstMs) / share

  const isForgotten = (account: Account): boolean =>
    debtOf(account, settings.share) === 0 && now() - account.at > rememberedMs

  /** Removes idle accounts: keys may come from any caller, such as networks, and must not add up. */
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

  const owing = (account: Account, share: number, ms: number): Account => ({
    debtMs: Math.min(settings.maxDebtMs, debtOf(account, share) + ms),
    at: now(),
  })

  const charge = (key: string, ms: number): void => {
    if (ms <= 0) return
    const account = accounts.get(key) ?? { debtMs: 0, at: 0 }
    accounts.set(key, owing(account, settings.share, ms))
    if (accounts.size >= sweepAt) sweep()
    Object.assign(together, owing(together, settings.together, ms))
  }

  const run: WorkShare['run'] = (key, work, pieces = one) => {
    const started = worked()
    try {
      return work()
    } finally {
      charge(key, worked() - started - settings.freeMs * pieces())
    }
  }

  const turn = (): void => {
    soon = undefined
    for (const [key, queue] of queues) {
      if (wait(key) > 0) continue
      const next = queue.shift()
      // The key that had a turn goes to the end.
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
    // No key's turn comes before that of all together.
    const least = waitOf(together, settings.together)
    let soonest = Number.POSITIVE_INFINITY
    for (const key of queues.keys()) {
      soonest = Math.min(soonest, wait(key))
      if (soonest <= least) break
    }
    if (soonest === 0) soon = setImmediate(turn)
    else later = setTimeout(turn, Math.ceil(soonest))
  }

  const enqueue = (key: string, waiting: Waiting): void => {
    const queue = queues.get(key) ?? []
    queue.push(waiting)
    queues.set(key, queue)
    schedule()
  }

  const drop = (key: string, waiting: Waiting): void => {
    const left = (queues.get(key) ?? []).filter((each) => each !== waiting)
    if (left.length > 0) queues.set(key, left)
    else queues.delete(key)
  }

  return {
    wait,
    run,
    charge,
    later: (key, job, pieces = one, signal) => {
      if ((queues.get(key)?.length ?? 0) >= settings.waiting) return false
      if (signal?.aborted === true) return true
      const waiting: Waiting = { job, pieces }
      if (signal !== undefined) waiting.job = unlessGone(job, signal, () => drop(key, waiting))
      enqueue(key, waiting)
      return true
    },
    resume: (key, job, pieces = one) => enqueue(key, { job, pieces }),
    remembered: () => accounts.size,
  }
}

/**
 * Runs work of a key immediately, or when it is its turn. Rejects with 429 RATE_LIMITED when too many jobs of the key
 * wait, with the reason of the signal when that aborts before its turn, and with errors of the work. The signal is that
 * of the caller's call (`inWork`) unless another is given.
 */
export const takeTurn = async <T>(
  share: WorkShare,
  key: string,
  work: () => T,
  signal: AbortSignal | undefined = signalOfWork(),
): Promise<T> => {
  signal?.throwIfAborted()
  if (share.wait(key) === 0) return share.run(key, work)
  return await new Promise<T>((resolve, reject) => {
    const job = boundToWork((): void => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (!share.later(key, job, one, signal))
      reject(rateLimited('Templates and conditions of this workspace take more time than their share; try again', 5000))
  })
}
