import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { BrokenFile } from '../broken-file.ts'

const damaged = (): BrokenFile => new BrokenFile('The Parquet file is damaged: a page cannot be decompressed')

/** Copies bytes that are `distance` before their target; the ranges can overlap. */
const repeat = (output: Uint8Array, to: number, distance: number, length: number): void => {
  if (distance === 0 || distance > to || to + length > output.length) throw damaged()
  if (distance >= length) output.copyWithin(to, to - distance, to - distance + length)
  else for (let at = to; at < to + length; at++) output[at] = output[at - distance] ?? 0
}

const byteAt = (input: Uint8Array, at: number): number => {
  const value = input[at]
  if (value === undefined) throw damaged()
  return value
}

/** Decompresses Snappy without framing (google/snappy, format_description.txt). */
const unsnappy = (input: Uint8Array, size: number): Uint8Array => {
  const output = new Uint8Array(size)
  let at = 0
  while (byteAt(input, at++) >= 0x80);
  let to = 0
  const little = (bytes: number): number => {
    let value = 0
    for (let index = 0; index < bytes; index++) value += byteAt(input, at++) * 2 ** (8 * index)
    return value
  }
  while (at < input.length) {
    const tag = byteAt(input, at++)
    if ((tag & 3) === 0) {
      const short = tag >> 2
      const length = (short < 60 ? short : little(short - 59)) + 1
      if (at + length > input.length || to + length > size) throw damaged()
      output.set(input.subarray(at, at + length), to)
      at += length
      to += length
    } else {
      const near = (tag & 3) === 1
      const length = near ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
      const distance = near ? ((tag >> 5) << 8) + little(1) : little((tag & 3) === 2 ? 2 : 4)
      repeat(output, to, distance, length)
      to += length
    }
  }
  if (to !== size) throw damaged()
  return output
}

/** Decompresses an LZ4 block (lz4/lz4, doc/lz4_Block_format.md). */
const unlz4 = (input: Uint8Array, size: number): Uint8Array => {
  const output = new Uint8Array(size)
  let at = 0
  let to = 0
  const more = (short: number): number => {
    let length = short
    if (short === 15) for (let next = 255; next === 255; length += next) next = byteAt(input, at++)
    return length
  }
  while (at < input.length) {
    const token = byteAt(input, at++)
    const literals = more(token >> 4)
    if (at + literals > input.length || to + literals > size) throw damaged()
    output.set(input.subarray(at, at + literals), to)
    at += literals
    to += literals
    if (at === input.length) break
    const distance = byteAt(input, at) + byteAt(input, at + 1) * 256
    at += 2
    const length = more(token & 15) + 4
    repeat(output, to, distance, length)
    to += length
  }
  if (to !== size) throw damaged()
  return output
}

/**
 * Decompresses LZ4 blocks in Hadoop's frame, with two sizes of four bytes, big-endian, before each block. Some writers
 * of the codec LZ4 omit the frame.
 */
const unlz4Hadoop = (input: Uint8Array, size: number): Uint8Array => {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  const parts: { from: number; to: number; size: number }[] = []
  let total = 0
  for (let at = 0; at < input.length; ) {
    if (at + 8 > input.length) return unlz4(input, size)
    const plain = view.getUint32(at)
    const packed = view.getUint32(at + 4)
    if (at + 8 + packed > input.length || packed === 0) return unlz4(input, size)
    parts.push({ from: at + 8, to: at + 8 + packed, size: plain })
    total += plain
    at += 8 + packed
  }
  if (total !== size) return unlz4(input, size)
  const output = new Uint8Array(size)
  let to = 0
  for (const part of parts) {
    output.set(unlz4(input.subarray(part.from, part.to), part.size), to)
    to += part.size
  }
  return output
}

/** Options for a single buffer for the whole page, because joining parts at the end would take twice its size. */
const inOnePart = (size: number) => ({ maxOutputLength: size, chunkSize: Math.max(64, size + 1) })

/**
 * Decompression functions by the numbers of CompressionCodec (apache/parquet-format, parquet.thrift). LZO is not
 * supported.
 */
const codecs: Readonly<Record<number, (input: Uint8Array, size: number) => Uint8Array>> = {
  0: (input) => input,
  1: unsnappy,
  2: (input, size) => gunzipSync(input, inOnePart(size)),
  4: (input, size) => brotliDecompressSync(input, inOnePart(size)),
  5: unlz4Hadoop,
  6: (input, size) => zstdDecompressSync(input, inOnePart(size)),
  7: unlz4,
}

/** Whether pages of this codec can be read. */
export const knowsCodec = (codec: number): boolean => Object.hasOwn(codecs, codec)

/**
 * Returns the decompressed bytes of a page, which must be exactly `size` bytes. No more memory is allocated, whatever
 * the page contains. Throws BrokenFile for another size.
 */
export const decompress = (codec: number, input: Uint8Array, size: number): Uint8Array => {
  if (size === 0) return new Uint8Array()
  let output: Uint8Array | undefined
  try {
    output = codecs[codec]?.(input, size)
  } catch (error) {
    throw error instanceof BrokenFile ? error : damaged()
  }
  if (output?.length !== size) throw damaged()
  return output
}
