import { z } from 'zod'
import { storableText } from '../api/fields.ts'

/** The types of a cursor. */
export type CursorKind = 'number' | 'date' | 'time'

/** The type of a cursor for the names of types in PostgreSQL, MySQL, ClickHouse, Snowflake, BigQuery, Redshift, and Databricks. */
const kinds: readonly [CursorKind, RegExp][] = [
  [
    'number',
    /^(?:tinyint|smallint|mediumint|int|integer|bigint|numeric|decimal|real|float|double|U?Int|Float|Decimal)\b/,
  ],
  ['number', /^(?:U?Int|Float|Decimal)\d+\b/],
  ['number', /^(?:INT64|FLOAT64|NUMERIC|BIGNUMERIC)\b/],
  ['date', /^(?:date|Date|Date32|DATE)$/],
  ['time', /^(?:timestamp(?:_ntz)?|datetime|DateTime|DateTime64|TIMESTAMP|DATETIME)\b/],
]

/**
 * Returns the type of cursor that a database column can be; undefined if it cannot be a cursor. A text column cannot:
 * its order in the database is unknown, and no overlap can be subtracted.
 */
export const cursorKindOf = (type: string): CursorKind | undefined =>
  type.endsWith('[]') ? undefined : kinds.find(([, pattern]) => pattern.test(type))?.[0]

/** The default overlap: minutes, or the amount that is subtracted from a number. */
export const usualOverlap: Readonly<Record<CursorKind, number>> = { number: 1000, date: 60, time: 60 }

/**
 * A column whose values only grow, such as the time of the last change: a run reads the rows from the highest value of
 * the previous run on.
 */
export const syncCursor = z.object({
  column: storableText(300).min(1, 'Required'),
  /**
   * A row that is committed late has a lower value than rows that were read. So a run begins below the highest value,
   * by this overlap: minutes for a date or time, otherwise an amount of the number.
   */
  overlap: z.number().int('Enter a whole number').min(0, 'At least 0').max(1_000_000_000, 'At most 1000000000'),
})
export type SyncCursor = z.infer<typeof syncCursor>

/** A cursor in a request; the overlap has a default. */
export const syncCursorInput = z.object({ ...syncCursor.shape, overlap: syncCursor.shape.overlap.optional() })
export type SyncCursorInput = z.infer<typeof syncCursorInput>

/** The range of values that a run with a cursor read. */
export const runCursor = z.object({
  column: z.string(),
  /** The lowest value of the range; null when all rows were read. */
  from: z.string().nullable(),
  /** The highest value that was read, but not after the time of the run; null if no row had a value. */
  to: z.string().nullable(),
  /** If true, the next run reads from `to` on. Otherwise it reads the same range again. */
  moved: z.boolean(),
})
export type RunCursor = z.infer<typeof runCursor>
