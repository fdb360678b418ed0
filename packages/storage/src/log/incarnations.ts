import { randomInt } from 'node:crypto'
import type { JournalPlace } from './journal-port.ts'
import type { LogRecord } from './port.ts'

/** The incarnation of a range in a partition: from `from` to the beginning of the next one. */
export type IncarnationRange = { incarnation: string; from: number }

const timeDigits = 9
const randomDigits = 5

/**
 * Creates the name of an incarnation that begins now: its time (epoch ms in base 36) and random characters. No other
 * log has the same name, not even a clone or one restored from the same backup. It sorts after `before`, the previous
 * name in its log, whatever the clock says.
 */
export const newIncarnation = (before: string, now: number): string => {
  const last = before === '' ? 0 : Number.parseInt(before.slice(0, timeDigits), 36)
  const time = Math.max(now, last + 1)
    .toString(36)
    .padStart(timeDigits, '0')
  return (
    time +
    randomInt(36 ** randomDigits)
      .toString(36)
      .padStart(randomDigits, '0')
  )
}

export type SeenIncarnations = {
  /** Adds the incarnations of records, in their order. Records before the newest one have no effect. */
  saw(records: readonly Pick<LogRecord, 'partition' | 'offset' | 'incarnation'>[]): void
  /** The incarnation of the last record before an offset; undefined if no such record was read. */
  before(partition: number, offset: number): string | undefined
}

/** Incarnations of the records that a consumer has read. There are few, since only an opening of the log begins one. */
export const createSeenIncarnations = (places: ReadonlyMap<number, JournalPlace>): SeenIncarnations => {
  const seen = new Map<number, { incarnation: string; from: number }[]>()
  for (const [partition, { offset, incarnation }] of places)
    if (incarnation !== undefined) seen.set(partition, [{ incarnation, from: offset - 1 }])
  return {
    saw(records) {
      for (const { partition, offset, incarnation } of records) {
        const ranges = seen.get(partition)
        const newest = ranges?.at(-1)
        if (newest?.incarnation === incarnation || (newest !== undefined && offset <= newest.from)) continue
        if (ranges === undefined) seen.set(partition, [{ incarnation, from: offset }])
        else ranges.push({ incarnation, from: offset })
      }
    },
    before: (partition, offset) => seen.get(partition)?.findLast(({ from }) => from < offset)?.incarnation,
  }
}
