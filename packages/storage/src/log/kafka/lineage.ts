import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from './batches.ts'
import { type Control, incarnationOf } from './control.ts'

const lookMs = 50

/** The incarnations of records, including those appended next to the log's writer. */
export type Lineage = {
  /**
   * The incarnation of a batch, the same for every caller at any time: it follows from the position, and from recorded
   * openings.
   */
  incarnationOf(partition: number, batch: Batch): Promise<string>
  /** Whether an opening, whose batch was found in a partition, is recorded or abandoned. */
  isSettled(incarnation: string): boolean
  /** Resolves when the opening is recorded or abandoned. */
  settle(incarnation: string): Promise<void>
}

/** Creates the lineage of a log. In a log with a single writer, the head of each batch has the incarnation. */
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
