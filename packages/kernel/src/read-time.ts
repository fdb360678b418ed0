import { dayMs, daysBefore, dayTime, digitsAt, hourMs, isCalendarDay, minuteMs } from './calendar.ts'
import { ExactNumber } from './exact-json.ts'
import { readWords } from './written-time.ts'

/*
 * This file is the only reader of times from outside. It reads texts and numbers that stand for one instant:
 * - RFC 3339 and ISO 8601 (also basic, ordinal and week dates),
 * - RFC 9110, 5322 and 850, asctime,
 * - the forms that the languages of the SDKs print, and PostgreSQL's own form,
 * - time since 1970 as number or text.
 *
 * A day without a time is its midnight; a time without a zone is UTC. It does not read `3/4/2026`, zones such as CET,
 * or a bare year, because they are ambiguous. Each character is read a bounded number of times.
 */

/** The maximum of a JavaScript date, in ms. */
const maxTime = 8.64e15
const maxCharacters = 100

/**
 * Reads `2026-01-31T10:20:30.123Z`, with or without the fraction. Nearly every client sends this form, and this is
 * several times faster than Date.parse.
 */
const readCanonical = (text: string): number => {
  const { length } = text
  if (text.charCodeAt(length - 1) !== 90 || text.charCodeAt(10) !== 84) return Number.NaN
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN
  if (length === 24 && text.charCodeAt(19) !== 46) return Number.NaN
  const year = digitsAt(text, 0, 4)
  const month = digitsAt(text, 5, 2)
  const day = digitsAt(text, 8, 2)
  const hour = digitsAt(text, 11, 2)
  const minute = digitsAt(text, 14, 2)
  const second = digitsAt(text, 17, 2)
  if (!(isCalendarDay(year, month, day) && hour < 24 && minute < 60 && second < 60)) return Number.NaN
  const ms = length === 24 ? digitsAt(text, 20, 3) : 0
  return daysBefore(year, month, day) * dayMs + hour * hourMs + minute * minuteMs + second * 1000 + ms
}

/**
 * Splits a decimal into sign, digits, and the number of digits before the point; an exponent moves the point. Undefined
 * for any other text.
 */
const decimalParts = (text: string): { sign: 1 | -1; digits: string; point: number } | undefined => {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? []
  if (whole === '') return undefined
  return { sign: sign === '-' ? -1 : 1, digits: whole + fraction, point: whole.length + Number(exponent) }
}

/**
 * Reads time since 1970: seconds below 10^11, milliseconds below 10^14, microseconds below 10^17, nanoseconds from
 * 10^18 on. Works on the digits, because a double holds neither nanoseconds nor every fraction of a second.
 */
const readEpoch = (text: string): number | undefined => {
  const parts = decimalParts(text)
  if (parts === undefined) return undefined
  const { sign, digits, point } = parts
  const first = digits.search(/[1-9]/)
  if (first < 0) return 0
  /** Number of digits before the point, without leading zeros. */
  const size = point - first
  const shift = size <= 11 ? 3 : size <= 14 ? 0 : size <= 17 ? -3 : size === 19 ? -6 : undefined
  if (shift === undefined) return undefined
  const end = point + shift
  const ms = end <= first ? 0 : Number(digits.slice(first, end).padEnd(end - first, '0'))
  // The result is rounded toward zero.
  return ms === 0 ? 0 : sign * ms
}

/** A text of 9 to 19 digits. Fewer digits are a date, or a time outside the supported years. */
const epochText = /^[+-]?\d{9,19}(?:\.\d*)?$/
const fourteenDigits = /^\d{14}$/

/** Reads a time without separators, such as `20261120100000`: year, month, day, hour, minute, second. */
const readCompact = (text: string): number | undefined => {
  const day = dayTime(digitsAt(text, 0, 4), digitsAt(text, 4, 2), digitsAt(text, 6, 2))
  const [hour, minute, second] = [digitsAt(text, 8, 2), digitsAt(text, 10, 2), digitsAt(text, 12, 2)]
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  return day + hour * hourMs + minute * minuteMs + second * 1000
}

const readWritten = (text: string): number | undefined => {
  // The form in which older .NET versions wrote a time in JSON: `/Date(<ms>)/`.
  const ticks = /^\\?\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\\?\/$/.exec(text)?.[1]
  if (ticks !== undefined) return Number(ticks)
  if (fourteenDigits.test(text)) return readCompact(text)
  if (epochText.test(text)) return readEpoch(text)
  return readWords(text)
}

const within = (ms: number | undefined): number | undefined =>
  ms !== undefined && Math.abs(ms) <= maxTime ? ms : undefined

/**
 * Returns the instant of a value, in whole ms since 1970; undefined if the value is not a time. The same value always
 * has the same result.
 */
export const readTime = (value: unknown): number | undefined => {
  if (typeof value === 'number' || value instanceof ExactNumber) return within(readEpoch(String(value)))
  if (typeof value !== 'string') return undefined
  if (value.length === 24 || value.length === 20) {
    const ms = readCanonical(value)
    if (ms === ms) return ms
  }
  const text = value.length > 2 * maxCharacters ? '' : value.trim()
  return text === '' || text.length > maxCharacters ? undefined : within(readWritten(text))
}

/** Like `readTime`, but returns the time as RFC 3339 in UTC with milliseconds. */
export const readTimeText = (value: unknown): string | undefined => {
  const ms = readTime(value)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

/** The earliest valid time of an event, epoch ms: 1970-01-02. */
export const earliestEvent = 86_400_000
/** The end of the valid times of an event, epoch ms: the beginning of 2200. */
const latestEvent = Date.UTC(2200, 0, 1)

/** Like `readTime`, for the time of an event; also undefined for times before 1970-01-02 and from 2200 on. */
export const readEventTime = (value: unknown): number | undefined => {
  const ms = readTime(value)
  return ms !== undefined && ms >= earliestEvent && ms < latestEvent ? ms : undefined
}

/**
 * Whether a member that should be a time has a value that is not a valid event time. The event keeps the value and is
 * marked.
 */
export const isUnreadTime = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && readEventTime(value) === undefined
