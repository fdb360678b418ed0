import { createQueue } from '@tributary/kernel'

/**
 * The reason why a job is not run: the queue of its key or the whole queue is full, the job waited too long, or its
 * caller has gone.
 */
export type SlotRejection = 'key-full' | 'full' | 'late' | 'gone'

export type QuerySlotsOptions = {
  /** Maximum running jobs of one key; by default one less than the workers, so that another key finds one free. */
  perKey?: number
  /** Maximum waiting jobs of all keys; beyond it, each key may still have one. */
  maxQueue: number
  /** Maximum waiting jobs of one key. */
  maxQueuePerKey: number
  maxWaitMs: number
  /** Creates the error of a job that is not run; `own` is true if only jobs of the same key are the cause. */
  refuse(why: SlotRejection, own: boolean): Error
}

export type QuerySlots<T> = {
  /**
   * Runs the job on a free worker. Jobs of a key start in order of arrival, keys take turns, and a key that has reached
   * its maximum of running jobs waits. Rejects with the error of `refuse` if too many jobs wait, after the maximum
   * wait, and if the signal is aborted before the job starts.
   */
  run<R>(key: string, signal: AbortSignal, work: (worker: T) => Promise<R>): Promise<R>
  /** The number of waiting and running jobs. */
  load(): { waiting: number; running: number }
}

/** Creates bounded queues, one per key, for workers that do one job at a time. */
export const createQuerySlots = <T extends number | object>(
  workers: readonly T[],
  options: QuerySlotsOptions,
): QuerySlots<T> => {
  const { perKey = Math.max(1, workers.length - 1), maxQueue, maxQueuePerKey, maxWaitMs, refuse } = options
  const free = [...workers]
  const queue = createQueue({
    total: workers.length,
    shares: { workspace: perKey },
    turns: 'workspace',
    waiting: maxQueue,
    waitingShares: { workspace: maxQueuePerKey },
    maxWaitMs,
    refuse: (why, bound) => refuse(why === 'own-full' ? 'key-full' : why, bound === 'workspace'),
  })
  return {
    run: (key, signal, work) =>
      queue.run({ workspace: key }, signal, async () => {
        const worker = free.pop()
        if (worker === undefined) throw new Error('A place was given without a worker')
        try {
          return await work(worker)
        } finally {
          free.push(worker)
        }
      }),
    load: queue.load,
  }
}
