import type { Coordination } from '@tributary/storage'

/**
 * Topic of the stored positions, published within a second of each change, and every few seconds. For each partition it has an offset: every earlier
 * request is stored, and its events are in the stream. `unknownPosition` stands for partitions that another process
 * handles.
 */
export const positionsTopic = 'pipeline.positions'

/** The value in place of an offset that the publishing process does not have. */
export const unknownPosition = -1

export type StoredPositions = {
  /** Resolves when every request of a partition before the offset is stored; rejects after `close`. */
  whenStored(partition: number, offset: number): Promise<void>
  /** Whether every request of a partition before the offset is known to be stored. */
  isStored(partition: number, offset: number): boolean
  /** Whether some request before the ends of the partitions is known not to be stored yet. */
  isBehind(ends: readonly number[]): boolean
  /** Stops following, and rejects the waiters. */
  close(): void
}

type Waiter = { partition: number; offset: number; resolve(): void; reject(error: Error): void }

/** Follows the progress of the pipeline, in any thread. Waits continue while there are no reports. */
export const followStoredPositions = (coordination: Pick<Coordination, 'subscribe'>): StoredPositions => {
  let latest: readonly number[] = []
  let waiters: Waiter[] = []
  let closed = false
  const isStored = ({ partition, offset }: Pick<Waiter, 'partition' | 'offset'>): boolean =>
    (latest[partition] ?? -1) >= offset
  const unsubscribe = coordination.subscribe(positionsTopic, (message) => {
    const positions = Array.isArray(message) ? message.map(Number) : []
    latest = positions.map((offset, partition) => (offset === unknownPosition ? (latest[partition] ?? offset) : offset))
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
