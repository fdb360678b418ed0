/**
 * Rows in ClickHouse's RowBinary: the values of the columns an insert names, one behind the other, nothing between
 * them and nothing between rows. Source: ClickHouse documentation, "RowBinary".
 */
export type Rows = {
  readonly bytes: Buffer
  /** Where each row ends in `bytes`. */
  readonly ends: readonly number[]
}

/** Each row's own bytes, views into those of `rows`. */
export const rowPieces = (rows: readonly Rows[]): Uint8Array[] =>
  rows.flatMap(({ bytes, ends }) => ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))

/** Writes values as RowBinary, one behind the other; the column they are for decides which of its functions is right. */
export type RowWriter = {
  /** String, LowCardinality(String), or JSON as its text. Half surrogate pairs become U+FFFD. */
  text(value: string): void
  /** Bool. */
  bool(value: boolean): void
  /** UInt16; a number beyond it becomes the nearest, none 0: a row that ends half-written would take the others along. */
  uint16(value: number): void
  /** UInt32, as UInt16. */
  uint32(value: number): void
  /** Up to 2^53 - 1. */
  uint64(value: number): void
  /** How many elements an Array has; their values follow. */
  size(value: number): void
  /** DateTime64(3), from epoch ms. */
  time(ms: number): void
  /** Nullable(DateTime64(3)). */
  optionalTime(ms: number | undefined): void
  /** Appends the rows of another writer. */
  raw(bytes: Uint8Array): void
  /** Ends a row. */
  end(): void
  /** Bytes written so far. */
  readonly length: number
  /** How many rows were ended. */
  readonly count: number
  /** Returns a copy of the written rows and empties the writer, which keeps its memory. */
  take(): Rows
}

/** Bytes that a length takes. */
const widthOf = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4)

/** The whole number nearest to a value from 0 to `most`. */
const within = (value: number, most: number): number => Math.min(Math.max(Math.trunc(value) || 0, 0), most)

/** Longest text written byte by byte: below, that costs less than the way out of JavaScript. */
const shortText = 40
const keptRoom = 16 * 1024 * 1024
const newRoom = 64 * 1024

/** An empty writer. */
export const createRowWriter = (): RowWriter => {
  let room = Buffer.allocUnsafeSlow(newRoom)
  let length = 0
  let ends: number[] = []

  const reserve = (bytes: number): void => {
    if (length + bytes <= room.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(room.length * 2, length + bytes))
    room.copy(larger, 0, 0, length)
    room = larger
  }

  /** LEB128, as lengths are written. */
  const size = (value: number): void => {
    reserve(5)
    let rest = value
    while (rest > 0x7f) {
      room[length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    room[length++] = rest
  }

  /** A short text of ASCII; false, and nothing written, for any other. */
  const ascii = (value: string): boolean => {
    const from = length + 1
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 0x7f) return false
      room[from + at] = code
    }
    room[length] = value.length
    length = from + value.length
    return true
  }

  const text = (value: string): void => {
    reserve(value.length * 3 + 10)
    if (value.length <= shortText && ascii(value)) return
    // Its length in bytes is known once it is written; most texts have as many as letters, none has fewer.
    const before = length
    size(value.length)
    const from = length
    const bytes = room.write(value, from)
    if (bytes !== value.length) {
      const wider = widthOf(bytes) - (from - before)
      if (wider > 0) room.copyWithin(from + wider, from, from + bytes)
      length = before
      size(bytes)
    }
    length += bytes
  }

  const time = (ms: number): void => {
    reserve(8)
    const high = Math.floor(ms / 0x1_0000_0000)
    length = room.writeInt32LE(high, room.writeUInt32LE(ms - high * 0x1_0000_0000, length))
  }

  return {
    text,
    size,
    time,
    bool(value) {
      reserve(1)
      room[length++] = value ? 1 : 0
    },
    uint16(value) {
      reserve(2)
      length = room.writeUInt16LE(within(value, 0xffff), length)
    },
    uint32(value) {
      reserve(4)
      length = room.writeUInt32LE(within(value, 0xffff_ffff), length)
    },
    uint64(value) {
      time(Math.max(0, value))
    },
    optionalTime(ms) {
      reserve(1)
      room[length++] = ms === undefined ? 1 : 0
      if (ms !== undefined) time(ms)
    },
    raw(bytes) {
      reserve(bytes.length)
      room.set(bytes, length)
      length += bytes.length
    },
    end() {
      ends.push(length)
    },
    get length() {
      return length
    },
    get count() {
      return ends.length
    },
    take() {
      // In memory of its own, so that it can be freed alone.
      const bytes = Buffer.allocUnsafeSlow(length)
      room.copy(bytes, 0, 0, length)
      const rows = { bytes, ends }
      length = 0
      ends = []
      if (room.length > keptRoom) room = Buffer.allocUnsafeSlow(newRoom)
      return rows
    },
  }
}

/** Reads what a RowWriter wrote, value by value in the same order. Throws RangeError behind the end. */
export type RowReader = {
  text(): string
  /** A text as its bytes, which are those of the row. */
  bytes(): Uint8Array
  bool(): boolean
  uint32(): number
  size(): number
  time(): number
  optionalTime(): number | undefined
  isAtEnd(): boolean
}

/** A reader of one row, or of several, one behind the other. */
export const createRowReader = (row: Uint8Array): RowReader => {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength)
  let at = 0
  const take = (count: number): number => {
    const from = at
    if (from + count > bytes.length) throw new RangeError('A row ends before its last column')
    at = from + count
    return from
  }
  const size = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[take(1)] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const time = (): number => Number(bytes.readBigInt64LE(take(8)))
  return {
    size,
    time,
    text() {
      const count = size()
      const from = take(count)
      return bytes.toString('utf8', from, from + count)
    },
    bytes() {
      const count = size()
      const from = take(count)
      return bytes.subarray(from, from + count)
    },
    isAtEnd: () => at === bytes.length,
    bool: () => bytes[take(1)] === 1,
    uint32: () => bytes.readUInt32LE(take(4)),
    optionalTime: () => (bytes[take(1)] === 1 ? undefined : time()),
  }
}
