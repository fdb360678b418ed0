import type { SelectedAttribute } from './query.ts'

/**
 * A day, or a moment of it, as ISO 8601 writes them, from year 1 to 9999: `2026-03-04`,
 * `2026-03-04T05:06:07.890+02:00`. Without a zone it is UTC. The groups are year, month, day, hour, minute, second,
 * fraction, and the sign, hours and minutes of the zone. Every store reads dates by this pattern; numbers are not
 * dates.
 */
export const datePattern =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?$/

const dayMs = 86_400_000

/** A range in epoch ms: at or after `from`, and before `until`. Undefined means no limit. */
export type TimeSpan = { readonly from: number | undefined; readonly until: number | undefined }

/** Returns the range of a day, or the millisecond of a moment; undefined for other texts, such as February 30. */
export const spanOfDate = (text: string): { from: number; until: number } | undefined => {
  const found = datePattern.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHours, zoneMinutes] = found
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (Number(year) === 0 || date.getUTCDate() !== Number(day)) return undefined
  if (hour === undefined) return { from: date.getTime(), until: date.getTime() + dayMs }
  date.setUTCHours(Number(hour), Number(minute), Number(second ?? 0), Number(fraction.padEnd(3, '0').slice(0, 3)))
  const zone = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * 60_000
  const from = date.getTime() - (sign === '-' ? -zone : zone)
  return { from, until: from + 1 }
}

/** Maximum distance of a relative date, in days: a hundred years. */
export const maxDaysAway = 36_500

/**
 * Returns the range of times for which a date comparison is true at the time `now` (epoch ms). Days are UTC days. N
 * days ago means N times 24 hours, of which the last 24 hours include now. The value must have passed
 * `selectedAttribute`.
 */
export const spanOfComparison = (
  { operator, value, values }: Pick<SelectedAttribute, 'operator' | 'value' | 'values'>,
  now: number,
): TimeSpan => {
  const days = Number(value) * dayMs
  switch (operator) {
    case 'before':
      return { from: undefined, until: spanOfDate(value)?.from }
    case 'after':
      return { from: spanOfDate(value)?.until, until: undefined }
    case 'between':
      return { from: spanOfDate(values[0] ?? '')?.from, until: spanOfDate(values[1] ?? '')?.until }
    case 'today':
      return { from: Math.floor(now / dayMs) * dayMs, until: (Math.floor(now / dayMs) + 1) * dayMs }
    case 'within_last':
      return { from: now - days + 1, until: now + 1 }
    case 'before_last':
      return { from: undefined, until: now - days + 1 }
    case 'within_next':
      return { from: now + 1, until: now + days + 1 }
    case 'after_next':
      return { from: now + days + 1, until: undefined }
    default:
      throw new Error(`${operator} compares no dates`)
  }
}
