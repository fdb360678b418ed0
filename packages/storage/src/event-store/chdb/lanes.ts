import { tooBusy } from './engine-error.ts'

export type LaneOptions = { name: string; maxQueue: number; maxWaitMs: number }

export type Lane<T> = {
  /**
   * Runs the work on a free worker, in order of arrival. Refused with code 202 when the queue is full or the wait too
   * long; a signal that is aborted while it waits takes it out of the queue.
   */
  run<R>(signal: AbortSignal, work: (worker: T) => Promise<R>): Promise<R>
  /** Works waiting and running. */
  load(): { waiting: number; running: number }
}

type Waiting<T> = { start(worker: T): void }

/** A bounded queue in front of workers that do one thing at a time. */
export const createLane = <T>(workers: readonly T[], { name, maxQueue, maxWaitMs }: LaneOptions): Lane<T> => {
  const free = [...workers]
  const queue: Waiting<T>[] = []

  const acquire = (signal: AbortSignal): Promise<T> => {
    const worker = free.pop()
    if (worker !== undefined) return Promise.resolve(worker)
    if (queue.length >= maxQueue) return Promise.reject(tooBusy(`Too many queries are waiting in the lane '${name}'`))
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        const index = queue.indexOf(waiting)
        if (index >= 0) queue.splice(index, 1)
        settle()
        reject(error)
      }
      const late = setTimeout(
        () => leave(tooBusy(`The query waited longer than ${maxWaitMs} ms in the lane '${name}'`)),
        maxWaitMs,
      )
      const onAbort = (): void => leave(tooBusy('The client has gone'))
      const settle = (): void => {
        clearTimeout(late)
        signal.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting<T> = {
        start(next) {
          settle()
          resolve(next)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.push(waiting)
    })
  }

  const release = (worker: T): void => {
    const next = queue.shift()
    if (next === undefined) free.push(worker)
    else next.start(worker)
  }

  return {
    async run(signal, work) {
      if (signal.aborted) throw tooBusy('The client has gone')
      const worker = await acquire(signal)
      try {
        return await work(worker)
      } finally {
        release(worker)
      }
    },
    load: () => ({ waiting: queue.length, running: workers.length - free.length }),
  }
}
