import { ExactNumber } from '@tributary/connector-kit'
import type { ColumnType } from '../../wire/warehouse/tables.ts'

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/
const date = /^(\d{4})-(\d\d)-(\d\d)$/

/** Whether a day exists in the calendar of PostgreSQL. */
const isDay = (year: string, month: string, day: string): boolean => {
  const time = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return year !== '0000' && !Number.isNaN(time.getTime()) && time.getUTCDate() === Number(day)
}

/** Whether a text is a time as RFC 3339 writes it, with its offset from UTC. */
export const isDateTime = (text: string): boolean => {
  const [, year, month, day] = dateTime.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  return isDay(year, month, day) && !Number.isNaN(Date.parse(text))
}

const isDate = (text: string): boolean => {
  const [, year, month, day] = date.exec(text) ?? []
  return year !== undefined && month !== undefined && day !== undefined && isDay(year, month, day)
}

/** Pattern of times that PostgreSQL writes but RFC 3339 does not allow. The server checks whether they exist. */
const beyond =
  /^(?:-?infinity|\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d(?::\d\d){0,2})?)?(?: BC)?)$/

const isBeyond = (text: string): boolean => beyond.test(text) && !/^\d{4}-[^B]*$/.test(text)

/** Returns the type of a new column for a value that is not null. */
export const typeFor = (value: unknown): ColumnType => {
  if (typeof value === 'number' || value instanceof ExactNumber) return 'numeric'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return 'jsonb'
  return typeof value === 'string' && isDateTime(value) ? 'timestamp with time zone' : 'text'
}

const isNumeric = (text: string): boolean => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)

const integerBounds: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n,
  integer: 2n ** 31n,
  bigint: 2n ** 63n,
}

const isInteger = (text: string): boolean => /^[+-]?\d{1,25}$/.test(text)

/** Returns a number with its original digits; undefined if it is outside the bounds of the type. */
const asNumber = (value: unknown, type: ColumnType): { value: unknown } | undefined => {
  const given = typeof value === 'string' ? value.trim() : value
  const isNumber = typeof given === 'number' || given instanceof ExactNumber
  const text = String(given)
  if (!isNumber && !(typeof given === 'string' && isNumeric(text))) return undefined
  const bound = integerBounds[type]
  if (bound === undefined) return type === 'numeric' || Number.isFinite(Number(text)) ? { value: given } : undefined
  // An integer has only digits, or an integer value such as 1.0.
  const number = isInteger(text) ? BigInt(text) : Number.isSafeInteger(Number(text)) ? BigInt(Number(text)) : undefined
  if (number === undefined || number < -bound || number >= bound) return undefined
  return { value: typeof given === 'number' ? given : String(number) }
}

const asBoolean = (value: unknown): { value: unknown } | undefined => {
  if (typeof value === 'boolean') return { value }
  return value === 'true' || value === 'false' ? { value: value === 'true' } : undefined
}

/**
 * Converts a value to the JSON form of a column's type; undefined if it does not fit. The database checks values of
 * unknown types.
 */
export const fitTo = (type: ColumnType, value: unknown): { value: unknown } | undefined => {
  switch (type) {
    case 'text':
    case 'character varying':
    case 'character':
      return { value: typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value) }
    case 'numeric':
    case 'double precision':
    case 'real':
    case 'smallint':
    case 'integer':
    case 'bigint':
      return asNumber(value, type)
    case 'boolean':
      return asBoolean(value)
    case 'timestamp with time zone':
    case 'timestamp without time zone':
      return typeof value === 'string' && (isDateTime(value) || isDate(value) || isBeyond(value))
        ? { value }
        : undefined
    case 'date':
      return typeof value === 'string' && (isDate(value) || isDateTime(value) || isBeyond(value))
        ? { value }
        : undefined
    default:
      return { value }
  }
}

/** Returns JSON text that PostgreSQL accepts: U+0000 and halves of characters, which it cannot store, become U+FFFD. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found, escaped) =>
    escaped === '\\' ? found : '\\ufffd',
  )

/** Returns a text that PostgreSQL accepts, with the same replacements as `safeJson`. */
export const safeText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
