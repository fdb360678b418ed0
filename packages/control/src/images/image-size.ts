/** The properties of a picture: its type, the largest declared sides, and the number of scans. */
export type ImageInfo = {
  type: 'png' | 'jpeg' | 'webp'
  width: number
  height: number
  /** Frames of an animation, scans of a progressive picture: each may touch every pixel. */
  passes: number
  /** The reason why a pixel takes more memory than usual during decoding: 16 bits per channel, or an animation. */
  dear?: '16-bit' | 'animation'
}

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end)

/** PNG (third edition) §11.2.1: the header is the first chunk. Only the still picture of an animated one is decoded. */
const pngSize = (bytes: Buffer): ImageInfo | undefined =>
  bytes.length >= 26 && ascii(bytes, 12, 16) === 'IHDR'
    ? {
        type: 'png',
        width: bytes.readUInt32BE(16),
        height: bytes.readUInt32BE(20),
        passes: 1,
        ...(bytes[24] === 16 ? { dear: '16-bit' } : {}),
      }
    : undefined

/** True for the markers that begin a frame (ITU-T T.81, table B.1): C0 to CF but DHT, JPG and DAC. */
const beginsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** The end of the coded pixels of a scan: the next marker that is neither a stuffed byte nor a restart (B.1.1.5). */
const scanEnd = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0xd9
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

/** The largest of all frames, and the scans of all: a decoder may use a later frame. */
const jpegSize = (bytes: Buffer): ImageInfo | undefined => {
  let [width, height, passes] = [0, 0, 0]
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (marker === 0xd9) break
    else {
      if (beginsFrame(marker)) {
        width = Math.max(width, bytes.readUInt16BE(at + 7))
        height = Math.max(height, bytes.readUInt16BE(at + 5))
      }
      // Pixels before any frame.
      if (marker === 0xda && width === 0) return undefined
      at += 2 + bytes.readUInt16BE(at + 2)
      if (marker !== 0xda) continue
      passes += 1
      at = scanEnd(bytes, at)
    }
  }
  return width === 0 ? undefined : { type: 'jpeg', width, height, passes: Math.max(1, passes) }
}

/** Sides that one chunk declares (RFC 9649 §2.5 to 2.7). */
const webpChunkSize = (bytes: Buffer, kind: string, at: number): [width: number, height: number] | undefined => {
  if (at + 16 > bytes.length) return undefined
  if (kind === 'VP8 ') return [bytes.readUInt16LE(at + 6) & 0x3fff, bytes.readUInt16LE(at + 8) & 0x3fff]
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(at + 1)
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
  }
  if (kind === 'VP8X') return [bytes.readUIntLE(at + 4, 3) + 1, bytes.readUIntLE(at + 7, 3) + 1]
  if (kind === 'ANMF') return [bytes.readUIntLE(at + 6, 3) + 1, bytes.readUIntLE(at + 9, 3) + 1]
  return undefined
}

/** The largest sides of any chunk, so that a small canvas hides no large frame. */
const webpSize = (bytes: Buffer): ImageInfo | undefined => {
  let [width, height, frames] = [0, 0, 0]
  for (let at = 12; at + 8 <= bytes.length; ) {
    const kind = ascii(bytes, at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const size = webpChunkSize(bytes, kind, at + 8)
    if (size !== undefined) [width, height] = [Math.max(width, size[0]), Math.max(height, size[1])]
    if (kind === 'ANMF') frames += 1
    // A frame of an animation holds chunks of its own behind its 16 bytes.
    at += kind === 'ANMF' ? 24 : 8 + length + (length % 2)
  }
  if (width === 0) return undefined
  return { type: 'webp', width, height, passes: Math.max(1, frames), ...(frames > 0 ? { dear: 'animation' } : {}) }
}

/**
 * Kind and size of a picture by its bytes, read without decoding it. Undefined when it is none of PNG, JPEG and WebP;
 * names and declared types do not count.
 */
export const imageSize = (bytes: Buffer): ImageInfo | undefined => {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return pngSize(bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegSize(bytes)
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return webpSize(bytes)
  return undefined
}
