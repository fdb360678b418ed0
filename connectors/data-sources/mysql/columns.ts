import type { DataColumn, DataRow } from '@tributary/connector-kit'
import type { FieldPacket } from 'mysql2'

/**
 * The type of a column by its number in the protocol (MySQL, "Column Definition"); other numbers stand for texts or
 * bytes.
 */
const numbers: Readonly<Record<number, string>> = {
  1: 'tinyint',
  2: 'smallint',
  3: 'int',
  4: 'float',
  5: 'double',
  8: 'bigint',
  9: 'mediumint',
  13: 'year',
}
const plain: Readonly<Record<number, string>> = { 10: 'date', 11: 'time', 12: 'datetime', 7: 'timestamp', 245: 'json' }
const decimals = new Set([0, 246])
const bit = 16
const json = 245
const timestamp = 7
/** The character set number of binary data. */
const binary = 63

/** The properties of a column that the driver's types lack. */
type Field = Pick<FieldPacket, 'name'> & {
  columnType?: number
  columnLength?: number
  characterSet?: number
  flags?: number | string[]
  decimals?: number
  extendedFormat?: string
}

const has = ({ flags }: Field, flag: number): boolean => typeof flags === 'number' && (flags & flag) !== 0

const bytesType = (type: number): string => (type === 255 ? 'geometry' : type >= 249 && type <= 252 ? 'blob' : 'binary')

const isBytes = (field: Field): boolean => {
  const { columnType = 0, characterSet, extendedFormat } = field
  if (columnType === 255 || columnType === 242) return true
  return characterSet === binary && columnType >= 247 && extendedFormat !== 'json'
}

const typeOf = (field: Field): string => {
  const { columnType = 0, columnLength = 0, decimals: places = 0, extendedFormat } = field
  const unsigned = has(field, 32)
  const number = numbers[columnType]
  if (number !== undefined) return unsigned && number !== 'year' ? `${number} unsigned` : number
  // The length includes a sign and a decimal point.
  if (decimals.has(columnType))
    return `decimal(${columnLength - (unsigned ? 0 : 1) - (places > 0 ? 1 : 0)},${places})${unsigned ? ' unsigned' : ''}`
  // Bits are read as one number, unlike in the data source for PostgreSQL.
  if (columnType === bit) return `bit(${columnLength}) unsigned`
  if (extendedFormat === 'json') return 'json'
  if (has(field, 256)) return 'enum'
  if (has(field, 2048)) return 'set'
  const known = plain[columnType]
  if (known !== undefined) return known
  if (isBytes(field)) return bytesType(columnType)
  return columnType >= 249 && columnType <= 252 ? 'text' : columnType === 254 ? 'char' : 'varchar'
}

/** Returns the name and type of a column of a response. */
export const columnOf = (field: FieldPacket): DataColumn => ({ name: field.name, type: typeOf(field) })

type Decode = (value: Buffer) => string

const utf8: Decode = (value) => value.toString('utf8')
const latin1: Decode = (value) => value.toString('latin1')
const zeroTimestamp = '0000-00-00'

const decodeOf = (field: Field): Decode => {
  const { columnType = 0 } = field
  if (columnType === bit) return (value) => (value.length === 0 ? '0' : BigInt(`0x${value.toString('hex')}`).toString())
  // The session is in UTC. The zero date of old tables is not a point in time, so it stays as it is.
  if (columnType === timestamp)
    return (value) => {
      const text = latin1(value)
      return text.startsWith(zeroTimestamp) ? text : `${text}+00`
    }
  if (columnType === json) return utf8
  if (isBytes(field)) return (value) => `\\x${value.toString('hex')}`
  return numbers[columnType] !== undefined || decimals.has(columnType) || plain[columnType] !== undefined
    ? latin1
    : utf8
}

/**
 * Creates the function that turns rows into PostgreSQL's text formats. Numbers keep the digits of the server, times are
 * in ISO format, and timestamps have an offset. Bits become a number, and bytes become `\x` with hexadecimal digits.
 */
export const decoderOf = (fields: readonly FieldPacket[]): ((row: readonly (Buffer | null)[]) => DataRow) => {
  const decoders = fields.map(decodeOf)
  return (row) => row.map((value, at) => (value === null ? null : (decoders[at] ?? utf8)(value)))
}
