import { type ConversionStatus, conversionStatuses } from '@tributary/contract'
import type { OutcomeCount } from './outcomes.ts'
import { type CountRow, countOf } from './read-counts.ts'

/** The number of conversions of a day by their status. */
export type StatusCounts = Record<ConversionStatus, number>

const noStatuses = (): StatusCounts => ({ delivered: 0, failed: 0, filtered: 0, pending: 0, not_sent: 0 })

/** Adds up the counts of several days or platforms. */
export const sumStatuses = (counts: readonly StatusCounts[]): StatusCounts => {
  const sum = noStatuses()
  for (const each of counts) for (const status of conversionStatuses) sum[status] += each[status]
  return sum
}

/** Counts the conversions in these rows that were selected for sending to a platform. */
export const sentOf = (rows: readonly CountRow[]): number => countOf(rows, 'sent') + countOf(rows, 'sent_refund')

/**
 * Returns the outcomes of a platform's conversions by UTC day (`YYYY-MM-DD`). An outcome belongs to the day of the
 * first attempt, which can be the day after the conversion. If a day has more outcomes than sent conversions, the
 * excess reduces the pending conversions of the day before.
 */
export const statusDays = (
  counts: readonly CountRow[],
  outcomes: readonly OutcomeCount[],
): ReadonlyMap<string, StatusCounts> => {
  const days = new Map<string, StatusCounts>()
  const at = (day: string): StatusCounts => {
    const known = days.get(day) ?? noStatuses()
    days.set(day, known)
    return known
  }
  for (const { day, kind, count } of counts) if (kind.startsWith('not:')) at(day).not_sent += count
  for (const { status, days: own } of outcomes)
    if (status !== 'pending') for (const [day, count] of own) at(day)[status] += count
  const sent = Map.groupBy(counts, ({ day }) => day)
  for (const [day, rows] of sent) if (sentOf(rows) > 0) at(day)
  let over = 0
  for (const [day, own] of [...days].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    const open = sentOf(sent.get(day) ?? []) - own.delivered - own.failed - own.filtered - over
    own.pending = Math.max(0, open)
    over = Math.max(0, -open)
  }
  return days
}
