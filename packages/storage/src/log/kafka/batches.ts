import { zstdDecompressSync } from 'node:zlib'
import { crc32c } from '@platformatic/kafka'
import { requireKnownFormat } from '@tributary/kernel'
import { compressChunk } from '../entries.ts'

/**
 * Batches of records in Kafka's format (version 2, https://kafka.apache.org/documentation/#recordbatch). A batch is
 * written and read as a whole. The library's own writer reads the records again for each attempt, when the caller may
 * have freed their memory. Its reader creates several objects per field.
 */

/** The header of a batch, stored in a header of its first record. */
export type BatchHead = {
  /** The batch's incarnation. */
  i: string
  /** Bytes of all earlier batches in its partition, since the partition began. */
  c: number
  /** 1 for a batch without records of the log: it ends the appends of earlier writers. */
  f?: 1
  /** 1 for a batch that was appended next to the log's writer: its incarnation follows from its position. */
  w?: 1
  /** The producer's stamp: its name, epoch, sequence and note. */
  p?: string
  e?: number
  s?: number
  n?: string
}

/** A record to be written. */
export type RecordToWrite = { key: string; meta: string; body: Uint8Array; addressed: boolean }

/** A record of a batch; its body is a view into the batch's bytes. */
export type BatchRecord = { offset: number; key: string; meta: string; body: Uint8Array; addressed: boolean }

export type Batch = {
  readonly base: number
  /** Offset after its last record. */
  readonly next: number
  /** Epoch ms. */
  readonly time: number
  /** Compressed size of the batch in Kafka, bytes. */
  readonly bytes: number
  /** Undefined for a batch that another program has written. Decoded on first use, like the records. */
  readonly head: BatchHead | undefined
  readonly records: readonly BatchRecord[]
  /** Whether the records were decoded. They then use memory, usually ten times that of the batch. */
  readonly isRead: boolean
}

/** The identity of a producer. Kafka rejects a batch of a former epoch, and recognizes a repeated batch. */
export type WriterStamp = { producerId: bigint; epoch: number; sequence: number }

const names = { head: Buffer.from('t'), meta: Buffer.from('m'), unaddressed: Buffer.from('u') }
const empty = Buffer.alloc(0)
const headBytes = 61
const zstd = 4
const isControl = 1 << 5

/** Bytes of a variable-length number that is not negative. */
const zigzagSize = (value: number): number => {
  let size = 1
  for (let left = value * 2; left >= 128; left = Math.floor(left / 128)) size++
  return size
}

const putVarint = (into: Buffer, at: number, value: number): number => {
  let left = 2 * value
  while (left >= 128) {
    into[at++] = (left % 128) | 128
    left = Math.floor(left / 128)
  }
  into[at++] = left
  return at
}
const sizeOf = (bytes: Uint8Array): number => zigzagSize(bytes.byteLength) + bytes.byteLength
const put = (into: Buffer, at: number, bytes: Uint8Array): number => {
  const from = putVarint(into, at, bytes.byteLength)
  into.set(bytes, from)
  return from + bytes.byteLength
}

const headersOf = ({ meta, addressed }: RecordToWrite, head: BatchHead | undefined): [Buffer, Buffer][] => {
  const headers: [Buffer, Buffer][] = head === undefined ? [] : [[names.head, Buffer.from(JSON.stringify(head))]]
  if (meta !== '') headers.push([names.meta, Buffer.from(meta)])
  if (!addressed) headers.push([names.unaddressed, empty])
  return headers
}

/** Bytes of an entry in a batch, slightly overestimated. */
export const sizeInBatch = (entry: { key: string; meta: string; body: Uint8Array }): number =>
  Buffer.byteLength(entry.key) + Buffer.byteLength(entry.meta) + entry.body.byteLength + 32

const encodeRecords = (records: readonly RecordToWrite[], head: BatchHead): Buffer => {
  const parts = records.map((record, index) => {
    const key = Buffer.from(record.key)
    const headers = headersOf(record, index === 0 ? head : undefined)
    let size = 2 + zigzagSize(index) + sizeOf(key) + sizeOf(record.body) + zigzagSize(headers.length)
    for (const [name, value] of headers) size += sizeOf(name) + sizeOf(value)
    return { key, body: record.body, headers, size }
  })
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, { size }) => sum + zigzagSize(size) + size, 0))
  let at = 0
  for (const [index, { key, body, headers, size }] of parts.entries()) {
    at = putVarint(bytes, at, size)
    bytes[at++] = 0
    // All records of a batch have its time.
    bytes[at++] = 0
    at = putVarint(bytes, at, index)
    at = put(bytes, at, key)
    at = put(bytes, at, body)
    at = putVarint(bytes, at, headers.length)
    for (const [name, value] of headers) at = put(bytes, put(bytes, at, name), value)
  }
  return bytes
}

