import { withoutEnd } from '@tributary/connector-kit'
import { BrokenFile } from '../broken-file.ts'
import type { Raw, Values } from './encodings.ts'
import type { Node } from './footer.ts'
import { numberOf, structOf } from './thrift.ts'

/** The kind of a leaf's values: the type of the column, the conversion to text, and the type inside a nested value. */
export type ValueKind = { type: string; text: (raw: Raw) => string; inJson: 'number' | 'boolean' | 'text' }

const day = 86_400_000n
const hour = 3_600_000_000_000n

const outOfRange = (): BrokenFile => new BrokenFile('The Parquet file has a date that no calendar has')

/** Converts days since 1970 to ISO 8601. */
const dateText = (days: bigint): string => {
  const ms = days * day
  // Checks the range of Date.
  if (ms > 8_640_000_000_000_000n || ms < -62_167_219_200_000n) throw outOfRange()
  const date = new Date(Number(ms))
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
}

/** Converts nanoseconds of a day to a time, up to the last digit that is not 0. */
const timeText = (nanos: bigint): string => {
  const two = (value: bigint): string => String(value).padStart(2, '0')
  const rest = withoutEnd(String(nanos % 1_000_000_000n).padStart(9, '0'), '0')
  const time = `${two(nanos / hour)}:${two((nanos / 60_000_000_000n) % 60n)}:${two((nanos / 1_000_000_000n) % 60n)}`
  return rest === '' ? time : `${time}.${rest}`
}

const timestampText = (nanos: bigint): string => {
  const dayNanos = day * 1_000_000n
  const inDay = ((nanos % dayNanos) + dayNanos) % dayNanos
  return `${dateText((nanos - inDay) / dayNanos)} ${timeText(inDay)}`
}

const bytesOf = (raw: Raw): Uint8Array => (raw instanceof Uint8Array ? raw : new Uint8Array())
const bigOf = (raw: Raw): bigint => (typeof raw === 'bigint' || typeof raw === 'number' ? BigInt(raw) : 0n)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** Returns the fewest digits that represent the same 32-bit number. */
const floatText = (value: number): string => {
  if (!Number.isFinite(value)) return String(value)
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(Number(value.toPrecision(9)))
}

const halfText = (bytes: Uint8Array): string => {
  const bits = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8)
  const exponent = (bits >> 10) & 0x1f
  const fraction = (bits & 0x3ff) / 1024
  const sign = bits >> 15 === 0 ? 1 : -1
  if (exponent === 31) return String(fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN)
  return floatText(sign * (exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction)))
}

