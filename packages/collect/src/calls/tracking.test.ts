import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { requestMeta } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, disabledKey, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'

let running: RunningCollect
beforeAll(async () => {
  running = await startCollect()
})
afterAll(() => running.stop())

const key = { authorization: basic(liveKey) }
const track = { userId: 'u1', event: 'Paid' }
const json = JSON.stringify

const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(`${running.origin}${path}`, { method: 'POST', body, headers })

const last = async (): Promise<{ meta: ReturnType<typeof requestMeta.parse>; text: string }> => {
  const entry = (await running.entries()).at(-1)
  if (entry === undefined) throw new Error('The log is empty')
  return { meta: requestMeta.parse(JSON.parse(entry.meta)), text: Buffer.from(entry.body).toString() }
}

describe('accepted calls', () => {
  test.each([
    ['/v1/track', 'track', track],
    ['/v1/t', 'track', track],
    ['/v1/identify', 'identify', { anonymousId: 'a1', traits: { plan: 'pro' } }],
    ['/v1/i', 'identify', { userId: 7 }],
    ['/v1/page', 'page', { anonymousId: 'a1' }],
    ['/v1/p/', 'page', { anonymousId: 'a1', name: 'Home' }],
    ['/v1/screen', 'screen', { anonymousId: 'a1' }],
    ['/v1/s', 'screen', { anonymousId: 'a1' }],
    ['/v1/group', 'group', { userId: 'u1', groupId: 'g1' }],
    ['/v1/g', 'group', { anonymousId: 'a1', groupId: 9 }],
    ['/v1/alias', 'alias', { userId: 'u1', previousId: 'a1' }],
    ['/v1/a', 'alias', { userId: 'u1', previousId: 'a1' }],
  ])('a call of %s is stored byte for byte with the type of its path', async (path, type, event) => {
    const body = ` ${json(event)}\n`
    const response = await post(path, body, key)
    expect([response.status, await response.text()]).toEqual([200, '{"success":true}'])
    expect((await last()).text).toBe(body)
    expect((await last()).meta).toMatchObject({ w: 'w1', s: 's1', k: 'single', t: type, ip: '127.0.0.1' })
    expect((await running.entries()).at(-1)?.key).toBe('w1')
  })

  test.each(['/v1/batch', '/v1/b', '/v1/import', `/beacon/v1/batch?writeKey=${liveKey}`])(
    'a call of %s is stored as a batch',
    async (path) => {
      const body = json({ batch: [{ type: 'track', ...track }, { type: 'nonsense' }], writeKey: liveKey })
      expect((await post(path, body)).status).toBe(200)
      expect((await last()).text).toBe(body)
      expect((await last()).meta).toMatchObject({ k: 'batch' })
      expect((await last()).meta.t).toBeUndefined()
    },
  )

  test.each<[string, Record<string, string>, object]>([
    ['Basic', key, {}],
    ['Basic without a colon', { authorization: `Basic ${Buffer.from(liveKey).toString('base64')}` }, {}],
    ['basic in lower case', { authorization: basic(liveKey).replace('Basic', 'basic') }, {}],
    ['X-Write-Key', { 'x-write-key': liveKey }, {}],
    ['the body', {}, { writeKey: liveKey }],
    ['Bearer and the body', { authorization: 'Bearer eyJhbGciOi.x.y' }, { writeKey: liveKey }],
  ])('the write key is read from %s', async (_, headers, more) => {
    expect((await post('/v1/track', json({ ...track, ...more }), headers)).status).toBe(200)
  })

  test('the write key is read from the query', async () => {
    expect((await post(`/v1/track?writeKey=${liveKey}`, json(track))).status).toBe(200)
  })

  test('the write key is read from the first event of a batch', async () => {
    expect((await post('/v1/b', json({ batch: [{ ...track, writeKey: liveKey }] }))).status).toBe(200)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['GZIP', gzipSync],
  ])('bodies with %s are stored decompressed', async (encoding, compress) => {
    const body = json({ ...track, encoding })
    const response = await post('/v1/track', new Uint8Array(compress(body)), { ...key, 'content-encoding': encoding })
    expect(response.status).toBe(200)
    expect((await last()).text).toBe(body)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json;charset=UTF-8', 'nonsense'])(
    'JSON is accepted with any content type: %s',
    async (type) => {
      expect((await post('/v1/track', json(track), { ...key, 'content-type': type })).status).toBe(200)
    },
  )

  test('a byte order mark is removed from a body', async () => {
    expect((await post('/v1/track', `\ufeff${json(track)}`, key)).status).toBe(200)
    expect((await last()).text).toBe(json(track))
  })

  test('a batch of more than 2,500 events is accepted as a whole, for validation in the pipeline', async () => {
    const batch = Array.from({ length: 2600 }, () => track)
    expect((await post('/v1/batch', json({ batch }), key)).status).toBe(200)
  })

  test.each<[boolean | undefined, string, string, Record<string, string>]>([
    [true, 'a letter path', '/v1/t', {}],
    [true, 'an Origin', '/v1/track', { origin: 'https://shop.example' }],
    [true, "a browser's user agent", '/v1/track', { 'user-agent': 'Mozilla/5.0 (X11)' }],
    [true, "a phone's user agent", '/v1/track', { 'user-agent': 'Dalvik/2.1.0 (Linux)' }],
    [undefined, 'a server library', '/v1/track', { 'user-agent': 'analytics-node-next/latest' }],
  ])("a call is stored as sent by the user's own device (%s) because of %s", async (expected, _, path, headers) => {
    await post(path, json(track), { 'user-agent': 'curl/8', ...key, ...headers })
    expect((await last()).meta.d).toBe(expected)
  })
})

describe('refused calls', () => {
  const big = 'x'.repeat(33 * 1024)
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
  test.each<[number, string, string, string, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
    [401, 'WRITE_KEY_MISSING', 'no key', '/v1/track', json(track), {}],
    [
      401,
      'WRITE_KEY_UNKNOWN',
      'an unknown key in the header',
      '/v1/track',
      json(track),
      { authorization: basic('nobody') },
    ],
    [401, 'WRITE_KEY_UNKNOWN', 'an unknown key in the body', '/v1/track', json({ ...track, writeKey: 'nobody' }), {}],
    [
      401,
      'WRITE_KEY_UNKNOWN',
      'an unknown key with a broken body',
      '/v1/batch',
      '{',
      { authorization: basic('nobody') },
    ],
    [404, 'SOURCE_DISABLED', 'a disabled source', '/v1/track', json(track), { authorization: basic(disabledKey) }],
    [404, 'SOURCE_DISABLED', 'a disabled source by body', '/v1/track', json({ ...track, writeKey: disabledKey }), {}],
    [400, 'INVALID_JSON', 'broken JSON', '/v1/batch', '{"batch":[', key],
    [400, 'INVALID_JSON', 'broken JSON without a key', '/v1/batch', 'hello', {}],
    [400, 'EMPTY_BODY', 'no body', '/v1/track', '', key],
    [400, 'NOT_AN_OBJECT', 'a list', '/v1/track', '[]', key],
    [400, 'NOT_AN_OBJECT', 'null', '/v1/batch', 'null', key],
    [400, 'BATCH_MISSING', 'a batch without a list', '/v1/batch', json(track), key],
    [400, 'EMPTY_BATCH', 'an empty batch', '/v1/batch', '{"batch":[]}', key],
    [400, 'UNKNOWN_TYPE', 'an unknown type', '/v1/track', json({ ...track, type: 'buy' }), key],
    [400, 'UNKNOWN_TYPE', 'a type that is no text', '/v1/track', json({ ...track, type: {} }), key],
    [400, 'MISSING_FIELD', 'no ids', '/v1/track', json({ event: 'x' }), key],
    [400, 'MISSING_FIELD', 'empty ids', '/v1/page', json({ userId: '', anonymousId: null }), key],
    [400, 'MISSING_FIELD', 'a track without event', '/v1/track', json({ userId: 'u' }), key],
    [400, 'MISSING_FIELD', 'a group without groupId', '/v1/group', json({ userId: 'u' }), key],
    [400, 'MISSING_FIELD', 'an alias without previousId', '/v1/alias', json({ userId: 'u' }), key],
    [400, 'MISSING_FIELD', 'an alias without userId', '/v1/alias', json({ previousId: 'u' }), key],
    [400, 'EVENT_TOO_LARGE', 'an event over 32 kB', '/v1/track', json({ ...track, big }), key],
    [
      400,
      'TOO_DEEP',
      'a deep event',
      '/v1/track',
      `{"userId":"u","event":"e","a":${'['.repeat(300)}${']'.repeat(300)}}`,
      key,
    ],
    [
      400,
      'INVALID_COMPRESSION',
      'a body that is no gzip',
      '/v1/batch',
      'hello',
      { ...key, 'content-encoding': 'gzip' },
    ],
    [400, 'UNSUPPORTED_ENCODING', 'an unknown encoding', '/v1/batch', 'hello', { ...key, 'content-encoding': 'rot13' }],
    [413, 'BODY_TOO_LARGE', 'a body over 4 MiB', '/v1/batch', ' '.repeat(4 * 1024 * 1024 + 1), key],
    [413, 'BODY_TOO_LARGE', 'a gzip bomb', '/v1/batch', bomb, { ...key, 'content-encoding': 'gzip' }],
    [413, 'BODY_TOO_LARGE', 'a gzip bomb without its header', '/v1/batch', bomb, key],
    [404, 'PATH_UNKNOWN', 'an unknown call', '/v1/merge', json(track), key],
    [405, 'METHOD_NOT_ALLOWED', 'a wrong method', `/v1/projects/${liveKey}/settings`, '', {}],
  ])('a call gets %i %s for %s, and nothing is stored', async (code, reason, _, path, body, headers) => {
    const before = (await running.entries()).length
    const response = await post(path, body, headers)
    const answer = await response.json()
    expect(response.status).toBe(code)
    expect(answer).toMatchObject({ code, reason })
    expect(Object.keys(answer).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
    expect(answer.message.length).toBeGreaterThan(20)
    expect((await running.entries()).length).toBe(before)
  })

  test('a chunked upload over the limit gets 413', async () => {
    const chunk = new Uint8Array(1024 * 1024)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 6; i++) controller.enqueue(chunk)
        controller.close()
      },
    })
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers: key, duplex: 'half' }
    const response = await fetch(`${running.origin}/v1/batch`, init)
    expect(response.status).toBe(413)
  })

  test('a body whose announced size exceeds the limit is rejected before any byte arrives', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(running.port, '127.0.0.1', () =>
        socket.write(
          `POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${key.authorization}\r\nContent-Length: 9000000000\r\n\r\n`,
        ),
      )
      socket.once('data', (data) => {
        socket.destroy()
        resolve(data.toString())
      })
      socket.once('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

test('values of every shape at every position are validated, never cause a 5xx, and are stored only if accepted', async () => {
  const values = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'x',
    '\u0000',
    '\ud800',
    [],
    {},
    [[]],
    { a: { b: [1] } },
    { __proto__: 1 },
    'x'.repeat(200),
  ]
  const fields = [
    'type',
    'userId',
    'anonymousId',
    'event',
    'groupId',
    'previousId',
    'writeKey',
    'batch',
    'context',
    'timestamp',
    '__proto__',
    'constructor',
  ]
  const before = (await running.entries()).length
  let accepted = 0
  for (const path of ['/v1/track', '/v1/alias', '/v1/g', '/v1/batch']) {
    for (const field of fields) {
      const answers = await Promise.all(
        values.map((value) =>
          post(path, `{"userId":"u","event":"e","groupId":"g","previousId":"p",${json(field)}:${json(value)}}`, key),
        ),
      )
      for (const { status } of answers) {
        expect([200, 400]).toContain(status)
        if (status === 200) accepted++
      }
    }
  }
  expect(accepted).toBeGreaterThan(100)
  expect((await running.entries()).length - before).toBe(accepted)
})

test('a batch with a million nested levels does not crash the process', async () => {
  const depth = 1_000_000
  const response = await post('/v1/batch', `{"batch":[${'['.repeat(depth)}${']'.repeat(depth)}]}`, key)
  expect([200, 400]).toContain(response.status)
  expect((await post('/v1/track', json(track), key)).status).toBe(200)
})

test('random bytes never crash collection and never cause a 5xx', async () => {
  const paths = [
    '/v1/batch',
    '/v1/track',
    '/v1/t',
    '/beacon/v1/batch',
    '/v1/pixel/x',
    '/sourceConfig',
    '/v1/%zz',
    '/analytics.js/v1/%/analytics.min.js',
  ]
  const encodings = ['', 'gzip', 'br', 'deflate', 'zstd']
  for (let round = 0; round < 40; round++) {
    const results = await Promise.all(
      paths.map((path, i) => {
        const encoding = encodings[(round + i) % encodings.length] ?? ''
        const noise = randomBytes(1 + ((round * 131) % 3000))
        const bytes = round % 3 === 0 && encoding === 'gzip' ? gzipSync(noise) : noise
        return post(path, new Uint8Array(bytes), {
          ...key,
          ...(encoding === '' ? {} : { 'content-encoding': encoding }),
        })
      }),
    )
    for (const response of results) expect(response.status).toBeLessThan(500)
  }
  const raw = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(running.port, '127.0.0.1', () => socket.end(bytes))
      socket.once('error', () => resolve())
      socket.once('close', () => resolve())
      socket.resume()
    })
  for (let round = 0; round < 50; round++) {
    await raw(
      Buffer.concat([
        Buffer.from('POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n'),
        randomBytes(round),
        Buffer.from('\r\n\r\n'),
      ]),
    )
  }
  expect((await post('/v1/track', json(track), key)).status).toBe(200)
})
