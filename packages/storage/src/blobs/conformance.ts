import { describe, expect, it } from 'vitest'
import { InvalidBlob } from './keys.ts'
import type { Blobs } from './port.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The tests that every blob adapter must pass. `open` returns an empty store without other users. */
export const blobsConformance = (name: string, open: () => Promise<Blobs>): void => {
  describe(`blobs conformance: ${name}`, () => {
    it('a blob store returns every byte and the content type, also of an empty and of a large object', async () => {
      const blobs = await open()
      const every = Uint8Array.from({ length: 256 }, (_, n) => n)
      const large = new Uint8Array(5 * 1024 * 1024).fill(10)
      await blobs.put('logos/a.png', every, 'image/png')
      await blobs.put('empty', new Uint8Array(), 'text/plain; charset=utf-8')
      await blobs.put('large', large, 'application/octet-stream')
      expect(plain(await blobs.get('logos/a.png'))).toEqual({ body: every, contentType: 'image/png' })
      expect(plain(await blobs.get('empty'))).toEqual({
        body: new Uint8Array(),
        contentType: 'text/plain; charset=utf-8',
      })
      expect(Buffer.compare((await blobs.get('large'))?.body ?? every, large)).toBe(0)
    })

    it('a blob store returns undefined for a missing object, and deletes it without an error', async () => {
      const blobs = await open()
      await blobs.put('a/b', bytes('x'), 'text/plain')
      for (const key of ['none', 'a', 'a/b/c', 'a/c']) {
        expect(await blobs.get(key)).toBeUndefined()
        await blobs.delete(key)
      }
      expect(await blobs.list('')).toEqual(['a/b'])
    })

    it('a blob store replaces an object as a whole, and removes it when it is deleted', async () => {
      const blobs = await open()
      await blobs.put('k', bytes('the first, which is longer'), 'text/plain')
      await blobs.put('k', bytes('second'), 'text/html')
      expect(plain(await blobs.get('k'))).toEqual({ body: bytes('second'), contentType: 'text/html' })
      await blobs.delete('k')
      expect(await blobs.get('k')).toBeUndefined()
      expect(await blobs.list('')).toEqual([])
    })

    it('a blob store stores a key and another key below it', async () => {
      const blobs = await open()
      await blobs.put('a/b', bytes('below'), 'text/plain')
      await blobs.put('a', bytes('above'), 'text/plain')
      await blobs.put('a/b/c.d', bytes('deep'), 'text/plain')
      expect(await blobs.list('')).toEqual(['a', 'a/b', 'a/b/c.d'])
      expect(plain(await blobs.get('a'))?.body).toEqual(bytes('above'))
    })

    it('a blob store lists the keys that begin with a text, in order', async () => {
      const blobs = await open()
      for (const key of ['x/2', 'x/10', 'x/1', 'xy', 'y/x/1']) await blobs.put(key, bytes(key), 'text/plain')
      expect(await blobs.list('x/')).toEqual(['x/1', 'x/10', 'x/2'])
      expect(await blobs.list('x')).toEqual(['x/1', 'x/10', 'x/2', 'xy'])
      expect(await blobs.list('x/1')).toEqual(['x/1', 'x/10'])
      expect(await blobs.list('../')).toEqual([])
      expect(await blobs.list('z')).toEqual([])
    })

    it('a blob store never shows a partial object to a reader while the object is replaced', async () => {
      const blobs = await open()
      const sizes = [1, 200_000]
      const value = (round: number): Uint8Array => new Uint8Array(sizes[round % 2] ?? 1).fill(round % 2)
      await blobs.put('k', value(0), 'text/plain')
      let writing = true
      const writer = (async () => {
        for (let round = 1; round < 40; round += 1) await blobs.put('k', value(round), 'text/plain')
        writing = false
      })()
      while (writing) {
        const body = (await blobs.get('k'))?.body ?? new Uint8Array()
        expect(sizes).toContain(body.length)
        expect(body.every((byte) => byte === (body.length === 1 ? 0 : 1))).toBe(true)
      }
      await writer
    })

    it.each([
      '',
      '/',
      'a//b',
      '/a',
      'a/',
      '.',
      '..',
      'a/../b',
      '../a',
      'a/.',
      'a b',
      'a~',
      'ä',
      'a\\b',
      'a\0b',
      'x'.repeat(201),
      `${'long/'.repeat(250)}x`,
    ])('a blob store rejects the key %j', async (key) => {
      const blobs = await open()
      await expect(blobs.put(key, bytes('x'), 'text/plain')).rejects.toThrow(InvalidBlob)
      await expect(blobs.get(key)).rejects.toThrow(InvalidBlob)
      await expect(blobs.delete(key)).rejects.toThrow(InvalidBlob)
      expect(await blobs.list('')).toEqual([])
    })

    it.each(['', 'text/plain\r\nx: y', 'ä', ' x'])('a blob store rejects the content type %j', async (contentType) => {
      const blobs = await open()
      await expect(blobs.put('k', bytes('x'), contentType)).rejects.toThrow(InvalidBlob)
      expect(await blobs.get('k')).toBeUndefined()
    })
  })
}

/** Ignores whether bytes are a Buffer or a Uint8Array, which makes no difference to users of the port. */
const plain = (
  blob: { body: Uint8Array; contentType: string } | undefined,
): { body: Uint8Array; contentType: string } | undefined =>
  blob === undefined ? undefined : { body: new Uint8Array(blob.body), contentType: blob.contentType }
