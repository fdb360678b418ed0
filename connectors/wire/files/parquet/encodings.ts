import { BrokenFile } from '../broken-file.ts'
import type { PhysicalType } from './footer.ts'

/** A value of a page. Bytes are a view of the page. */
export type Raw = boolean | number | bigint | Uint8Array
/**
 * Returns the next value of a page at each call. Returned values are not kept. Throws BrokenFile after the last value.
 */
export type Values = () => Raw

/** Maximum bytes of one value, also of a value with several parts. */
const valueBytes = 8 * 1024 * 1024

export const damagedPage = (): BrokenFile => new BrokenFile('The Parquet file is damaged: a page has too few values')

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Creates a cursor, a position in bytes from which numbers are read. */
const createCursor = (bytes: Uint8Array) => {
  let at = 0
  const byte = (): number => {
    const value = bytes[at++]
    if (value === undefined) throw damagedPage()
    return value
  }
  return {
    byte,
    at: () => at,
    skip: (count: number): void => {
      at += count
    },
    take: (count: number): Uint8Array => {
      if (count < 0 || at + count > bytes.length) throw damagedPage()
      at += count
      return bytes.subarray(at - count, at)
    },
    varint: (): number => {
      let value = 0
      for (let shift = 0; shift < 35; shift += 7) {
        const next = byte()
        value += (next & 0x7f) * 2 ** shift
        if (next < 0x80) return value
      }
      throw damagedPage()
    },
    zigzag: (): bigint => {
      let value = 0n
      for (let shift = 0n; shift < 70n; shift += 7n) {
        const next = byte()
        value |= BigInt(next & 0x7f) << shift
        if (next < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n))
      }
      throw damagedPage()
    },
  }
}

/** Returns the `width` bits at the position `bit` as a number, the lowest bit first. Bits after the end are 0. */
const bitsAt = (bytes: Uint8Array, bit: number, width: number): number => {
  let value = 0
  let got = 0
  let at = bit
  while (got < width) {
    const inByte = at & 7
    const take = Math.min(8 - inByte, width - got)
    value += (((bytes[at >> 3] ?? 0) >> inByte) & ((1 << take) - 1)) * 2 ** got
    got += take
    at += take
  }
  return value
}

/** Creates a reader of numbers in runs of repeated numbers and of packed bits (parquet-format, Encodings.md, RLE). */
export const hybrid = (bytes: Uint8Array, width: number): (() => number) => {
  if (width === 0) return () => 0
  if (width > 32) throw damagedPage()
  const cursor = createCursor(bytes)
  let left = 0
  let repeated: number | undefined
  let packed: Uint8Array = new Uint8Array()
  let bit = 0
  return () => {
    while (left === 0) {
      const head = cursor.varint()
      const count = Math.floor(head / 2)
      if (head % 2 === 0) {
        repeated = bitsAt(cursor.take(Math.ceil(width / 8)), 0, Math.ceil(width / 8) * 8)
        left = count
      } else {
        repeated = undefined
        // The last run can be truncated after its last value.
        packed = bytes.subarray(cursor.at(), cursor.at() + count * width)
        cursor.skip(count * width)
        left = Math.min(count * 8, Math.floor((packed.length * 8) / width))
        bit = 0
        if (left === 0) throw damagedPage()
      }
    }
    left--
    if (repeated !== undefined) return repeated
    bit += width
    return bitsAt(packed, bit - width, width)
  }
}

/** Creates a reader of unencoded values in order (PLAIN). */
const plain = (bytes: Uint8Array, type: PhysicalType, length: number): Values => {
  const view = viewOf(bytes)
  let at = 0
  const fixed = (size: number, read: (from: number) => Raw): Values => {
    return () => {
      if (at + size > bytes.length) throw damagedPage()
      at += size
      return read(at - size)
    }
  }
  switch (type) {
    case 'BOOLEAN':
      return () => {
        if (at >= bytes.length * 8) throw damagedPage()
        return bitsAt(bytes, at++, 1) === 1
      }
    case 'INT32':
      return fixed(4, (from) => view.getInt32(from, true))
    case 'INT64':
      return fixed(8, (from) => view.getBigInt64(from, true))
    case 'INT96':
      return fixed(12, (from) => bytes.subarray(from, from + 12))
    case 'FLOAT':
      return fixed(4, (from) => view.getFloat32(from, true))
    case 'DOUBLE':
      return fixed(8, (from) => view.getFloat64(from, true))
    case 'FIXED_LEN_BYTE_ARRAY':
      return fixed(length, (from) => bytes.subarray(from, from + length))
    case 'BYTE_ARRAY':
      return () => {
        if (at + 4 > bytes.length) throw damagedPage()
        const size = view.getUint32(at, true)
        at += 4 + size
        if (at > bytes.length) throw damagedPage()
        return bytes.subarray(at - size, at)
      }
  }
}

/**
 * Creates a reader of integers as differences (DELTA_BINARY_PACKED). `end` returns the position after them, for which
 * it reads to the end of the last block.
 */
