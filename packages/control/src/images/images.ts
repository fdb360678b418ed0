import { createHash, randomBytes } from 'node:crypto'
import { ResizeFilterType, ResizeFit, Transformer } from '@napi-rs/image'
import { badRequest } from '@tributary/kernel'
import { isRelationalUnavailable } from '@tributary/storage'
import { LRUCache } from 'lru-cache'
import type { ControlDeps } from '../deps.ts'
import { type ImageInfo, imageSize } from './image-size.ts'
import { createOneAtATime } from './one-at-a-time.ts'

/** Maximum width and height of a stored picture, in pixels. */
const storedSide = 512
/**
 * Maximum memory for decoding a picture, and measured bytes per pixel. The library holds the picture twice and the
 * smaller copy. That is 9 bytes for a rotated JPEG, 10.9 for a transparent WebP, 12.4 for a frame of an animation, and
 * 18 for 16 bits per channel.
 */
const maxDecodingBytes = 88 * 1024 * 1024
const decodingBytes = { common: 11, animation: 13, '16-bit': 19 } as const
const ofKind = { common: '', animation: ' of an animation', '16-bit': ' of 16 bits a channel' } as const
/**
 * Maximum width and height, in pixels. Resizing a picture of 25 million by one pixel took 10 s and 1.5 GB, because work
 * and tables grow with each side separately.
 */
const maxSide = 16_384
/**
 * Maximum number of frames and scans. A progressive JPEG of 2 MB may have thousands that each touch every pixel;
 * cameras write 10.
 */
const maxPasses = 100
/** Widths and heights of smaller pictures, in pixels. A request gets the next larger one. */
const offeredSides = [32, 48, 64, 96, 128, 192, 256, 384] as const
const cachedBytes = 16 * 1024 * 1024
const quality = 88

const contentType = 'image/webp'
const keyPattern = /^(?:logos|photos)\/[0-9a-f]{32}-[0-9a-f]{16}\.webp$/

export type ImageFolder = 'logos' | 'photos'
/** Maximum width and height of a requested picture, in pixels. */
export type ImageBox = { maxWidth?: number; maxHeight?: number }

export type Images = {
  /**
   * Stores a picture, given as base64, and returns its key. The picture is decoded, turned upright, limited to 512
   * pixels per side, and encoded as WebP with its pixels only. Throws 400 VALIDATION with `content` if the bytes are
   * not PNG, JPEG, or WebP, are too large to decode, or are broken.
   */
  store(folder: ImageFolder, content: string): Promise<string>
  /**
   * Runs the transaction `write`, which replaces a stored picture by the one with this key (or by none). The
   * transaction resolves to the key of the previous picture, which is removed after the commit. If the transaction
   * fails, the new picture is removed.
   */
  replace<Result>(key: string, write: () => Promise<{ before: string; result: Result }>): Promise<Result>
  /**
   * Removes a picture that nothing refers to anymore. Never throws: a picture that cannot be removed is only logged.
   */
  remove(key: string): Promise<void>
  /**
   * Removes stored pictures without a reference, which a killed process leaves behind. Removes only those that also had
   * none at the previous call, because an upload stores its picture before the reference is committed. Call it rarely,
   * hours apart.
   */
  sweep(): Promise<void>
  /** Reads a stored picture, and makes it smaller to fit in the box. Returns undefined for an unknown key. */
  read(key: string, box: ImageBox): Promise<{ body: Uint8Array; contentType: string } | undefined>
}

const refuse = (text: string): never => {
  throw badRequest('VALIDATION', `content: ${text}`, { content: text })
}

const inspect = (bytes: Buffer): void => {
  if (bytes.length === 0) refuse('Image is required.')
  const found = imageSize(bytes)
  if (found === undefined) return refuse('jpeg, jpg, png, webp files are accepted.')
  const { width, height, passes, dear = 'common' } = found
  if (Math.max(width, height) > maxSide)
    refuse(`The image is too large. Each side can have at most ${maxSide.toLocaleString('en-US')} pixels.`)
  // Rounded down to tenths of a million, as the message shows the limit.
  const millions = Math.floor(maxDecodingBytes / decodingBytes[dear] / 100_000) / 10
  if (width * height > millions * 1_000_000)
    refuse(`The image has too many pixels${ofKind[dear]}; at most ${millions} million are accepted.`)
  if (passes > maxPasses) refuse(`The image has too many frames or scans; at most ${maxPasses} are accepted.`)
}

