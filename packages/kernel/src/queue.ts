import {
  createPool,
  type HolderKind,
  type Holders,
  type PoolBound,
  type PoolHold,
  type PoolOptions,
  type Shares,
} from './pool.ts'

/**
 * Why a job is not run: the holder's queue or the whole queue is full, the job waited too long, or its caller has
 * disconnected.
 */
export type QueueRejection = 'own-full' | 'full' | 'late' | 'gone'

export type QueueOptions = PoolOptions & {
  /** The kind whose holders take turns; each holder has its own queue. */
  turns: HolderKind
  /** Maximum waiting jobs of all holders. Beyond it, a holder without a waiting job can still add one. */
  waiting: number
  /** Maximum waiting jobs of one holder, by kind. */
  waitingShares: Shares
  maxWaitMs: number
  /** Creates the error of a job that is not run; `bound` is the limit that was reached. */
  refuse(why: QueueRejection, bound: PoolBound): Error
}

/** A pool with a limited number of slots. Jobs wait in queues for a free slot. */
export type Queue = {
  /**
   * Runs a job in a slot of its holders. Jobs of a queue start in order of arrival, except those whose holder has
   * reached its share, and queues take turns. Rejects with the error of `refuse` if too many jobs wait, after the
   * maximum wait, and if the signal is aborted before the start.
   */
  run<T>(holders: Holders, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Returns the numbers of waiting and running jobs. */
  load(): { waiting: number; running: number }
}

/** A waiting job, and the function that starts it. */
type Waiting = { holders: Holders; start(hold: PoolHold): void }

/** Creates an empty queue. */
export const createQueue = (options: QueueOptions): Queue => {
  const { turns, waitingShares, maxWaitMs, refuse } = options
  const places = createPool(options)
  /** A pool also limits waiting jobs: each holder has a share. The total is checked separately. */
  const waiting = createPool({ total: Number.POSITIVE_INFINITY, shares: waitingShares })
  /** Queues in the order of their next turn. */
  const queues = new Map<string, Waiting[]>()

  /** Starts the next job for which a slot is free, in turns. */
  const startNext = (): void => {
    for (const [name, queue] of queues) {
      const index = queue.findIndex(({ holders }) => places.bound(holders) === undefined)
      const [next] = index < 0 ? [] : queue.splice(index, 1)
      const hold = next === undefined ? undefined : places.take(next.holders)
      if (next === undefined || hold === undefined) continue
      // The queue that had its turn moves to the end of the order.
      queues.delete(name)
      if (queue.length > 0) queues.set(name, queue)
      next.start(hold)
      return
    }
  }

  const leave = (name: string, left: Waiting): void => {
    const queue = queues.get(name) ?? []
    const index = queue.indexOf(left)
    if (index < 0) return
    queue.splice(index, 1)
    if (queue.length === 0) queues.delete(name)
  }

  const wait = (holders: Holders, signal: AbortSignal): Promise<PoolHold> => {
    const name = holders[turns] ?? ''
    const own = queues.get(name)
    const seat = waiting.take(holders)
    if (seat === undefined) throw refuse('own-full', waiting.bound(holders) ?? turns)
    if (own !== undefined && waiting.held() > options.waiting) {
      seat.release()
      throw refuse('full', 'total')
    }
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        seat.release()
        clearTimeout(late)
        signal.removeEventListener('abort', onAbort)
      }
      const giveUp = (why: QueueRejection): void => {
        leave(name, entry)
        settle()
        reject(refuse(why, places.bound(holders) ?? 'total'))
      }
      const onAbort = (): void => giveUp('gone')
      const late = setTimeout(() => giveUp('late'), maxWaitMs)
      const entry: Waiting = {
        holders,
        start(hold) {
          settle()
          resolve(hold)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      if (own === undefined) queues.set(name, [entry])
      else own.push(entry)
    })
  }

  return {
    async run(holders, signal, work) {
      if (signal.aborted) throw refuse('gone', 'total')
      const hold = places.take(holders) ?? (await wait(holders, signal))
      try {
        return await work()
      } finally {
        hold.release()
        startNext()
      }
    },
    load: () => ({ waiting: waiting.held(), running: places.held() }),
  }
}
