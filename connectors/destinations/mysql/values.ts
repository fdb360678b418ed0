import { ExactNumber, withoutEnd } from '@tributary/connector-kit'
import type { GuardedConnection } from '../../wire/mysql/connect.ts'

/** The properties of a column to which values must fit; `type` is the server's name of its type, without a length. */
export type Column = {
  type: string
  unsigned: boolean
  /** Maximum characters of a text; undefined without such a limit. */
  characters?: number
  /** Collation and character set of a text, and for a time the number of digits after the seconds. */
  collation?: string
  characterSet?: string
  fraction?: number
  /** Total digits of a decimal, and digits after the point. */
  digits?: number
  places?: number
}

/** The definition of a column of numbers. */
export const decimalDefinition = 'decimal(38,10)'

/**
 * Returns the definition of a text key. It must fit into an index, and distinguish every character, including a space
 * at the end. MySQL and MariaDB have different collations for this.
 */
export const keyDefinition = (isMariaDb: boolean): string =>
  `varchar(512) character set utf8mb4 collate ${isMariaDb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'}`

/** Returns the definition of a column that is created for a value other than null. */
export const definitionFor = (value: unknown, isKey: boolean, isMariaDb: boolean): string => {
  if (typeof value === 'number' || value instanceof ExactNumber) return decimalDefinition
  if (typeof value === 'boolean') return 'tinyint(1)'
  if (isKey) return keyDefinition(isMariaDb)
  if (typeof value === 'object') return 'json'
  return typeof value === 'string' && momentOf(value) !== undefined ? 'datetime(6)' : 'longtext'
}

const dateTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d(?::?\d\d)?)$/

/** Converts a time with an offset to UTC without an offset; undefined for any other text. */
const momentOf = (text: string): string | undefined => {
  const [, day, time, fraction = '', offset = ''] = dateTime.exec(text) ?? []
  if (day === undefined || time === undefined) return undefined
  const full = /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset
  const moment = new Date(`${day}T${time}${full.length === 5 ? `${full.slice(0, 3)}:${full.slice(3)}` : full}`)
  if (Number.isNaN(moment.getTime()) || !day.startsWith(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)))
    return undefined
  const written = moment.toISOString().slice(0, 19).replace('T', ' ')
  return fraction === '' ? written : `${written}.${fraction}`
}

const plainTime = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?$/
const zero = /^0000-00-00/

const asTime = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined
  // A zero date can also arrive with an offset, because a datetime of a source counts as a point in time.
  if (zero.test(value)) return '0000-00-00 00:00:00'
  return plainTime.test(value) ? value : momentOf(value)
}

const integerBits: Readonly<Record<string, bigint>> = {
  tinyint: 8n,
  smallint: 16n,
  mediumint: 24n,
  int: 32n,
  bigint: 64n,
}
const numeric = /^([+-]?)(\d*)(?:\.(\d*))?$/

/**
 * Splits a number without an exponent into sign and the digits before and after the point; undefined for another text.
 */
const digitsOf = (text: string): { sign: string; whole: string; fraction: string } | undefined => {
  const [, sign = '', whole = '', fraction = ''] = numeric.exec(text) ?? []
  return /\d/.test(text) && numeric.test(text)
    ? { sign, whole: whole.replace(/^0+/, ''), fraction: withoutEnd(fraction, '0') }
    : undefined
}

const numberText = (value: unknown): string | undefined => {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' || value instanceof ExactNumber) return String(value)
  return typeof value === 'string' && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(value.trim())
    ? value.trim()
    : undefined
}

/** Returns the digits of a number with an exponent, if a decimal can hold it. */
const withoutExponent = (text: string): string => {
  if (!/e/i.test(text)) return text
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const found = digitsOf(mantissa)
  const by = Number(exponent)
  if (found === undefined || Math.abs(by) > 70) return text
  const digits = found.whole + found.fraction
  const point = found.whole.length + by
  if (point <= 0) return `${found.sign}0.${'0'.repeat(-point)}${digits}`
  return `${found.sign}${digits.slice(0, point).padEnd(point, '0')}.${digits.slice(point)}`
}

/**
 * Returns a number for a column; undefined if it does not fit. The server would silently round a number with more
 * digits than the column has.
 */
const asNumber = (value: unknown, column: Column): string | undefined => {
  const text = numberText(value)
  if (text === undefined) return undefined
  if (column.type === 'float' || column.type === 'double') return Number.isFinite(Number(text)) ? text : undefined
  const found = digitsOf(withoutExponent(text))
  if (found === undefined) return undefined
  const { sign, whole, fraction } = found
  const bits = integerBits[column.type]
  if (bits === undefined) {
    const { digits = 0, places = 0 } = column
    if (fraction.length > places || whole.length > digits - places) return undefined
  } else {
    if (fraction !== '' || whole.length > 20) return undefined
    const number = BigInt(`${sign === '-' ? '-' : ''}${whole === '' ? '0' : whole}`)
    const least = column.unsigned ? 0n : -(2n ** (bits - 1n))
    const most = column.unsigned ? 2n ** bits - 1n : 2n ** (bits - 1n) - 1n
    if (number < least || number > most) return undefined
  }
  return `${sign === '-' ? '-' : ''}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
}

const bytes = /^\\x((?:[0-9a-f]{2})*)$/i

/** A value in the form for a statement. The driver escapes texts according to the modes that the session has set. */
export type Literal =
  | { kind: 'text'; text: string }
  | { kind: 'digits'; digits: string }
  | { kind: 'bytes'; hex: string }

/** Returns the text of a value in a statement of this connection. */
export const literalText = ({ connection }: GuardedConnection, literal: Literal): string => {
  if (literal.kind === 'digits') return literal.digits
  return literal.kind === 'bytes' ? `x'${literal.hex}'` : connection.escape(literal.text)
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber) ? JSON.stringify(value) : String(value)

/**
 * Converts a value other than null to the form of a column; undefined if the value does not fit. The database checks
 * values of unknown types.
 */
export const fitTo = (column: Column, value: unknown): Literal | undefined => {
  const text = (given: string | undefined): Literal | undefined =>
    given === undefined ? undefined : { kind: 'text', text: given.toWellFormed() }
  switch (column.type) {
    case 'tinyint':
    case 'smallint':
    case 'mediumint':
    case 'int':
    case 'bigint':
    case 'decimal':
    case 'float':
    case 'double': {
      const digits = asNumber(value, column)
      return digits === undefined ? undefined : { kind: 'digits', digits }
    }
    case 'bit': {
      const digits = asNumber(value, { type: 'bigint', unsigned: true })
      return digits === undefined ? undefined : { kind: 'digits', digits }
    }
    case 'date':
    case 'datetime':
    case 'timestamp':
      return text(asTime(value))
    case 'json':
      return { kind: 'text', text: JSON.stringify(value).toWellFormed() }
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob': {
      const given = textOf(value)
      const hex = bytes.exec(given)?.[1] ?? Buffer.from(given.toWellFormed()).toString('hex')
      return { kind: 'bytes', hex }
    }
    case 'char':
    case 'varchar': {
      const given = textOf(value)
      return Array.from(given).length > (column.characters ?? Number.POSITIVE_INFINITY) ? undefined : text(given)
    }
    default:
      return text(textOf(value))
  }
}
