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
   * Resolves, after `roundMs` at the earliest, when there is news in a lane of `next` (lane → offset) that is
   * not under back-pressure; where some are, also when back-pressure ended since the round began.
   */
  wait(next: ReadonlyMap<number, number>, backPressured: ReadonlySet<number>): Promise<void>
}

/** Waits for something to do: records that are new, or the end of back-pressure for those that had to wait. */
export const createNews = ({
  reader,
  roundMs,
  partitionOf = (lane) => lane,
}: {
  reader: Pick<LogReader, 'wait'>
  roundMs: number
  /** The partition that a lane reads. */
  partitionOf?(lane: number): number
}): News => {
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
      const from = [...next].filter(([lane]) => !backPressured.has(lane))
      await reader.wait(
        from.map(([lane, offset]) => ({ partition: partitionOf(lane), offset })),
        signal,
      )
    },
  }
}
