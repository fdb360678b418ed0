import type { Coordination } from '@tributary/storage'

/**
 * Topic on which it is published about once a second, by partition, below which offset every request is stored and its events are in the
 * stream; `unknownPosition` of partitions that are processed elsewhere, of which nothing new is known.
 */
export const positionsTopic = 'pipeline.positions'

/** Stands for an offset that the one who publishes does not know. */
export const unknownPosition = -1

export type StoredPositions = {
  /** Resolves when every request of a partition before the offset is stored; rejects once it is closed. */
  whenStored(partition: number, offset: number): Promise<void>
  /** Whether every request of a partition before the offset is known to be stored. */
  isStored(partition: number, offset: number): boolean
  /** Whether the requests before one of the ends of partitions are known not to be stored yet. */
  isBehind(ends: readonly number[]): boolean
  /** Follows no longer; who waits is told. */
  close(): void
}

type Waiter = { partition: number; offset: number; resolve(): void; reject(error: Error): void }

/** Follows how far the pipeline is, in whatever thread it runs; while nothing is heard of it, waiting goes on. */
export const followStoredPositions = (coordination: Pick<Coordination, 'subscribe'>): StoredPositions => {
  let latest: readonly number[] = []
  let waiters: Waiter[] = []
  let closed = false
  const isStored = ({ partition, offset }: Pick<Waiter, 'partition' | 'offset'>): boolean =>
    (latest[partition] ?? -1) >= offset
  const unsubscribe = coordination.subscribe(positionsTopic, (message) => {
    const told = Array.isArray(message) ? message.map(Number) : []
    latest = told.map((offset, partition) => (offset === unknownPosition ? (latest[partition] ?? offset) : offset))
    const done = waiters.filter(isStored)
    waiters = waiters.filter((waiter) => !done.includes(waiter))
    for (const { resolve } of done) resolve()
  })
  const ended = (): Error => new Error('The positions of the pipeline are not followed any more')
  return {
    whenStored: (partition, offset) =>
      new Promise((resolve, reject) => {
        const waiter = { partition, offset, resolve, reject }
        if (closed) reject(ended())
        else if (isStored(waiter)) resolve()
        else waiters.push(waiter)
      }),
    isStored: (partition, offset) => isStored({ partition, offset }),
    isBehind: (ends) => latest.length > 0 && ends.some((offset, partition) => !isStored({ partition, offset })),
    close() {
      closed = true
      unsubscribe()
      for (const { reject } of waiters) reject(ended())
      waiters = []
    },
  }
}
