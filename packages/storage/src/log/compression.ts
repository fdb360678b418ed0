import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Smaller chunks stay as they are: a call of the compressor costs about 35 µs, whatever its input. */
const minBytes = 16 * 1024

/** Beyond the first level events get hardly smaller. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

/** A chunk as a segment keeps it: compressed when `size` says how many bytes it has, as it is when that is 0. */
export type StoredChunk = { readonly body: Uint8Array; readonly size: number }

/** Compresses a chunk (Zstandard) where that makes it smaller; an uncompressed one is a view, not a copy. */
export const compressChunk = (bytes: Uint8Array): StoredChunk => {
  if (bytes.byteLength < minBytes) return { body: bytes, size: 0 }
  // Events become a tenth; what needs more room is put together of several pieces.
  const chunkSize = Math.max(Math.ceil(bytes.byteLength / 4), 64)
  const body = zstdCompressSync(bytes, { params, chunkSize })
  return body.byteLength < bytes.byteLength ? { body, size: bytes.byteLength } : { body: bytes, size: 0 }
}

/** The bytes of a chunk. Throws when they are damaged or not as many as was said. */
export const expandChunk = ({ body, size }: StoredChunk): Uint8Array => {
  if (size === 0) return body
  // One byte more, so that the end is found without more memory.
  const bytes = zstdDecompressSync(body, { chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 })
  if (bytes.byteLength !== size) throw new RangeError('A chunk of the log is not as long as it was')
  return bytes
}
