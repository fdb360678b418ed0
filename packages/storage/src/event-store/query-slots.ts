/** Why a work is not run: its key's queue or the whole queue is full, it waited too long, its caller has gone. */
export type SlotRejection = 'key-full' | 'full' | 'late' | 'gone'

export type QuerySlotsOptions = {
  /** Works of one key that run at a time; one less than there are workers unless said, so that another key finds one. */
  perKey?: number
  /** Works that wait, of all keys; beyond them a key may still have one. */
  maxQueue: number
  /** Works of one key that wait. */
  maxQueuePerKey: number
  maxWaitMs: number
  /** The error of a work that is not run; `own` when nothing but works of the same key is in its way. */
  refuse(why: SlotRejection, own: boolean): Error
}

export type QuerySlots<T> = {
  /**
   * Runs the work on a free worker. Works of a key start in order of arrival, keys take turns, and a key that has as many
   * works running as it may waits, whatever is free. Rejects with the error of `refuse` when too much waits already, after
   * the longest wait, and when the signal is aborted before the work starts.
   */
  run<R>(key: string, signal: AbortSignal, work: (worker: T) => Promise<R>): Promise<R>
  /** Works waiting and running. */
  load(): { waiting: number; running: number }
}

type Waiting<T> = { start(worker: T): void }

/** Bounded queues, one for each key, in front of workers that do one thing at a time. */
export const createQuerySlots = <T extends number | object>(
  workers: readonly T[],
  options: QuerySlotsOptions,
): QuerySlots<T> => {
  const { perKey = Math.max(1, workers.length - 1), maxQueue, maxQueuePerKey, maxWaitMs, refuse } = options
  const free = [...workers]
  const running = new Map<string, number>()
  /** Keys in the order of their next turn. */
  const queues = new Map<string, Waiting<T>[]>()
  let waitingCount = 0

  const runningOf = (key: string): number => running.get(key) ?? 0
  const ownOnly = (key: string): boolean => runningOf(key) >= perKey

  const take = (key: string, worker: T): T => {
    running.set(key, runningOf(key) + 1)
    return worker
  }

  const refusalOf = (key: string): Error | undefined => {
    const own = queues.get(key)?.length ?? 0
    if (own >= maxQueuePerKey) return refuse('key-full', true)
    return own > 0 && waitingCount >= maxQueue ? refuse('full', false) : undefined
  }

  const leave = (key: string, waiting: Waiting<T>): void => {
    const queue = queues.get(key) ?? []
    const index = queue.indexOf(waiting)
    if (index < 0) return
    queue.splice(index, 1)
    waitingCount -= 1
    if (queue.length === 0) queues.delete(key)
  }

  const queued = (key: string, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(late)
        signal.removeEventListener('abort', onAbort)
      }
      const give = (why: SlotRejection): void => {
        leave(key, waiting)
        settle()
        reject(refuse(why, ownOnly(key)))
      }
      const onAbort = (): void => give('gone')
      const late = setTimeout(() => give('late'), maxWaitMs)
      const waiting: Waiting<T> = {
        start(worker) {
          settle()
          resolve(take(key, worker))
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, [waiting])
      else queue.push(waiting)
      waitingCount += 1
    })

  const acquire = async (key: string, signal: AbortSignal): Promise<T> => {
    if (runningOf(key) < perKey) {
      const worker = free.pop()
      if (worker !== undefined) return take(key, worker)
    }
    const refusal = refusalOf(key)
    if (refusal !== undefined) throw refusal
    return await queued(key, signal)
  }

  /** The next key that may run something. */
  const startNext = (): void => {
    for (const [key, queue] of queues) {
      if (ownOnly(key)) continue
      const worker = free.pop()
      const next = worker === undefined ? undefined : queue.shift()
      if (worker === undefined || next === undefined) return
      waitingCount -= 1
      // Whoever had a turn stands last.
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      next.start(worker)
      return
    }
  }

  const release = (key: string, worker: T): void => {
    const left = runningOf(key) - 1
    if (left > 0) running.set(key, left)
    else running.delete(key)
    free.push(worker)
    startNext()
  }

  return {
    async run(key, signal, work) {
      if (signal.aborted) throw refuse('gone', false)
      const worker = await acquire(key, signal)
      try {
        return await work(worker)
      } finally {
        release(key, worker)
      }
    },
    load: () => ({ waiting: waitingCount, running: workers.length - free.length }),
  }
}
