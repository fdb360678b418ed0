import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

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
