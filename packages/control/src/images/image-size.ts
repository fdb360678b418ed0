/** The properties of a picture: its type, the largest declared width and height, and the number of scans or frames. */
export type ImageInfo = {
  type: 'png' | 'jpeg' | 'webp'
  width: number
  height: number
  /** Number of frames of an animation, or of scans of a progressive picture. Each may touch every pixel. */
  passes: number
  /** The reason why a pixel takes more memory than usual during decoding: 16 bits per channel, or an animation. */
  dear?: '16-bit' | 'animation'
}

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end)

/**
 * Reads the size of a PNG. The header is the first chunk (PNG, third edition, §11.2.1). An animated PNG is decoded only
 * as its still picture.
 */
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

/** True for the markers that begin a frame (ITU-T T.81, table B.1): C0 to CF, except for DHT, JPG, and DAC. */
const beginsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/**
 * Returns the end of the coded pixels of a scan: the next marker that is neither a stuffed byte nor a restart marker
 * (B.1.1.5).
 */
const scanEnd = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0xd9
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

/**
 * Returns the largest size of any frame, and the number of scans in all frames. A decoder may use a later frame than
 * the first.
 */
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
      // The scan has pixels, but no frame has declared a size before it.
      if (marker === 0xda && width === 0) return undefined
      at += 2 + bytes.readUInt16BE(at + 2)
      if (marker !== 0xda) continue
      passes += 1
      at = scanEnd(bytes, at)
    }
  }
  return width === 0 ? undefined : { type: 'jpeg', width, height, passes: Math.max(1, passes) }
}

/** Reads the width and height that one chunk declares (RFC 9649 §2.5 to 2.7). */
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

/** Returns the largest size that any chunk declares, so that a small canvas cannot hide a large frame. */
const webpSize = (bytes: Buffer): ImageInfo | undefined => {
  let [width, height, frames] = [0, 0, 0]
  for (let at = 12; at + 8 <= bytes.length; ) {
    const kind = ascii(bytes, at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const size = webpChunkSize(bytes, kind, at + 8)
    if (size !== undefined) [width, height] = [Math.max(width, size[0]), Math.max(height, size[1])]
    if (kind === 'ANMF') frames += 1
    // After the first 16 bytes of a frame, its own chunks follow. They are read like all other chunks.
    at += kind === 'ANMF' ? 24 : 8 + length + (length % 2)
  }
  if (width === 0) return undefined
  return { type: 'webp', width, height, passes: Math.max(1, frames), ...(frames > 0 ? { dear: 'animation' } : {}) }
}

/**
 * Reads the type and the size of a picture from its bytes, without decoding it. Returns undefined if it is not a PNG,
 * JPEG, or WebP. File names and declared types are ignored.
 */
export const imageSize = (bytes: Buffer): ImageInfo | undefined => {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return pngSize(bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegSize(bytes)
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return webpSize(bytes)
  return undefined
}