/** Converts bytes to a signed number, with the highest byte first. */
const bigEndian = (bytes: Uint8Array): bigint => {
  if (bytes.length === 0) return 0n
  if (bytes.length > 128) throw new BrokenFile('The Parquet file has a decimal of more than 128 bytes')
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`))
}

const decimalText = (value: bigint, scale: number): string => {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  return `${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`
}

const uuidText = (bytes: Uint8Array): string =>
  hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const stringText = (raw: Raw): string => {
  try {
    return utf8.decode(bytesOf(raw))
  } catch {
    throw new BrokenFile('The Parquet file has a text that is not UTF-8')
  }
}

const text = (type: string, of: (raw: Raw) => string): ValueKind => ({ type, text: of, inJson: 'text' })
const number = (type: string, of: (raw: Raw) => string = String): ValueKind => ({ type, text: of, inJson: 'number' })

/** Returns the nanoseconds of a time unit: milliseconds, microseconds or nanoseconds (parquet.thrift, TimeUnit). */
const unitNanos = (unit: ReadonlyMap<number, unknown> | undefined): bigint =>
  unit?.has(1) === true ? 1_000_000n : unit?.has(2) === true ? 1000n : 1n

const decimal = (node: Node, scale: number): ValueKind => {
  if (scale < 0 || scale > 1000) throw new BrokenFile('The Parquet file is damaged: its schema is not valid')
  const isBytes = node.leaf?.type === 'BYTE_ARRAY' || node.leaf?.type === 'FIXED_LEN_BYTE_ARRAY'
  return number('numeric', (raw) => decimalText(isBytes ? bigEndian(bytesOf(raw)) : bigOf(raw), scale))
}

const unsigned = (bits: number): ValueKind =>
  number(bits === 64 ? 'numeric' : 'bigint', (raw) => String(BigInt.asUintN(bits === 64 ? 64 : 32, bigOf(raw))))

const timestamp = (nanos: bigint, isUtc: boolean): ValueKind =>
  isUtc
    ? text('timestamp with time zone', (raw) => `${timestampText(bigOf(raw) * nanos)}+00`)
    : text('timestamp without time zone', (raw) => timestampText(bigOf(raw) * nanos))

const time = (nanos: bigint): ValueKind =>
  text('time', (raw) => {
    const value = bigOf(raw) * nanos
    if (value < 0n || value > 24n * hour) throw outOfRange()
    return timeText(value)
  })

const date = (): ValueKind => text('date', (raw) => dateText(bigOf(raw)))

/** Returns the kind that follows from the physical type, without an annotation. */
const plainKind = (node: Node): ValueKind => {
  switch (node.leaf?.type) {
    case 'BOOLEAN':
      return { type: 'boolean', text: (raw) => (raw === true ? 't' : 'f'), inJson: 'boolean' }
    case 'INT32':
      return number('integer')
    case 'INT64':
      return number('bigint')
    case 'FLOAT':
      return number('real', (raw) => floatText(Number(raw)))
    case 'DOUBLE':
      return number('double precision')
    // INT96 has the nanoseconds of a day, and the Julian day.
    case 'INT96':
      return text('timestamp without time zone', (raw) => {
        const bytes = bytesOf(raw)
        const view = new DataView(bytes.buffer, bytes.byteOffset, 12)
        const days = BigInt(view.getInt32(8, true)) - 2_440_588n
        return timestampText(days * day * 1_000_000n + view.getBigInt64(0, true))
      })
    default:
      return text('bytea', (raw) => `\\x${hex(bytesOf(raw))}`)
  }
}

/**
 * Returns the kind by LogicalType (apache/parquet-format, LogicalTypes.md); undefined for a type without effect on the
 * value.
 */
const logicalKind = (node: Node): ValueKind | undefined => {
  const { logical, leaf } = node
  const isInteger = leaf?.type === 'INT32' || leaf?.type === 'INT64'
  const isArray = leaf?.type === 'BYTE_ARRAY'
  if (isArray && (logical?.has(1) === true || logical?.has(4) === true)) return text('text', stringText)
  const decimalType = structOf(logical, 5)
  if (decimalType !== undefined) return decimal(node, numberOf(decimalType, 1) ?? 0)
  if (isArray && logical?.has(12) === true) return text('jsonb', stringText)
  if (leaf?.length === 16 && logical?.has(14) === true) return text('uuid', (raw) => uuidText(bytesOf(raw)))
  if (leaf?.length === 2 && logical?.has(15) === true) return number('real', (raw) => halfText(bytesOf(raw)))
  if (!isInteger) return undefined
  if (logical?.has(6) === true) return date()
  const timeType = structOf(logical, 7)
  if (timeType !== undefined) return time(unitNanos(structOf(timeType, 2)))
  const timestampType = structOf(logical, 8)
  if (timestampType !== undefined)
    return timestamp(unitNanos(structOf(timestampType, 2)), timestampType.get(1) === true)
  const integer = structOf(logical, 10)
  if (integer?.get(2) === false) return unsigned(leaf.type === 'INT64' ? 64 : 32)
  return undefined
}

/** Returns the kind by ConvertedType, the predecessor of LogicalType. Older files have only this annotation. */
const convertedKind = (node: Node): ValueKind | undefined => {
  const { converted, leaf } = node
  const isInteger = leaf?.type === 'INT32' || leaf?.type === 'INT64'
  const isArray = leaf?.type === 'BYTE_ARRAY'
  if (isArray && (converted === 0 || converted === 4)) return text('text', stringText)
  if (isArray && converted === 19) return text('jsonb', stringText)
  if (converted === 5) return decimal(node, node.scale ?? 0)
  if (!isInteger) return undefined
  if (converted === 6) return date()
  if (converted === 7 || converted === 8) return time(converted === 7 ? 1_000_000n : 1000n)
  if (converted === 9 || converted === 10) return timestamp(converted === 9 ? 1_000_000n : 1000n, true)
  if (converted !== undefined && converted >= 11 && converted <= 14) return unsigned(converted === 14 ? 64 : 32)
  return undefined
}

/**
 * Returns the kind of a leaf's values. Numbers, decimals and times are exact to the digit; bytes without another type
 * are `\x` and hexadecimal digits, as PostgreSQL writes them.
 */
export const kindOfLeaf = (node: Node): ValueKind => logicalKind(node) ?? convertedKind(node) ?? plainKind(node)

/** Creates a function that converts the values of a leaf to texts. */
export const textsOf =
  ({ text: of }: ValueKind) =>
  (values: Values): (() => string) =>
  () =>
    of(values())

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/

/** Returns the JSON of a leaf's text. */
export const jsonOf = ({ inJson, type }: ValueKind, value: string): string => {
  if (inJson === 'boolean') return value === 't' ? 'true' : 'false'
  if (inJson === 'number' && isNumber.test(value)) return value
  if (type.startsWith('timestamp')) return JSON.stringify(`${value.replace(' ', 'T').replace('+00', '')}Z`)
  return JSON.stringify(value)
}
