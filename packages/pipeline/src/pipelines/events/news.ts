import type { LogReader } from '@tributary/storage'
import { pause } from '../../retrying.ts'

export type News = {
  /** A round begins: room that becomes free from now on ends the wait behind it. */
  beginRound(): void
  /** Room became free. */
  roomFreed(): void
  /** Nothing more is to be read: ends every wait. */
  close(): void
  /**
   * Resolves, after `roundMs` at the earliest, when there is news in a partition of `next` (partition → offset) that is
   * not held; where some are held, also when room became free since the round began.
   */
  wait(next: ReadonlyMap<number, number>, held: ReadonlySet<number>): Promise<void>
}

/** Waits for something to do: records that are new, or room for those that had to wait. */
export const createNews = ({ reader, roundMs }: { reader: Pick<LogReader, 'wait'>; roundMs: number }): News => {
  const reading = new AbortController()
  /** Aborted when room becomes free: a new one for each round, so that none is missed. */
  let room = new AbortController()
  return {
    beginRound() {
      room = new AbortController()
    },
    roomFreed: () => room.abort(),
    close() {
      reading.abort()
      room.abort()
    },
    async wait(next, held) {
      const { signal } = held.size > 0 ? room : reading
      await pause(roundMs, signal)
      const from = [...next].filter(([partition]) => !held.has(partition))
      await reader.wait(
        from.map(([partition, offset]) => ({ partition, offset })),
        signal,
      )
    },
  }
}
