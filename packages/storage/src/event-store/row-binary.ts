/**
 * Rows in ClickHouse's RowBinary: the values of the columns that an insert names, concatenated without separators
 * between values or rows. Source: ClickHouse documentation, "RowBinary".
 */
export type Rows = {
  readonly bytes: Buffer
  /** The end of each row in `bytes`. */
  readonly ends: readonly number[]
}

/** The bytes of each row, as views into those of `rows`. */
export const rowPieces = (rows: readonly Rows[]): Uint8Array[] =>
  rows.flatMap(({ bytes, ends }) => ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))

/** Writes values as RowBinary, one after the other. The caller chooses the function by the type of the column. */
export type RowWriter = {
  /** String, LowCardinality(String), or JSON as text. Lone surrogates become U+FFFD. */
  text(value: string): void
  /** Bool. */
  bool(value: boolean): void
  /**
   * UInt16. A number outside of its range becomes the nearest, NaN becomes 0: an incomplete row would corrupt the
   * others.
   */
  uint16(value: number): void
  /** UInt32, with the same rule as UInt16. */
  uint32(value: number): void
  /** Up to 2^53 - 1. */
  uint64(value: number): void
  /** The number of elements of an Array; their values follow. */
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
  /** Number of ended rows. */
  readonly count: number
  /** Returns a copy of the written rows, and empties the writer, which keeps its memory. */
  take(): Rows
}

/** Number of bytes of an encoded length. */
const widthOf = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4)

/** The whole number from 0 to `most` that is nearest to a value. */
const within = (value: number, most: number): number => Math.min(Math.max(Math.trunc(value) || 0, 0), most)

/** Longest text that is written byte by byte; for longer ones, a native call is cheaper. */
const shortText = 40
const keptRoom = 16 * 1024 * 1024
const newRoom = 64 * 1024

/** Creates an empty writer. */
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

  /** Writes a length as LEB128. */
  const size = (value: number): void => {
    reserve(5)
    let rest = value
    while (rest > 0x7f) {
      room[length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    room[length++] = rest
  }

  /** Writes a short ASCII text; returns false, and writes nothing, for any other text. */
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
    // The length in bytes is known only after writing; most texts have as many bytes as characters, none has fewer.
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
      // The copy has its own memory, so that it can be freed alone.
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

/** Reads what a RowWriter wrote, value by value in the same order. Throws RangeError after the end. */
export type RowReader = {
  text(): string
  /** A text as bytes, as a view into the row. */
  bytes(): Uint8Array
  bool(): boolean
  uint32(): number
  size(): number
  time(): number
  optionalTime(): number | undefined
  isAtEnd(): boolean
}

/** Creates a reader of one row, or of several concatenated ones. */
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