/** Encodes a batch, compressed if that is worth it (ADR 34). The result keeps no reference to the records. */
export const encodeBatch = (
  records: readonly RecordToWrite[],
  given: { head: BatchHead; time: number; stamp: WriterStamp },
): Buffer => {
  const { body, size } = compressChunk(encodeRecords(records, given.head))
  const batch = Buffer.allocUnsafe(headBytes + body.byteLength)
  const time = BigInt(given.time)
  batch.writeBigInt64BE(0n, 0)
  batch.writeInt32BE(batch.byteLength - 12, 8)
  batch.writeInt32BE(-1, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(size > 0 ? zstd : 0, 21)
  batch.writeInt32BE(records.length - 1, 23)
  batch.writeBigInt64BE(time, 27)
  batch.writeBigInt64BE(time, 35)
  batch.writeBigInt64BE(given.stamp.producerId, 43)
  batch.writeInt16BE(given.stamp.epoch, 51)
  batch.writeInt32BE(given.stamp.sequence, 53)
  batch.writeInt32BE(records.length, 57)
  batch.set(body, headBytes)
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17)
  return batch
}

/** Reads consecutive fields of the records in a batch. */
const cursorOf = (bytes: Buffer) => {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('A batch of Kafka is shorter than its records')
      value += (byte & 127) * scale
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }
  const slice = (): Buffer => {
    const size = varint()
    if (size < 0) return empty
    at += size
    if (at > bytes.byteLength) throw new RangeError('A batch of Kafka is shorter than its records')
    return bytes.subarray(at - size, at)
  }
  return { varint, slice, skip: (count: number) => void (at += count) }
}

const readRecord = (cursor: ReturnType<typeof cursorOf>, base: number): BatchRecord & { head?: BatchHead } => {
  cursor.varint()
  cursor.skip(1)
  cursor.varint()
  const offset = base + cursor.varint()
  const record: BatchRecord & { head?: BatchHead } = {
    offset,
    key: cursor.slice().toString(),
    meta: '',
    body: cursor.slice(),
    addressed: true,
  }
  for (let headers = cursor.varint(); headers > 0; headers--) {
    const name = cursor.slice()
    const value = cursor.slice()
    if (name.equals(names.head)) {
      const head = JSON.parse(value.toString()) as BatchHead
      requireKnownFormat('A batch of the log', head)
      record.head = head
    } else if (name.equals(names.meta)) record.meta = value.toString()
    else if (name.equals(names.unaddressed)) record.addressed = false
  }
  return record
}

/** Memory for a decompressed batch: events compress to a tenth, and joining pieces would need the memory twice. */
const expandedBytes = (bytes: number): number => Math.min(Math.max(16 * bytes, 64 * 1024), 1.25 * 1024 * 1024)

/** Decodes the records of a batch, and its head. */
const readRecords = (bytes: Buffer, base: number): Pick<Batch, 'head' | 'records'> => {
  const attributes = bytes.readInt16BE(21)
  const records: BatchRecord[] = []
  let found: BatchHead | undefined
  if ((attributes & isControl) !== 0) return { head: found, records }
  const codec = attributes & 7
  if (codec !== 0 && codec !== zstd) throw new RangeError(`A batch of Kafka has an unknown compression (${codec})`)
  const body = bytes.subarray(headBytes)
  const cursor = cursorOf(
    codec === zstd ? zstdDecompressSync(body, { chunkSize: expandedBytes(body.byteLength) }) : body,
  )
  for (let left = bytes.readInt32BE(57); left > 0; left--) {
    const { head, ...record } = readRecord(cursor, base)
    found ??= head
    records.push(record)
  }
  return { head: found, records }
}

const decodeOne = (given: Buffer): Batch => {
  let bytes: Buffer | undefined = given
  let known: ReturnType<typeof readRecords> | undefined
  const base = Number(given.readBigInt64BE(0))
  const read = (): ReturnType<typeof readRecords> => {
    known ??= readRecords(bytes ?? empty, base)
    bytes = undefined
    return known
  }
  return {
    base,
    next: base + given.readInt32BE(23) + 1,
    time: Number(given.readBigInt64BE(27)),
    bytes: given.byteLength,
    get head() {
      return read().head
    },
    get records() {
      return read().records
    },
    get isRead() {
      return known !== undefined
    },
  }
}

/**
 * Returns the complete batches of a fetch, without decoding their records. The last batch may be incomplete, and is
 * fetched again.
 */
export const decodeBatches = (bytes: Buffer): Batch[] => {
  const batches: Batch[] = []
  for (let at = 0; at + headBytes <= bytes.byteLength; ) {
    const end = at + 12 + bytes.readInt32BE(at + 8)
    if (end > bytes.byteLength) break
    batches.push(decodeOne(bytes.subarray(at, end)))
    at = end
  }
  return batches
}
