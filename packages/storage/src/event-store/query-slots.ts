import { createQueue } from '@tributary/kernel'

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

/** Bounded queues, one for each key, in front of workers that do one thing at a time. */
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
