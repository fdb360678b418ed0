/** Types that a new column gets, and those of an existing one that values are fitted to. */
export type ColumnType = string

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/
const date = /^(\d{4})-(\d\d)-(\d\d)$/

/** True for a day of the calendar that PostgreSQL has, too. */
const isDay = (year: string, month: string, day: string): boolean => {
  const time = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return year !== '0000' && !Number.isNaN(time.getTime()) && time.getUTCDate() === Number(day)
}

/** True for a time as RFC 3339 writes it, with its offset from UTC. */
export const isDateTime = (text: string): boolean => {
  const [, year, month, day] = dateTime.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  return isDay(year, month, day) && !Number.isNaN(Date.parse(text))
}

const isDate = (text: string): boolean => {
  const [, year, month, day] = date.exec(text) ?? []
  return year !== undefined && month !== undefined && day !== undefined && isDay(year, month, day)
}

/** The type of a new column for a value that is not null. */
export const typeFor = (value: unknown): ColumnType => {
  if (typeof value === 'number') return 'numeric'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return 'jsonb'
  return typeof value === 'string' && isDateTime(value) ? 'timestamp with time zone' : 'text'
}

const isNumeric = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)

const integerBounds: Readonly<Record<string, number>> = {
  smallint: 32_767,
  integer: 2_147_483_647,
  bigint: Number.MAX_SAFE_INTEGER,
}

const asNumber = (value: unknown, type: ColumnType): { value: unknown } | undefined => {
  const text = typeof value === 'string' ? value.trim() : value
  if (typeof text !== 'number' && !(typeof text === 'string' && isNumeric(text))) return undefined
  const bound = integerBounds[type]
  if (bound === undefined) return { value: text }
  const number = Number(text)
  return Number.isInteger(number) && Math.abs(number) <= bound ? { value: number } : undefined
}

const asBoolean = (value: unknown): { value: unknown } | undefined => {
  if (typeof value === 'boolean') return { value }
  return value === 'true' || value === 'false' ? { value: value === 'true' } : undefined
}

/**
 * A value as a column of the type takes it in JSON; undefined when it does not fit. Types that are not known here are left
 * to the database.
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
      return typeof value === 'string' && (isDateTime(value) || isDate(value)) ? { value } : undefined
    case 'date':
      return typeof value === 'string' && (isDate(value) || isDateTime(value)) ? { value } : undefined
    default:
      return { value }
  }
}

/** JSON text that PostgreSQL takes: U+0000 and halves of characters, which it has no place for, become U+FFFD. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found, escaped) =>
    escaped === '\\' ? found : '\\ufffd',
  )

/** As `safeJson`, for a text that is given as it is. */
export const safeText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
