import type { LogReader } from '@tributary/storage'
import { pause } from '../../retrying.ts'

export type News = {
  /** Begins a round. If back-pressure ends during the round, the wait after it ends at once. */
  beginRound(): void
  /** Called when back-pressure has ended. */
  drained(): void
  /** Ends the current wait and all later waits, because reading has ended. */
  close(): void
  /**
   * Resolves, after `restMs` at the earliest, when a lane of `next` (lane → offset) without back-pressure has new
   * records. With lanes under back-pressure, it also resolves when back-pressure ended since the round began.
   */
  wait(next: ReadonlyMap<number, number>, backPressured: ReadonlySet<number>, restMs: number): Promise<void>
}

/** Waits for work: new records, or the end of back-pressure. */
export const createNews = ({
  reader,
  partitionOf = (lane) => lane,
}: {
  reader: Pick<LogReader, 'wait'>
  /** The partition that a lane reads. */
  partitionOf?(lane: number): number
}): News => {
  const reading = new AbortController()
  /** Aborted when back-pressure ends. Each round has a new one, so that no end of back-pressure is missed. */
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
    async wait(next, backPressured, restMs) {
      const { signal } = backPressured.size > 0 ? drain : reading
      await pause(restMs, signal)
      const from = [...next].filter(([lane]) => !backPressured.has(lane))
      await reader.wait(
        from.map(([lane, offset]) => ({ partition: partitionOf(lane), offset })),
        signal,
      )
    },
  }
}
