import { z } from 'zod'
import { storableText } from '../api/fields.ts'

/** What the values of a cursor are. */
export type CursorKind = 'number' | 'date' | 'time'

/** Types as PostgreSQL, MySQL, and ClickHouse call them. */
const kinds: readonly [CursorKind, RegExp][] = [
  [
    'number',
    /^(?:tinyint|smallint|mediumint|int|integer|bigint|numeric|decimal|real|float|double|U?Int|Float|Decimal)\b/,
  ],
  ['number', /^(?:U?Int|Float|Decimal)\d+\b/],
  ['date', /^(?:date|Date|Date32)$/],
  ['time', /^(?:timestamp|datetime|DateTime|DateTime64)\b/],
]

/**
 * What a column of a database is as a cursor, by its type; undefined when it can't be one. Texts can't: how a database orders them is not
 * known, and nothing can be subtracted from them.
 */
export const cursorKindOf = (type: string): CursorKind | undefined =>
  type.endsWith('[]') ? undefined : kinds.find(([, pattern]) => pattern.test(type))?.[0]

/** How far below the highest value rows are read again unless it is said: minutes, or what is subtracted from a number. */
export const usualOverlap: Readonly<Record<CursorKind, number>> = { number: 1000, date: 60, time: 60 }

/** A column whose values only grow, such as when a row was changed last: a run reads the rows from the highest value on. */
export const syncCursor = z.object({
  column: storableText(300).min(1, 'Required'),
  /**
   * What is committed late has a lower value than what was read, so rows are read again from this far below: minutes for a date or
   * time, else what is subtracted from the number.
   */
  overlap: z.number().int('Enter a whole number').min(0, 'At least 0').max(1_000_000_000, 'At most 1000000000'),
})
export type SyncCursor = z.infer<typeof syncCursor>

/** The same as it is asked for; the overlap is the usual one when it is not given. */
export const syncCursorInput = z.object({ ...syncCursor.shape, overlap: syncCursor.shape.overlap.optional() })
export type SyncCursorInput = z.infer<typeof syncCursorInput>

/** What a run read by a cursor. */
export const runCursor = z.object({
  column: z.string(),
  /** The lowest value that was read; null when all rows were. */
  from: z.string().nullable(),
  /** The highest value that was read, and at most the time of the run; null when no row had one. */
  to: z.string().nullable(),
  /** The next run reads from `to` on. Otherwise it reads what this one did. */
  moved: z.boolean(),
})
export type RunCursor = z.infer<typeof runCursor>
