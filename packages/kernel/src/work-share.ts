import { rateLimited } from './errors.ts'
import { boundToWork, signalOfWork } from './thread-board.ts'

/** Limits for the thread time that untrusted work of tenants may take. */
export type WorkShareSettings = {
  /** The share of the thread's time that expensive work of one key may take, 0 to 1. */
  share: number
  /** The share of the thread's time that expensive work of all keys together may take, 0 to 1. */
  together: number
  /** The debt that is allowed before a key has to wait, in ms. */
  burstMs: number
  /** The free time of each piece of work, in ms, so that common work is never slowed down. */
  freeMs: number
  /** Maximum waiting jobs of one key. */
  waiting: number
  /**
   * The maximum debt of a key, or of all keys together, in ms. A key that used more time does not wait for all of it.
   */
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
 * Shares a thread among tenants whose own code it runs, such as templates. A tenant that exceeds its share waits, and
 * no other does: other tenants continue immediately, and the event loop is served between two jobs.
 */
export type WorkShare = {
  /** Returns the ms until the key may start work; 0 if the key has not exceeded its share. */
  wait(key: string): number
  /**
   * Runs work of a key now and charges the processor time. `pieces` returns the maximum number of pieces of work in it.
   */
  run<T>(key: string, work: () => T, pieces?: () => number): T
  /** Charges a key for time that was not measured per piece, such as reading the data that it sent. */
  charge(key: string, ms: number): void
  /**
   * Runs a job when it is the key's turn: one job at a time, keys in turns, each job in its own round of the event
   * loop. Returns false if too many jobs of the key wait. A job must not throw. A job whose signal aborts before its
   * turn leaves the queue and never runs.
   */
  later(key: string, job: () => void, pieces?: () => number, signal?: AbortSignal): boolean
  /** Queues the remaining part of a job that has begun, like `later`, but without a limit on waiting jobs. */
  resume(key: string, job: () => void, pieces?: () => number): void
  /** Returns the number of keys whose used time is stored. */
  remembered(): number
}

type Account = { debtMs: number; at: number }

const one = (): number => 1

/** Number of stored keys above which idle ones are removed. */
const fewAccounts = 1024

/**
 * Time in ms for which a key without debt is still stored after expensive work, so that it counts toward all keys
 * together. Otherwise many keys could take turns with short work.
 */
const rememberedMs = 10_000

/** Returns the processor time of this thread, in ms. It excludes work of other threads on the same processor. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Creates a work share without debts. `now` is a monotonic clock in ms, by which debts decrease. `worked` returns the
 * ms of work done so far. Its default is `now` if given, otherwise the thread's processor time.
 */
export const createWorkShare = (
  given: Partial<WorkShareSettings> = {},
  now?: () => number,
  worked: () => number = now ?? threadMs,
): WorkShare => createShare({ ...defaultWorkShare, ...given }, now ?? (() => performance.now()), worked)

/** The debts of keys, and of all keys together. */
const createAccounts = (settings: WorkShareSettings, now: () => number) => {
  const accounts = new Map<string, Account>()
  let sweepAt = fewAccounts
  const together: Account = { debtMs: 0, at: 0 }

  const debtOf = ({ debtMs, at }: Account, share: number): number => Math.max(0, debtMs - (now() - at) * share)
  const waitOf = (account: Account, share: number): number =>
    Math.max(0, debtOf(account, share) - settings.burstMs) / share

  const waitTogether = (): number => waitOf(together, settings.together)

  const isForgotten = (account: Account): boolean =>
    debtOf(account, settings.share) === 0 && now() - account.at > rememberedMs

  /** Removes idle keys. Anyone can cause new keys, for example one per network, so stored keys must not accumulate. */
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
    return Math.max(waitOf(account, settings.share), waitTogether())
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

  return { wait, waitTogether, charge, remembered: () => accounts.size }
}

type Waiting = { job: () => void; pieces: () => number }

/** Wraps a job so that it leaves the queue if the signal aborts before it runs. */
const unlessGone = (job: () => void, signal: AbortSignal, leave: () => void): (() => void) => {
  signal.addEventListener('abort', leave, { once: true })
  return () => {
    signal.removeEventListener('abort', leave)
    job()
  }
}

const createShare = (settings: WorkShareSettings, now: () => number, worked: () => number): WorkShare => {
  const { wait, waitTogether, charge, remembered } = createAccounts(settings, now)
  const queues = new Map<string, Waiting[]>()
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined

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
      // The key that had a turn moves to the end.
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
    // A key never waits for less time than all keys together.
    const least = waitTogether()
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
    remembered,
  }
}

/**
 * Runs work of a key immediately, or when it is the key's turn. Rejects with 429 RATE_LIMITED if too many jobs of the
 * key wait, with the reason of the signal if the signal aborts first, and with errors of the work. The default signal
 * is that of the current call (`inWork`).
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
