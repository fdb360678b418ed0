import { ExactNumber, isJsonObject } from '@tributary/connector-kit'

/** The values that a column type accepts. */
export type Fit =
  | { kind: 'text' | 'json'; maxBytes?: number }
  /** Digits before and after the decimal point. */
  | { kind: 'number'; before: number; after: number }
  | { kind: 'double' | 'boolean' | 'time' | 'date' }

/** The first and the last year of the times of a warehouse. */
export type Years = readonly [first: number, last: number]

const withoutZeros = (digits: string): string => {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i

/** Significant digits that a number keeps at least when its decimals are rounded. */
const keptDigits = 9

/**
 * Returns a number as decimal digits without an exponent, rounded to `after` decimals. Undefined if it has more digits
 * before the point than `before`, or if rounding would leave fewer than nine significant digits.
 */
export const plainDecimal = (text: string, before: number, after: number): string | undefined => {
  const [, sign = '', whole = '', part = '', exponent = '0'] = decimal.exec(text) ?? []
  if (whole === '' && part === '') return undefined
  const digits = `${whole}${part}`
  const point = whole.length + Number(exponent)
  const first = digits.search(/[1-9]/)
  if (first === -1) return '0'
  if (point - first > before || point < -after - 1) return undefined
  const integer = point <= 0 ? '' : digits.slice(0, point).padEnd(point, '0')
  const fraction = withoutZeros(point < 0 ? '0'.repeat(-point) + digits : digits.slice(Math.max(0, point)))
  // A whole number is never rounded.
  if (fraction.length > after && (after === 0 || point + after - first < keptDigits)) return undefined
  const scaled = BigInt(`${integer}${fraction.slice(0, after).padEnd(after, '0')}` || '0')
  const rounded = scaled + (Number(fraction[after] ?? '0') >= 5 ? 1n : 0n)
  const all = String(rounded).padStart(after + 1, '0')
  const [left, right] = [all.slice(0, all.length - after), withoutZeros(all.slice(all.length - after))]
  if (left !== '0' && left.length > before) return undefined
  return `${sign === '-' && rounded !== 0n ? '-' : ''}${left}${right === '' ? '' : `.${right}`}`
}

const dateTime = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d))?$/

/**
 * Returns a time as `2026-01-02 03:04:05.678900` in UTC, or its date. Undefined for a text that is no time of RFC 3339,
 * for a day that does not exist, and for a year outside of the warehouse's calendar. A date counts as its midnight.
 */
export const utcTime = (text: string, [firstYear, lastYear]: Years, part: 'time' | 'date'): string | undefined => {
  const [, year, month, day, hour = '00', minute = '00', second = '00', decimals = '', zone = 'Z'] =
    dateTime.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const noon = new Date(`${year}-${month}-${day}T00:00:00Z`)
  if (Number.isNaN(noon.getTime()) || noon.getUTCDate() !== Number(day)) return undefined
  const offset = zone === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  if (Number.isNaN(ms)) return undefined
  const utc = new Date(ms)
  if (utc.getUTCFullYear() < firstYear || utc.getUTCFullYear() > lastYear) return undefined
  const [date = '', time = ''] = utc.toISOString().split('T')
  return part === 'date' ? date : `${date} ${time.slice(0, 8)}.${decimals.slice(0, 6).padEnd(6, '0')}`
}

/** Whether a text is a time of RFC 3339 with its offset, which makes a new column one of times. */
export const isTime = (text: string, years: Years): boolean =>
  text.length > 10 && utcTime(text, years, 'time') !== undefined

const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

const numberText = (value: unknown): string | undefined => {
  if (isNumber(value)) return String(value)
  return typeof value === 'string' && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(value.trim())
    ? value.trim()
    : undefined
}

const within = (text: string, maxBytes: number | undefined): string | undefined =>
  maxBytes === undefined || Buffer.byteLength(text) <= maxBytes ? text : undefined

/** Returns a text without characters that no warehouse can store: U+0000 and halves of characters. */
const safe = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

const { isRawJSON } = JSON as typeof JSON & { isRawJSON?(value: unknown): boolean }

/** Writes a number beyond the doubles, which no warehouse reads in JSON, as a text. It comes as raw JSON. */
const portable = (_: string, value: unknown): unknown => {
  if (!isJsonObject(value) || isRawJSON?.(value) !== true) return value
  const text = String(value.rawJSON)
  return Number.isFinite(Number(text)) ? value : text
}

/** Returns a value as JSON that every warehouse reads. Digits of numbers stay. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value, portable).replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found, escaped) =>
    escaped === '\\' ? found : '\\ufffd',
  )

/**
 * Returns a value that is not null as the text that a column of this kind is cast from; undefined if it does not fit.
 * Objects and lists fit columns of text as JSON.
 */
export const textFor = (fit: Fit, value: unknown, years: Years): string | undefined => {
  switch (fit.kind) {
    case 'text':
      return within(
        typeof value === 'object' && !isNumber(value) ? safeJson(value) : safe(`${value as string | number | boolean}`),
        fit.maxBytes,
      )
    case 'json':
      return within(safeJson(value), fit.maxBytes)
    case 'number': {
      const text = numberText(value)
      return text === undefined ? undefined : plainDecimal(text, fit.before, fit.after)
    }
    case 'double': {
      const text = numberText(value)
      return text !== undefined && Number.isFinite(Number(text)) ? text : undefined
    }
    case 'boolean':
      return typeof value === 'boolean' || value === 'true' || value === 'false' ? String(value) : undefined
    case 'time':
    case 'date':
      return typeof value === 'string' ? utcTime(value, years, fit.kind) : undefined
  }
}
