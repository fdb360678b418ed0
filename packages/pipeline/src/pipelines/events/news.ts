import type { LogReader } from '@tributary/storage'
import { pause } from '../../retrying.ts'

export type News = {
  /** A round begins: back-pressure that ends from now on ends the wait behind it. */
  beginRound(): void
  /** Back-pressure ended. */
  drained(): void
  /** Nothing more is to be read: ends every wait. */
  close(): void
  /**
   * Resolves, after `roundMs` at the earliest, when there is news in a partition of `next` (partition → offset) that is
   * not under back-pressure; where some are, also when back-pressure ended since the round began.
   */
  wait(next: ReadonlyMap<number, number>, backPressured: ReadonlySet<number>): Promise<void>
}

/** Waits for something to do: records that are new, or the end of back-pressure for those that had to wait. */
export const createNews = ({ reader, roundMs }: { reader: Pick<LogReader, 'wait'>; roundMs: number }): News => {
  const reading = new AbortController()
  /** Aborted when back-pressure ends: a new one for each round, so that none is missed. */
  let drain = new AbortController()
  return {
    beginRound() {
      drain = new AbortController()
    },
    drained: () => drain.abort(),
    close() {
      reading.abort()
      drain.abort()
    },
    async wait(next, backPressured) {
      const { signal } = backPressured.size > 0 ? drain : reading
      await pause(roundMs, signal)
      const from = [...next].filter(([partition]) => !backPressured.has(partition))
      await reader.wait(
        from.map(([partition, offset]) => ({ partition, offset })),
        signal,
      )
    },
  }
}
