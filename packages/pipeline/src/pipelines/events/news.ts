import type { LogReader } from '@tributary/storage'
import { pause } from '../../retrying.ts'

export type News = {
  /** Begins a round: back-pressure that ends from now on ends the wait after it. */
  beginRound(): void
  /** Notes that back-pressure ended. */
  drained(): void
  /** Ends every wait: nothing more is to be read. */
  close(): void
  /**
   * Resolves, after `roundMs` at the earliest, when a lane of `next` (lane → offset) without back-pressure has new
   * records. With lanes under back-pressure, it also resolves when back-pressure ended since the round began.
   */
  wait(next: ReadonlyMap<number, number>, backPressured: ReadonlySet<number>): Promise<void>
}

/** Waits for work: new records, or the end of back-pressure. */
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
  /** Aborted when back-pressure ends; a new one for each round, so that no end is missed. */
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
