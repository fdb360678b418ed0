import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { LogEntry, LogRecord, ProducerStamp } from './port.ts'

/** The partition of an entry. Throws RangeError for one that the log does not have. */
export const partitionOfEntry = ({ key, partition }: LogEntry, partitions: number): number => {
  if (partition === undefined) return partitionOf(key, partitions)
  if (partition >= 0 && partition < partitions) return partition
  throw new RangeError(`There is no partition ${partition}`)
}

/** Number of partitions in the logs of the product. */
export const logPartitions = 64

/** The partition of a key: stable for a given number of partitions (FNV-1a over UTF-16 code units). */
export const partitionOf = (key: string, partitions: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) {
    hash ^= key.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  return (hash >>> 0) % partitions
}

/** An entry to be written, with the lengths that packing needs. */
export type PendingEntry = LogEntry & {
  partition: number
  metaBytes: number
  keyBytes: number
  /** The stamp, which all entries of a group share. */
  stamp?: ProducerStamp | undefined
}

/**
 * Consecutive records of one partition, stored as one row of a segment. `from` and `to` are byte positions in the
 * group. A chunk of a stamped group has no other entries.
 */
export type PackedChunk = {
  partition: number
  count: number
  from: number
  to: number
  /** Whether one of its records is addressed. */
  addressed: boolean
  stamp?: ProducerStamp | undefined
}

/** The data of one commit. `bytes` owns its memory, so it can be transferred to another thread. */
export type PackedGroup = { bytes: Uint8Array<ArrayBuffer>; chunks: PackedChunk[] }

const headerBytes = 12
/**
 * Maximum bytes of a chunk. A reader that starts inside a chunk reads it from its beginning, so the maximum limits the
 * unneeded bytes.
 */
const maxChunkBytes = 1024 * 1024

/** Bytes of a record in a chunk. */
export const packedSize = (entry: PendingEntry): number =>
  headerBytes + entry.keyBytes + entry.metaBytes + entry.body.byteLength

const byPartition = <Entry extends PendingEntry>(entries: readonly Entry[]): Map<number, Entry[]> => {
  const groups = new Map<number, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.partition)
    if (group === undefined) groups.set(entry.partition, [entry])
    else group.push(entry)
  }
  return groups
}

/**
 * Returns memory for this number of bytes: the used memory if it is large enough, otherwise new memory with a reserve.
 */
const memoryFor = (bytes: number, used: ArrayBuffer | undefined): ArrayBuffer =>
  used !== undefined && used.byteLength >= bytes
    ? used
    : new ArrayBuffer(Math.max(64 * 1024, 2 ** Math.ceil(Math.log2(bytes))))

/**
 * Packs entries into chunks, each of one partition and at most 1 MiB (or one record). The result `order` lists the
 * entries in the order of the chunks; those of one partition keep their order. The memory `used` may be overwritten.
 * New memory for each group costs as much as filling it, and stays until it is collected.
 */
export const packEntries = <Entry extends PendingEntry>(
  entries: readonly Entry[],
  used?: ArrayBuffer,
): { group: PackedGroup; order: Entry[] } => {
  let total = 0
  for (const entry of entries) total += packedSize(entry)
  const buffer = Buffer.from(memoryFor(total, used), 0, total)
  const chunks: PackedChunk[] = []
  const order: Entry[] = []
  let at = 0
  for (const [partition, group] of byPartition(entries)) {
    let chunk: PackedChunk | undefined
    for (const entry of group) {
      if (chunk === undefined || chunk.stamp !== entry.stamp || at + packedSize(entry) - chunk.from > maxChunkBytes) {
        chunk = { partition, count: 0, from: at, to: at, addressed: false, stamp: entry.stamp }
        chunks.push(chunk)
      }
      at = packOne(buffer, at, entry)
      chunk.count++
      if (entry.addressed !== false) chunk.addressed = true
      chunk.to = at
      order.push(entry)
    }
  }
  return { group: { bytes: new Uint8Array(buffer.buffer, 0, total), chunks }, order }
}

const packOne = (buffer: Buffer, start: number, entry: PendingEntry): number => {
  let at = buffer.writeUInt32LE(entry.body.byteLength, start)
  at = buffer.writeUInt32LE(entry.metaBytes, at)
  at = buffer.writeUInt32LE(entry.keyBytes, at)
  at += buffer.write(entry.key, at, entry.keyBytes, 'utf8')
  at += buffer.write(entry.meta, at, entry.metaBytes, 'utf8')
  buffer.set(entry.body, at)
  return at + entry.body.byteLength
}

/**
 * Reads the records of a chunk. Bodies are views into `bytes`. Throws if the bytes do not contain exactly `count`
 * records.
 */
export const unpackChunk = (
  bytes: Uint8Array,
  chunk: { partition: number; first: number; count: number; time: number; incarnation: string },
): LogRecord[] => {
  const { partition, first, count, time, incarnation } = chunk
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const records: LogRecord[] = []
  let at = 0
  for (let index = 0; index < count; index++) {
    const bodyBytes = buffer.readUInt32LE(at)
    const metaAt = at + headerBytes + buffer.readUInt32LE(at + 8)
    const bodyAt = metaAt + buffer.readUInt32LE(at + 4)
    const end = bodyAt + bodyBytes
    if (end > buffer.length) throw new RangeError('A chunk of the log is shorter than its records')
    records.push({
      partition,
      offset: first + index,
      incarnation,
      time,
      key: buffer.toString('utf8', at + headerBytes, metaAt),
      meta: buffer.toString('utf8', metaAt, bodyAt),
      body: bytes.subarray(bodyAt, end),
    })
    at = end
  }
  if (at !== buffer.length) throw new RangeError('A chunk of the log is longer than its records')
  return records
}

/** Minimum bytes of a chunk that is compressed. A call of the compressor costs about 35 µs, whatever its input. */
const minBytes = 16 * 1024

/** Compression level 1: at higher levels, events become hardly smaller. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

/** A chunk as stored in a segment: compressed if `size` is its number of bytes, uncompressed if `size` is 0. */
export type StoredChunk = { readonly body: Uint8Array; readonly size: number }

/** Compresses a chunk (Zstandard) if that makes it smaller. An uncompressed result is a view of the same memory. */
export const compressChunk = (bytes: Uint8Array): StoredChunk => {
  if (bytes.byteLength < minBytes) return { body: bytes, size: 0 }
  // Bytes of a buffer of the compressor. Events compress to about a tenth; a larger result is joined from several
  // buffers.
  const chunkSize = Math.max(Math.ceil(bytes.byteLength / 4), 64)
  const body = zstdCompressSync(bytes, { params, chunkSize })
  return body.byteLength < bytes.byteLength ? { body, size: bytes.byteLength } : { body: bytes, size: 0 }
}

/** Decompresses a chunk. Throws if it is damaged or does not have the recorded number of bytes. */
export const expandChunk = ({ body, size }: StoredChunk): Uint8Array => {
  if (size === 0) return body
  // One byte more, so that the end is found without more memory.
  const bytes = zstdDecompressSync(body, { chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 })
  if (bytes.byteLength !== size) throw new RangeError('A chunk of the log is not as long as it was')
  return bytes
}