const deltas = (bytes: Uint8Array) => {
  const cursor = createCursor(bytes)
  const blockSize = cursor.varint()
  const miniBlocks = cursor.varint()
  const total = cursor.varint()
  const perMini = blockSize / miniBlocks
  if (blockSize > 1 << 20 || !Number.isInteger(perMini) || perMini === 0 || perMini % 8 !== 0) throw damagedPage()
  let value = cursor.zigzag()
  let given = 0
  let smallest = 0n
  let widths: Uint8Array = new Uint8Array()
  let mini = miniBlocks
  let inMini = perMini
  let width = 0
  let packed: Uint8Array = new Uint8Array()
  const next = (): bigint => {
    if (given >= total) throw damagedPage()
    if (given++ === 0) return value
    if (inMini === perMini) {
      if (++mini >= miniBlocks) {
        smallest = cursor.zigzag()
        widths = cursor.take(miniBlocks).slice()
        mini = 0
      }
      width = widths[mini] ?? 0
      if (width > 64) throw damagedPage()
      packed = bytes.subarray(cursor.at(), cursor.at() + (perMini * width) / 8)
      cursor.skip((perMini * width) / 8)
      inMini = 0
    }
    const bit = inMini++ * width
    if (bit + width > packed.length * 8) throw damagedPage()
    const low = bitsAt(packed, bit, Math.min(width, 32))
    const difference = width > 32 ? BigInt(low) | (BigInt(bitsAt(packed, bit + 32, width - 32)) << 32n) : BigInt(low)
    value = BigInt.asIntN(64, value + smallest + difference)
    return value
  }
  return { next, total, end: () => Math.min(cursor.at(), bytes.length) }
}

/** Reads all lengths of a page, and the position after them. */
const lengthsOf = (bytes: Uint8Array): { lengths: Int32Array; end: number } => {
  const { next, total, end } = deltas(bytes)
  // A block without bits describes thousands of values in a few bytes. But a page cannot have more lengths than values.
  if (total > 16 * 1024 * 1024) throw damagedPage()
  const lengths = new Int32Array(total)
  for (let index = 0; index < total; index++) lengths[index] = Number(BigInt.asIntN(32, next()))
  return { lengths, end: end() }
}

/** Creates a reader of byte arrays whose lengths come first (DELTA_LENGTH_BYTE_ARRAY). */
const deltaLengths = (bytes: Uint8Array): (() => Uint8Array) => {
  const { lengths, end } = lengthsOf(bytes)
  const cursor = createCursor(bytes.subarray(end))
  let index = 0
  return () => cursor.take(lengths[index++] ?? -1)
}

/** Creates a reader of byte arrays, each of which begins like the previous one (DELTA_BYTE_ARRAY). */
const deltaBytes = (bytes: Uint8Array): (() => Uint8Array) => {
  const { lengths: shared, end } = lengthsOf(bytes)
  const rest = deltaLengths(bytes.subarray(end))
  let index = 0
  let before: Uint8Array = new Uint8Array()
  return () => {
    const same = shared[index++] ?? -1
    const own = rest()
    if (same < 0 || same > before.length) throw damagedPage()
    if (same + own.length > valueBytes) throw new BrokenFile('The Parquet file has a value of more than 8 MB')
    const value = new Uint8Array(same + own.length)
    value.set(before.subarray(0, same))
    value.set(own, same)
    before = value
    return value
  }
}

const widthsOfTypes: Partial<Record<PhysicalType, number>> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 }

/** Creates a reader of values whose first bytes come first, then their second bytes, and so on (BYTE_STREAM_SPLIT). */
const splitStreams = (bytes: Uint8Array, type: PhysicalType, length: number): Values => {
  const width = widthsOfTypes[type] ?? length
  if (width < 1 || bytes.length % width !== 0) throw damagedPage()
  const count = bytes.length / width
  const joined = new Uint8Array(bytes.length)
  for (let part = 0, from = 0; part < width; part++)
    for (let index = 0; index < count; index++) joined[index * width + part] = bytes[from++] ?? 0
  return plain(joined, type, length)
}

const lengthPrefixed = (bytes: Uint8Array): Uint8Array => {
  if (bytes.length < 4) throw damagedPage()
  const size = viewOf(bytes).getUint32(0, true)
  if (4 + size > bytes.length) throw damagedPage()
  return bytes.subarray(4, 4 + size)
}

/** Creates a reader of values without a dictionary, by the number of their encoding (parquet.thrift, Encoding). */
export const valuesOf = (encoding: number, bytes: Uint8Array, type: PhysicalType, length: number): Values => {
  const isBytes = type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY'
  if (encoding === 0) return plain(bytes, type, length)
  if (encoding === 3 && type === 'BOOLEAN') {
    const bits = hybrid(lengthPrefixed(bytes), 1)
    return () => bits() === 1
  }
  if (encoding === 5 && type === 'INT64') return deltas(bytes).next
  if (encoding === 5 && type === 'INT32') {
    const { next } = deltas(bytes)
    return () => Number(BigInt.asIntN(32, next()))
  }
  if (encoding === 6 && isBytes) return deltaLengths(bytes)
  if (encoding === 7 && isBytes) return deltaBytes(bytes)
  if (encoding === 9) return splitStreams(bytes, type, length)
  throw new BrokenFile(`The Parquet file has an encoding that can't be read (${encoding})`)
}
