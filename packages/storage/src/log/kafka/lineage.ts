import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from './batches.ts'
import { type Control, incarnationOf } from './control.ts'

const lookMs = 50

/** Which incarnation what is read is of, also what was appended beside the log's writer. */
export type Lineage = {
  /** The same whoever asks, and whenever: it follows from the place, and from openings that were written down. */
  incarnationOf(partition: number, batch: Batch): Promise<string>
  /** Whether it is known what became of an opening whose batch in a partition was met: written down, or given up. */
  isSettled(incarnation: string): boolean
  /** Resolves when it is. */
  settle(incarnation: string): Promise<void>
}

/** Of a log that its writer has alone each batch says it. */
export const createLineage = (control: Control, isShared: boolean, isClosed: () => boolean): Lineage => {
  let read: Promise<void> | undefined
  const isSettled = (incarnation: string): boolean =>
    !isShared ||
    incarnation < (control.newest() ?? '') ||
    control.openings().some((opening) => incarnationOf(opening) === incarnation)
  return {
    async incarnationOf(partition, { base, head }) {
      if (head?.w !== 1) return head?.i ?? ''
      read ??= control.refresh()
      try {
        await read
      } catch (error) {
        read = undefined
        throw error
      }
      return control.incarnationAt(partition, base)
    },
    isSettled,
    async settle(incarnation) {
      for (;;) {
        await control.refresh()
        if (isSettled(incarnation) || isClosed()) return
        await pause(lookMs)
      }
    },
  }
}
