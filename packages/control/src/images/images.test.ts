import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import { Transformer } from '@napi-rs/image'
import { imageMaxBytes, methods } from '@tributary/contract'
import { BlobsUnavailable } from '@tributary/storage'
import { forgetPeak, peakBytes, residentBytes } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Caller,
  type Harness,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { imageSize } from './image-size.ts'
import { uploadsPerHour } from './upload-limit.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

/** A picture whose left half is red and whose right half is blue. */
const picture = (width: number, height: number): Transformer => {
  const pixels = Buffer.alloc(width * height * 4)
  for (let at = 0; at < width * height; at++)
    pixels.writeUInt32BE(at % width < width / 2 ? 0xff0000ff : 0x0000ffff, at * 4)
  return Transformer.fromRgbaPixels(pixels, width, height)
}

const chunk = (kind: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Makes a PNG that contains only zeros, with the size in its header. */
const blackPng = (width: number, height: number, depth: 1 | 8 | 16, colourType: number, rowBytes: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = depth
  header[9] = colourType
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from('Comment\0where I live')),
    chunk('IDAT', deflateSync(Buffer.alloc((rowBytes + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A WebP whose canvas has other sides than the picture in it. */
const canvasAround = async (width: number, height: number): Promise<Buffer> => {
  const frame = await picture(20, 20).webpLossless()
  const canvas = Buffer.alloc(18)
  canvas.write('VP8X', 'latin1')
  canvas.writeUInt32LE(10, 4)
  canvas.writeUIntLE(width - 1, 12, 3)
  canvas.writeUIntLE(height - 1, 15, 3)
  return Buffer.concat([frame.subarray(0, 12), canvas, frame.subarray(12)])
}

/** The same JPEG with an Exif segment that says how the camera was held. */
const turned = (jpeg: Buffer, orientation: number): Buffer => {
  const exif = Buffer.from('4578696600004d4d002a000000080001011200030000000100000000000000000000', 'hex')
  exif.writeUInt16BE(orientation, 24)
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

const riffChunk = (kind: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.write(kind, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** An animation whose frames are all the picture of a WebP with these sides (RFC 9649 §2.7.1). */
const animated = (webp: Buffer, width: number, height: number, frames: number): Buffer => {
  const pixels: Buffer[] = []
  for (let at = 12; at + 8 <= webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4) + (webp.readUInt32LE(at + 4) % 2)
    if (['ALPH', 'VP8 ', 'VP8L'].includes(webp.toString('latin1', at, at + 4))) pixels.push(webp.subarray(at, end))
    at = end
  }
  const canvas = Buffer.from([0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  const frame = Buffer.alloc(16)
  for (const [head, at] of [
    [canvas, 4],
    [frame, 6],
  ] as const) {
    head.writeUIntLE(width - 1, at, 3)
    head.writeUIntLE(height - 1, at + 3, 3)
  }
  frame.writeUIntLE(100, 12, 3)
  const one = riffChunk('ANMF', Buffer.concat([frame, ...pixels]))
  const body = [
    riffChunk('VP8X', canvas),
    riffChunk('ANIM', Buffer.alloc(6)),
    ...Array.from({ length: frames }, () => one),
  ]
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body]))
}

/** A JPEG in which every block is gray, in one scan of the lowest frequency: the few bytes of a progressive picture. */
const greyProgressiveJpeg = (width: number, height: number): Buffer => {
  const segment = (marker: number, data: readonly number[]): Buffer =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data])
  const sides = [height >> 8, height & 255, width >> 8, width & 255]
  const bits = Math.ceil(width / 8) * Math.ceil(height / 8) * 3
  const scan = Buffer.alloc(Math.ceil(bits / 8))
  // The rest of the last byte is ones.
  if (bits % 8 > 0) scan[scan.length - 1] = (1 << (8 - (bits % 8))) - 1
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    segment(0xc2, [8, ...sides, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
    segment(0xc4, [0, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]),
    scan,
    Buffer.from([0xff, 0xd9]),
  ])
}

/** Pictures made by another process, so that making them leaves nothing in this one. */
const made = async (width: number, height: number, method: 'jpegSync' | 'webpSync'): Promise<Buffer> => {
  const program = `
    const { Transformer } = require('@napi-rs/image')
    const pixels = Buffer.alloc(${width * height * 4}, 0x80)
    for (let at = 0; at < pixels.length; at += 64) pixels.writeUInt32LE((at >> 6) * 2654435761 >>> 0, at)
    process.stdout.write(Transformer.fromRgbaPixels(pixels, ${width}, ${height}).${method}(20))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
    cwd: import.meta.dirname,
    encoding: 'buffer',
    maxBuffer: imageMaxBytes,
  })
  return stdout
}

const keyOf = (path: unknown): string => String(path).replace(/^media\//, '')
const upload = (bytes: Buffer, by: Caller = organization.administrator) =>
  by.call('POST', `/${organization.organization}:uploadLogo`, { content: bytes.toString('base64') })
/** The stored bytes of an uploaded picture. */
const stored = async (bytes: Buffer): Promise<Buffer> => {
  const reply = await upload(bytes)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  const found = await harness.readImage(keyOf((reply.body.extra as { logo: string }).logo), {})
  return Buffer.from(found?.body ?? [])
}
const sizeOfStored = async (bytes: Buffer) => imageSize(await stored(bytes))
const refused = (text: string) => ({ status: 400, body: { reason: 'VALIDATION', metadata: { content: text } } })

describe('an uploaded picture', () => {
  test('an uploaded picture of each kind becomes WebP of at most 512 pixels a side, and is never enlarged', async () => {
    const large = picture(1000, 500)
    for (const bytes of [await large.jpeg(80), await picture(1000, 500).png(), await picture(1000, 500).webp(80)])
      expect(await sizeOfStored(bytes)).toMatchObject({ type: 'webp', width: 512, height: 256 })
    expect(await sizeOfStored(await picture(30, 400).png())).toMatchObject({ type: 'webp', width: 30, height: 400 })
  })

  test.each([
    ['of 16 bits with transparency', 16, 6, 8 * 64],
    ['of 16 bits in grey', 16, 0, 2 * 64],
    ['in black and white', 1, 0, 8],
    ['in grey with transparency', 8, 4, 2 * 64],
  ] as const)('an uploaded picture %s is accepted', async (_, depth, type, rowBytes) => {
    expect(await sizeOfStored(blackPng(64, 32, depth, type, rowBytes))).toMatchObject({
      type: 'webp',
      width: 64,
      height: 32,
    })
    expect(await sizeOfStored(blackPng(64, 2000, depth, type, rowBytes))).toMatchObject({ height: 512 })
  })

  test('an uploaded picture is turned upright, and only its pixels are kept', async () => {
    const upright = await stored(turned(await picture(80, 40).jpeg(90), 6))
    expect(imageSize(upright)).toMatchObject({ type: 'webp', width: 40, height: 80 })
    // The camera was held so that the left half is on top.
    const pixels = await new Transformer(upright).rawPixels()
    const perPixel = pixels.length / (40 * 80)
    const [red = 0, , blue = 0] = pixels.subarray(20 * 10 * perPixel)
    expect(red).toBeGreaterThan(blue)
    expect(upright.includes('Exif')).toBe(false)
    expect((await stored(blackPng(64, 32, 8, 2, 3 * 64))).includes('where I live')).toBe(false)
  })

  test('an uploaded picture is recognized by its bytes; other files are refused with the text of the rule', async () => {
    const text = 'jpeg, jpg, png, webp files are accepted.'
    for (const bytes of [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'),
      Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1'),
      Buffer.from('<html>'),
      Buffer.from([0xff, 0xd8, 0xff]),
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ])
      expect(await upload(bytes)).toMatchObject(refused(text))
  })

  test('a broken picture is refused', async () => {
    const broken = (await picture(300, 300).png()).subarray(0, 60)
    expect(await upload(broken)).toMatchObject(refused("The image can't be read. Save it again and retry."))
  })

  test('a picture with too many pixels for the memory is refused before it is decoded', async () => {
    const text = 'The image has too many pixels; at most 8.3 million are accepted.'
    // 16,000 by 16,000 pixels of black in 300 kB.
    expect(await upload(blackPng(16_000, 16_000, 1, 0, 2000).subarray(0, 300_000))).toMatchObject(refused(text))
    // A small canvas with a large frame in it.
    const frame = await picture(20, 20).webpLossless()
    frame.writeUInt32LE((16_000 - 1) | ((16_000 - 1) << 14), 21)
    const canvas = Buffer.alloc(18)
    canvas.write('VP8X', 'latin1')
    canvas.writeUInt32LE(10, 4)
    expect(await upload(Buffer.concat([frame.subarray(0, 12), canvas, frame.subarray(12)]))).toMatchObject(
      refused(text),
    )
  })

  test('a narrow picture is refused before it is decoded, whatever its format or number of pixels', async () => {
    const text = 'The image is too large. Each side can have at most 16,384 pixels.'
    const longJpeg = await picture(20, 20).jpeg(80)
    longJpeg.writeUInt16BE(1, longJpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5)
    longJpeg.writeUInt16BE(65_535, longJpeg.indexOf(Buffer.from([0xff, 0xc0])) + 7)
    for (const bytes of [
      blackPng(25_000_000, 1, 1, 0, 3_125_000),
      blackPng(1, 16_385, 8, 2, 3),
      blackPng(16_385, 1, 1, 0, 2049),
      longJpeg,
      await canvasAround(16_777_216, 1),
      await canvasAround(1, 16_777_216),
    ])
      expect(await upload(bytes)).toMatchObject(refused(text))
    expect(await sizeOfStored(blackPng(16_384, 1, 1, 0, 2048))).toMatchObject({ width: 512, height: 1 })
    expect(await sizeOfStored(blackPng(1, 16_384, 8, 2, 3))).toMatchObject({ width: 1, height: 512 })
  })

  test('the maximum number of pixels is lower for pictures with 16 bits a channel and for animations', async () => {
    const text = 'The image has too many pixels of 16 bits a channel; at most 4.8 million are accepted.'
    expect(await upload(blackPng(2400, 2001, 16, 6, 1).subarray(0, 2000))).toMatchObject(refused(text))
    const frames = animated(await picture(20, 20).webpLossless(), 3500, 2001, 1)
    expect(await upload(frames)).toMatchObject(
      refused('The image has too many pixels of an animation; at most 7 million are accepted.'),
    )
  })

  test('a picture with many scans or frames is refused before it is decoded, because each covers every pixel', async () => {
    const text = 'The image has too many frames or scans; at most 100 are accepted.'
    const jpeg = await picture(20, 20).jpeg(80)
    const scan = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])), -2)
    const scans = (count: number): Buffer =>
      Buffer.concat([jpeg.subarray(0, -2), ...Array.from({ length: count - 1 }, () => scan), jpeg.subarray(-2)])
    expect(imageSize(scans(100))).toMatchObject({ width: 20, height: 20, passes: 100 })
    expect(await upload(scans(101))).toMatchObject(refused(text))
    // A frame behind the first that is larger.
    const frame = Buffer.from(jpeg.subarray(2, -2))
    frame.writeUInt16BE(60_000, frame.indexOf(Buffer.from([0xff, 0xc0])) + 7)
    expect(imageSize(Buffer.concat([jpeg.subarray(0, -2), frame, jpeg.subarray(-2)]))).toMatchObject({ width: 60_000 })
    const animation = await canvasAround(20, 20)
    const still = animation.subarray(30)
    const head = Buffer.alloc(24)
    head.write('ANMF', 'latin1')
    head.writeUInt32LE(16 + still.length, 4)
    const frames = Array.from({ length: 101 }, () => Buffer.concat([head, still]))
    expect(await upload(Buffer.concat([animation.subarray(0, 30), ...frames]))).toMatchObject(refused(text))
  })

  test('decoding a picture with the maximum number of pixels takes less than 100 MiB', async () => {
    const largest: Record<string, () => Promise<Buffer> | Buffer> = {
      'PNG with transparency': () => blackPng(3456, 2400, 8, 6, 4 * 3456),
      'PNG of 16 bits': () => blackPng(2400, 2000, 16, 6, 8 * 2400),
      'JPEG that is turned': async () => turned(await made(3456, 2400, 'jpegSync'), 6),
      'progressive JPEG': () => greyProgressiveJpeg(3456, 2400),
      'WebP with transparency': () => made(3456, 2400, 'webpSync'),
      'animated WebP': async () => animated(await made(3500, 2000, 'webpSync'), 3500, 2000, 2),
    }
    const grown: Record<string, number> = {}
    for (const [name, make] of Object.entries(largest)) {
      const bytes = await make()
      const measure = async (): Promise<number> => {
        const before = residentBytes(process.pid)
        forgetPeak(process.pid)
        expect(await sizeOfStored(bytes), name).toMatchObject({ type: 'webp' })
        return (peakBytes(process.pid) - before) / 1024 ** 2
      }
      // Other work of the process can only increase the measured memory, so the lowest of a few measurements is used.
      let least = await measure()
      for (let more = 0; more < 2 && least >= 100; more++) least = Math.min(least, await measure())
      grown[name] = least
    }
    for (const [name, mebibytes] of Object.entries(grown)) expect(mebibytes, name).toBeLessThan(100)
    // A measurable increase shows that the measurement includes the decoding.
    expect(Math.max(...Object.values(grown))).toBeGreaterThan(30)
  })

  test('an uploaded picture may have 2 MB, and a larger one is refused with the text of the rule', async () => {
    const png = await picture(64, 64).png()
    const ofSize = (bytes: number): Buffer => Buffer.concat([png, Buffer.alloc(bytes - png.length)])
    expect((await upload(ofSize(imageMaxBytes))).status).toBe(200)
    expect(await upload(ofSize(imageMaxBytes + 1))).toMatchObject(refused('Max file size is 2MB.'))
    expect(await upload(ofSize(3_500_000))).toMatchObject({ status: 413, body: { reason: 'BODY_TOO_LARGE' } })
    expect(await upload(Buffer.alloc(0))).toMatchObject(refused('Image is required.'))
    const call = (content: unknown) =>
      organization.administrator.call('POST', `/${organization.organization}:uploadLogo`, { content })
    expect(await call('not base64!')).toMatchObject(refused('Must be base64'))
    expect(await call(undefined)).toMatchObject({ status: 400, body: { metadata: { content: expect.any(String) } } })
  })

  test(`a user can upload at most ${uploadsPerHour} pictures an hour`, async () => {
    const person = await harness.person()
    const content = (await picture(2, 2).png()).toString('base64')
    const statuses: number[] = []
    for (let n = 0; n <= uploadsPerHour; n++)
      statuses.push((await person.call('POST', `/users/${person.userId}:uploadPhoto`, { content })).status)
    expect(statuses.indexOf(429)).toBe(uploadsPerHour)
  })
})

describe('the logo of an organization', () => {
  test('the logo is shown wherever the organization is, until it is replaced or removed; then nothing of it remains', async () => {
    const { administrator, guest, organizationId, organization: name } = organization
    const first = await upload(await picture(20, 10).png())
    expect(first.status).toBe(200)
    const path = (first.body.extra as { logo: string }).logo
    expect(path).toMatch(/^media\/logos\/[0-9a-f]{32}-[0-9a-f]{16}\.webp$/)
    const get = () => guest.ok(methods.organizations.get, { organization: organizationId })
    expect((await get()).extra.logo).toBe(path)
    expect(await harness.readImage(keyOf(path), {})).toMatchObject({ contentType: 'image/webp' })
    const second = (await upload(await picture(20, 10).png())).body.extra as { logo: string }
    // A picture that is uploaded again is stored separately.
    expect(second.logo).not.toBe(path)
    expect(await harness.readImage(keyOf(path), {})).toBeUndefined()
    expect(await administrator.call('POST', `/${name}:removeLogo`, {})).toMatchObject({
      status: 200,
      body: { extra: { logo: '' } },
    })
    expect((await get()).extra.logo).toBe('')
    expect(await harness.blobs.list('logos/')).toEqual([])
  })

  test('only administrators can change the logo', async () => {
    const { collaborator, guest, outsider, organization: name } = organization
    const bytes = await picture(20, 10).png()
    for (const [who, status] of [
      [collaborator, 403],
      [guest, 403],
      [outsider, 404],
    ] as const) {
      expect((await upload(bytes, who)).status).toBe(status)
      expect((await who.call('POST', `/${name}:removeLogo`, {})).status).toBe(status)
    }
    expect((await harness.call('', 'POST', `/${name}:uploadLogo`, { content: bytes.toString('base64') })).status).toBe(
      401,
    )
    expect(await harness.blobs.list('logos/')).toEqual([])
  })
})

test('a picture that cannot be stored is refused temporarily, and the previous picture stays', async () => {
  const before = keyOf(((await upload(await picture(20, 10).png())).body.extra as { logo: string }).logo)
  const put = vi.spyOn(harness.blobs, 'put').mockRejectedValue(new BlobsUnavailable('NoSuchBucket: secret words'))
  try {
    expect(await upload(await picture(10, 20).png())).toMatchObject({
      status: 503,
      body: { reason: 'UNAVAILABLE', message: "Pictures can't be stored right now. Try again in a moment" },
    })
  } finally {
    put.mockRestore()
  }
  const { extra } = await organization.guest.ok(methods.organizations.get, {
    organization: organization.organizationId,
  })
  expect(keyOf(extra.logo)).toBe(before)
  expect(await harness.blobs.list('logos/')).toEqual([before])
})

test('a picture can be replaced or removed while the storage cannot delete, and a later sweep deletes it', async () => {
  const before = keyOf(((await upload(await picture(20, 10).png())).body.extra as { logo: string }).logo)
  const away = vi.spyOn(harness.blobs, 'delete').mockRejectedValue(new BlobsUnavailable('away'))
  const path = keyOf(((await upload(await picture(10, 20).png())).body.extra as { logo: string }).logo)
  away.mockRestore()
  expect(await harness.blobs.list('logos/')).toEqual([before, path].toSorted())
  await harness.sweepImages()
  await harness.sweepImages()
  expect(await harness.blobs.list('logos/')).toEqual([path])
})

test('pictures that a killed process left are removed at the second sweep, and used pictures never', async () => {
  const path = keyOf(((await upload(await picture(20, 10).png())).body.extra as { logo: string }).logo)
  const left = `photos/${'0'.repeat(32)}-${'1'.repeat(16)}.webp`
  await harness.blobs.put(left, Buffer.from('x'), 'image/webp')
  await harness.sweepImages()
  expect(await harness.blobs.get(left)).toBeDefined()
  await harness.sweepImages()
  expect(await harness.blobs.get(left)).toBeUndefined()
  expect(await harness.readImage(path, {})).toBeDefined()
})

test('only the users themselves can change their photo', async () => {
  const { administrator, guest, organizationId, platformAdmin } = organization
  const content = (await picture(20, 10).jpeg(80)).toString('base64')
  const path = `/users/${guest.userId}`
  const reply = await guest.call('POST', `${path}:uploadPhoto`, { content })
  expect(reply).toMatchObject({ status: 200, body: { photo_url: expect.stringMatching(/^media\/photos\//) } })
  const { memberships } = await administrator.ok(methods.memberships.listByOrganization, {
    organization: organizationId,
  })
  expect(memberships.find(({ user }) => user === `users/${guest.userId}`)?.profile.photo_url).toBe(reply.body.photo_url)
  expect((await administrator.call('POST', `${path}:uploadPhoto`, { content })).status).toBe(404)
  expect((await platformAdmin.call('POST', `${path}:removePhoto`, {})).status).toBe(403)
  expect((await harness.call('', 'POST', `${path}:removePhoto`, {})).status).toBe(401)
  expect(await guest.call('POST', `${path}:uploadPhoto`, { content: 'AAAA' })).toMatchObject(
    refused('jpeg, jpg, png, webp files are accepted.'),
  )
  expect(await harness.blobs.list('photos/')).toContain(keyOf(reply.body.photo_url))
  expect(await guest.call('POST', `${path}:removePhoto`, {})).toMatchObject({ status: 200, body: { photo_url: '' } })
  expect(await harness.blobs.list('photos/')).not.toContain(keyOf(reply.body.photo_url))
})

describe('a smaller version of a picture', () => {
  const sizeOf = async (key: string, box: { maxWidth?: number; maxHeight?: number }) => {
    const found = await harness.readImage(key, box)
    return found === undefined ? undefined : imageSize(Buffer.from(found.body))
  }

  test('a smaller version is the smallest offered one that is large enough, and never exceeds the stored picture', async () => {
    const key = keyOf(((await upload(await picture(400, 200).png())).body.extra as { logo: string }).logo)
    expect(await sizeOf(key, {})).toMatchObject({ width: 400, height: 200 })
    expect(await sizeOf(key, { maxWidth: 48, maxHeight: 48 })).toMatchObject({ width: 48, height: 24 })
    expect(await sizeOf(key, { maxWidth: 50 })).toMatchObject({ width: 64, height: 32 })
    expect(await sizeOf(key, { maxHeight: 20 })).toMatchObject({ width: 48, height: 24 })
    expect(await sizeOf(key, { maxWidth: 1 })).toMatchObject({ width: 32, height: 16 })
    expect(await sizeOf(key, { maxWidth: 390 })).toMatchObject({ width: 400, height: 200 })
    expect(await sizeOf(key, { maxWidth: 9999, maxHeight: 9999 })).toMatchObject({ width: 400, height: 200 })
  })

  test.each([
    '',
    'logos/',
    '../secret.key',
    'logos/../x',
    'other/a.webp',
    `logos/${'0'.repeat(32)}-${'0'.repeat(16)}.webp`,
  ])('the key %j names no smaller version of a picture', async (key) => {
    expect(await harness.readImage(key, { maxWidth: 32 })).toBeUndefined()
  })
})
