export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. */
export const daysBefore = (year: number, month: number, day: number): number => {
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** Whether a year has 366 days. */
export const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Whether a day exists in the Gregorian calendar; 30 February does not. */
export const isCalendarDay = (year: number, month: number, day: number): boolean =>
  day >= 1 && day <= (lengths[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0)

/** Returns midnight of a day in UTC, in ms since 1970; undefined if the calendar does not have the day. */
export const dayTime = (year: number, month: number, day: number): number | undefined =>
  isCalendarDay(year, month, day) ? daysBefore(year, month, day) * dayMs : undefined

/** Returns the number that `count` digits of a text form; NaN if a character is not a digit. */
export const digitsAt = (text: string, at: number, count: number): number => {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
