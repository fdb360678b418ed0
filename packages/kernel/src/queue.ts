import {
  createPool,
  type HolderKind,
  type Holders,
  type PoolBound,
  type PoolHold,
  type PoolOptions,
  type Shares,
} from './pool.ts'

/** Why work is not run: its own or the whole queue is full, it waited too long, or its caller has gone. */
export type QueueRejection = 'own-full' | 'full' | 'late' | 'gone'

export type QueueOptions = PoolOptions & {
  /** The kind whose holders take turns, each with a queue of its own. */
  turns: HolderKind
  /** Work that waits, of all holders; beyond it a queue that is empty still takes one. */
  waiting: number
  /** Work that waits of one holder of each kind. */
  waitingShares: Shares
  maxWaitMs: number
  /** The error of work that is not run; `bound` is what kept it from a place. */
  refuse(why: QueueRejection, bound: PoolBound): Error
}

/** Places of a pool in front of which work waits for its turn. */
export type Queue = {
  /**
   * Runs work in a place of its holders. Work of a queue starts in order of arrival unless a share is taken, and queues take turns.
   * Rejects with the error of `refuse` when too much waits, after the longest wait, and when the signal is aborted before the start.
   */
  run<T>(holders: Holders, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Work that waits and that runs. */
  load(): { waiting: number; running: number }
}

/** A piece of work that waits, and what starts it in a place. */
type Waiting = { holders: Holders; start(hold: PoolHold): void }

/** Creates a queue in which nothing waits. */
export const createQueue = (options: QueueOptions): Queue => {
  const { turns, waitingShares, maxWaitMs, refuse } = options
  const places = createPool(options)
  /** The waiting calls are a pool, too: each holder has a share of it. The total is checked separately. */
  const waiting = createPool({ total: Number.POSITIVE_INFINITY, shares: waitingShares })
  /** Queues in the order of their next turn. */
  const queues = new Map<string, Waiting[]>()
  const nameOf = (holders: Holders): string => holders[turns] ?? ''

  /** Starts whatever has a place, in turns. */
  const startNext = (): void => {
    for (const [name, queue] of queues) {
      const index = queue.findIndex(({ holders }) => places.bound(holders) === undefined)
      const [next] = index < 0 ? [] : queue.splice(index, 1)
      const hold = next === undefined ? undefined : places.take(next.holders)
      if (next === undefined || hold === undefined) continue
      // The queue that had its turn stands last.
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
    const name = nameOf(holders)
    const bound = (): PoolBound => places.bound(holders) ?? 'total'
    const own = queues.get(name)
    const isFull = own !== undefined && waiting.held() >= options.waiting
    const seat = waiting.take(holders)
    if (seat === undefined) throw refuse('own-full', waiting.bound(holders) ?? turns)
    if (isFull) {
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
        reject(refuse(why, bound()))
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