const shrink = (
  picture: Transformer,
  { width, height }: Pick<ImageInfo, 'width' | 'height'>,
  side: number,
): Transformer =>
  // `fastResize` is not used, because it holds another two copies of the whole picture.
  Math.max(width, height) <= side ? picture : picture.resize(side, side, ResizeFilterType.Lanczos3, ResizeFit.Inside)

const encode = async (bytes: Buffer): Promise<Buffer> => {
  const size = imageSize(bytes)
  if (size === undefined) throw new Error('no picture')
  // Turns the picture upright, as the camera recorded it. A turn by 90 degrees does not change the longer side.
  return await shrink(new Transformer(bytes).rotate(), size, storedSide).webp(quality)
}

const sideFor = (box: ImageBox, { width, height }: Pick<ImageInfo, 'width' | 'height'>): number | undefined => {
  const scale = Math.min(1, (box.maxWidth ?? width) / width, (box.maxHeight ?? height) / height)
  const wanted = Math.max(width, height) * scale
  return scale === 1 ? undefined : offeredSides.find((side) => side >= wanted && side < Math.max(width, height))
}

/** Stores pictures of organizations and users as blobs. */
export const createImages = ({ db, blobs, logger }: Pick<ControlDeps, 'db' | 'blobs' | 'logger'>): Images => {
  const decoding = createOneAtATime(16)
  const resizing = createOneAtATime(200)
  /** Caches smaller versions of pictures that were requested recently. */
  const cache = new LRUCache<string, Buffer>({ maxSize: cachedBytes, sizeCalculation: ({ length }) => length })

  const resized = async (key: string, stored: Buffer, side: number): Promise<Buffer> => {
    const name = `${key} ${side}`
    return (
      cache.get(name) ??
      (await resizing(async () => {
        const found = cache.get(name)
        if (found !== undefined) return found
        const size = imageSize(stored)
        const made = size === undefined ? stored : await shrink(new Transformer(stored), size, side).webp(quality)
        cache.set(name, made)
        return made
      }))
    )
  }

  const remove: Images['remove'] = async (key) => {
    if (!keyPattern.test(key)) return
    await blobs
      .delete(key)
      .catch((error) => logger.warn({ key, error: String(error) }, 'a replaced picture could not be removed'))
  }

  /** Keys of pictures that had no reference at the previous sweep. */
  let unused: ReadonlySet<string> = new Set()

  return {
    remove,
    async sweep() {
      const stored = [...(await blobs.list('logos/')), ...(await blobs.list('photos/'))]
      const logos = await db.selectFrom('organizations').select('logo as key').where('logo', '<>', '').execute()
      const photos = await db.selectFrom('users').select('photo_url as key').where('photo_url', '<>', '').execute()
      const used = new Set([...logos, ...photos].map(({ key }) => key))
      const now = stored.filter((key) => !used.has(key))
      for (const key of now) if (unused.has(key)) await remove(key)
      unused = new Set(now)
    },
    async replace(key, write) {
      try {
        const { before, result } = await write()
        await remove(before)
        return result
      } catch (error) {
        // If the database became unavailable, the transaction may have been committed, so the picture stays.
        if (!isRelationalUnavailable(error)) await remove(key)
        throw error
      }
    },
    async store(folder, content) {
      const given = Buffer.from(content, 'base64')
      inspect(given)
      const body = await decoding(() =>
        encode(given).catch(() => refuse("The image can't be read. Save it again and retry.")),
      )
      const hash = createHash('sha256').update(body).digest('hex').slice(0, 32)
      // The random part gives a picture that is stored twice two blobs, so that removing one leaves the other.
      const key = `${folder}/${hash}-${randomBytes(8).toString('hex')}.webp`
      await blobs.put(key, body, contentType)
      return key
    },
    async read(key, box) {
      if (!keyPattern.test(key)) return undefined
      const stored = await blobs.get(key)
      if (stored === undefined) return undefined
      const body = Buffer.from(stored.body.buffer, stored.body.byteOffset, stored.body.byteLength)
      const size = imageSize(body)
      const side = size === undefined ? undefined : sideFor(box, size)
      return { body: side === undefined ? body : await resized(key, body, side), contentType: stored.contentType }
    },
  }
}
