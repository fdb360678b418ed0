import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { requestMeta } from '@tributary/contract'
import { LogUnavailable } from '@tributary/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, disabledKey, liveKey, type RunningCollect, startCollect } from './testing/server.ts'

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

const last = (): { meta: ReturnType<typeof requestMeta.parse>; text: string } => {
  const entry = running.entries().at(-1)
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
  ])('%s is kept byte for byte with the type of its path', async (path, type, event) => {
    const body = ` ${json(event)}\n`
    const response = await post(path, body, key)
    expect([response.status, await response.text()]).toEqual([200, '{"success":true}'])
    expect(last().text).toBe(body)
    expect(last().meta).toMatchObject({ w: 'w1', s: 's1', k: 'single', t: type, ip: '127.0.0.1' })
    expect(running.entries().at(-1)?.key).toBe('w1')
  })

  test.each(['/v1/batch', '/v1/b', '/v1/import', `/beacon/v1/batch?writeKey=${liveKey}`])(
    '%s is kept as a batch',
    async (path) => {
      const body = json({ batch: [{ type: 'track', ...track }, { type: 'nonsense' }], writeKey: liveKey })
      expect((await post(path, body)).status).toBe(200)
      expect(last().text).toBe(body)
      expect(last().meta).toMatchObject({ k: 'batch' })
      expect(last().meta.t).toBeUndefined()
    },
  )

  test.each<[string, Record<string, string>, object]>([
    ['Basic', key, {}],
    ['Basic without a colon', { authorization: `Basic ${Buffer.from(liveKey).toString('base64')}` }, {}],
    ['basic in lower case', { authorization: basic(liveKey).replace('Basic', 'basic') }, {}],
    ['X-Write-Key', { 'x-write-key': liveKey }, {}],
    ['the body', {}, { writeKey: liveKey }],
    ['Bearer and the body', { authorization: 'Bearer eyJhbGciOi.x.y' }, { writeKey: liveKey }],
  ])('the key is taken from %s', async (_, headers, more) => {
    expect((await post('/v1/track', json({ ...track, ...more }), headers)).status).toBe(200)
  })

  test('the key is taken from the query', async () => {
    expect((await post(`/v1/track?writeKey=${liveKey}`, json(track))).status).toBe(200)
  })

  test('the key is taken from the first event of a batch', async () => {
    expect((await post('/v1/b', json({ batch: [{ ...track, writeKey: liveKey }] }))).status).toBe(200)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['GZIP', gzipSync],
  ])('%s bodies are kept decompressed', async (encoding, compress) => {
    const body = json({ ...track, encoding })
    const response = await post('/v1/track', new Uint8Array(compress(body)), { ...key, 'content-encoding': encoding })
    expect(response.status).toBe(200)
    expect(last().text).toBe(body)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json;charset=UTF-8', 'nonsense'])(
    'JSON is read whatever the content type says: %s',
    async (type) => {
      expect((await post('/v1/track', json(track), { ...key, 'content-type': type })).status).toBe(200)
    },
  )

  test('a byte order mark is taken off', async () => {
    expect((await post('/v1/track', `\ufeff${json(track)}`, key)).status).toBe(200)
    expect(last().text).toBe(json(track))
  })

  test('a batch of more than 2,500 events is accepted whole, for the pipeline to judge', async () => {
    const batch = Array.from({ length: 2600 }, () => track)
    expect((await post('/v1/batch', json({ batch }), key)).status).toBe(200)
  })

  test.each<[boolean | undefined, string, string, Record<string, string>]>([
    [true, 'a letter path', '/v1/t', {}],
    [true, 'an Origin', '/v1/track', { origin: 'https://shop.example' }],
    [true, "a browser's user agent", '/v1/track', { 'user-agent': 'Mozilla/5.0 (X11)' }],
    [true, "a phone's user agent", '/v1/track', { 'user-agent': 'Dalvik/2.1.0 (Linux)' }],
    [undefined, 'a server library', '/v1/track', { 'user-agent': 'analytics-node-next/latest' }],
  ])('the caller is taken for the device (%s) by %s', async (expected, _, path, headers) => {
    await post(path, json(track), { 'user-agent': 'curl/8', ...key, ...headers })
    expect(last().meta.d).toBe(expected)
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
  ])('%i %s for %s, and nothing of it is kept', async (code, reason, _, path, body, headers) => {
    const before = running.entries().length
    const response = await post(path, body, headers)
    const answer = await response.json()
    expect(response.status).toBe(code)
    expect(answer).toMatchObject({ code, reason })
    expect(Object.keys(answer).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
    expect(answer.message.length).toBeGreaterThan(20)
    expect(running.entries().length).toBe(before)
  })

  test('a chunked upload over the limit is answered 413', async () => {
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

  test('an announced size over the limit is answered before a byte of the body has come', async () => {
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

describe('overload', () => {
  const answerOf = async (other: RunningCollect, path = '/v1/track'): Promise<[number, string | null, string]> => {
    const response = await fetch(`${other.origin}${path}`, { method: 'POST', body: json(track), headers: key })
    const body: { reason: string } = await response.json()
    return [response.status, response.headers.get('retry-after'), body.reason]
  }

  test.each([
    ['the disk refuses', new LogUnavailable('disk'), 'LOG_UNAVAILABLE'],
    ['something unknown happens', new Error('secret detail'), 'LOG_UNAVAILABLE'],
  ])('503 with Retry-After when %s, and it recovers', async (_, error, reason) => {
    const other = await startCollect()
    other.faults.failWith = error
    expect(await answerOf(other)).toEqual([503, '5', reason])
    delete other.faults.failWith
    expect((await answerOf(other).catch(() => [200]))[0]).toBe(200)
    await other.stop()
  })

  test.each([
    ['the disk is nearly full', { diskOk: () => false }, 'STORAGE_FULL'],
    ['the keys are not there yet', { keys: { find: () => undefined, ready: () => false } }, 'STARTING'],
    ['too many bodies are in memory', { settings: { bufferedBytes: 10 } }, 'OVERLOADED'],
  ])('503 with Retry-After when %s', async (_, options, reason) => {
    const other = await startCollect(options)
    expect(await answerOf(other)).toEqual([503, '5', reason])
    await other.stop()
    expect(other.refused).toEqual([])
  })

  test('503 with Retry-After when the log holds all it may', async () => {
    const other = await startCollect({}, 10)
    expect(await answerOf(other)).toEqual([503, '5', 'OVERLOADED'])
    await other.stop()
    expect(other.refused).toEqual([])
  })

  test('429 with Retry-After beyond the share of a workspace, until the pipeline has caught up', async () => {
    const other = await startCollect({ settings: { backlogBytes: 50 } })
    const status = async (): Promise<number> =>
      (await fetch(`${other.origin}/v1/track`, { method: 'POST', body: json(track), headers: key })).status
    expect([await status(), await status()]).toEqual([200, 200])
    expect(await answerOf(other)).toEqual([429, '5', 'WORKSPACE_BACKLOG'])
    other.coordination.publish('pipeline.processed', { w1: json(track).length })
    expect(await status()).toBe(200)
    expect(await status()).toBe(429)
    await other.stop()
  })

  test('after stop every call is refused with 503', async () => {
    const other = await startCollect()
    await other.collect.stop()
    expect(await answerOf(other)).toEqual([503, '5', 'STOPPING'])
    await other.stop()
  })
})

describe('what refusals leave behind', () => {
  test('they are counted by source or key, and the sample shows no credential', async () => {
    const other = await startCollect()
    const send = (body: string, headers: Record<string, string>, path = '/v1/track'): Promise<Response> =>
      fetch(`${other.origin}${path}`, { method: 'POST', body, headers })
    const secret = { userId: 'u1', password: 'hunter2', properties: { api_key: 'AK-77', shown: 'visible' } }
    await send(json({ ...secret, writeKey: liveKey }), {})
    await send(json({ ...secret, writeKey: liveKey }), {})
    await send(json(track), { authorization: basic('nobody-knows-this') })
    await send(`{"writeKey":"${liveKey}","token":"abc`, {}, `/v1/track?writeKey=${liveKey}`)
    await send(json(track), key)
    await other.stop()
    const rows = other.refused.map(({ sourceId, keyHint, reason, code, count }) => [
      sourceId,
      keyHint,
      reason,
      code,
      count,
    ])
    expect(rows).toEqual([
      ['s1', '', 'MISSING_FIELD', 400, 2],
      [null, 'nobo…', 'WRITE_KEY_UNKNOWN', 401, 1],
      ['s1', '', 'INVALID_JSON', 400, 1],
    ])
    expect(other.touched.map((use) => use.keyId)).toEqual(['k1'])
    const samples = other.refused.map((row) => row.sample).join(' ')
    expect(samples).toContain('visible')
    for (const hidden of [liveKey, 'hunter2', 'AK-77', 'nobody-knows-this', 'abc', 'Basic'])
      expect(samples).not.toContain(hidden)
    for (const row of other.refused) expect(row.sample.length).toBeLessThanOrEqual(2000)
  })

  test('they are kept while the database is away, bounded in number, and written once it is back', async () => {
    const written: [string, number][] = []
    let away = true
    const other = await startCollect({
      refusals: {
        async write(rows) {
          if (away) throw new Error('away')
          for (const row of rows) written.push([row.keyHint, row.count])
        },
        async touchWriteKeys() {},
      },
      settings: { flushMs: 5 },
    })
    for (let i = 0; i < 300; i++) {
      await fetch(`${other.origin}/v1/track`, {
        method: 'POST',
        body: json(track),
        headers: { 'x-write-key': `${1000 + i}-unknown` },
      })
    }
    away = false
    await other.stop()
    expect(written.reduce((sum, [, count]) => sum + count, 0)).toBe(300)
    expect(new Set(written.map(([hint]) => hint)).size).toBe(201)
    expect(written.find(([hint]) => hint === '*')?.[1]).toBe(100)
  })
})

describe('browsers', () => {
  test('a preflight is granted what it asks for, for its own origin', async () => {
    const response = await fetch(`${running.origin}/v1/t`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-new-thing',
      },
    })
    expect(response.ok).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization,content-type,x-new-thing',
      'access-control-allow-methods': 'GET,POST,HEAD,OPTIONS',
      'access-control-max-age': '86400',
      vary: expect.stringContaining('Origin'),
    })
  })

  test('success and refusal both carry the CORS headers', async () => {
    for (const headers of [key, {}]) {
      const response = await post('/v1/track', json(track), { ...headers, origin: 'https://shop.example' })
      expect(response.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(response.headers.get('access-control-expose-headers')).toBe('Retry-After')
    }
  })

  test.each(['/v1/m', '/m', '/rsaRequest', '/rsaMetrics'])(
    'what SDKs report about themselves at %s is answered 200 and forgotten',
    async (path) => {
      const before = running.entries().length
      expect((await post(path, '{"series":[]}')).status).toBe(200)
      expect(running.entries().length).toBe(before)
    },
  )

  test('HEAD, keep-alive and pipelined requests on one connection are answered in order', async () => {
    const body = json(track)
    const call = `POST /v1/track HTTP/1.1\r\nHost: x\r\nAuthorization: ${key.authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(running.port, '127.0.0.1', () =>
        socket.write(
          `${call}HEAD /v1/projects/${liveKey}/settings HTTP/1.1\r\nHost: x\r\n\r\n${call.replace('Host', 'Connection: close\r\nHost')}`,
        ),
      )
      socket.on('data', (data) => {
        text += data.toString()
      })
      socket.once('close', () => resolve(text))
      socket.once('error', reject)
    })
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
  })
})

describe('pixels', () => {
  const pixel = (path: string): Promise<Response> => fetch(`${running.origin}${path}`)
  const data = (value: unknown): string => encodeURIComponent(Buffer.from(json(value)).toString('base64'))

  test('a data pixel becomes the JSON it carries', async () => {
    const event = { writeKey: liveKey, userId: 'ü>>>???', event: 'Opened' }
    const response = await pixel(`/v1/pixel/track?data=${data(event)}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
    expect(JSON.parse(last().text)).toEqual(event)
    expect(last().meta).toMatchObject({ k: 'single', t: 'track', d: true })
  })

  test('a data pixel is read with unescaped and URL-safe base64, too', async () => {
    const event = { writeKey: liveKey, userId: 'ü>>>???~~~', event: 'Opened' }
    for (const text of [Buffer.from(json(event)).toString('base64'), Buffer.from(json(event)).toString('base64url')]) {
      await pixel(`/v1/pixel/track?data=${text}`)
      expect(JSON.parse(last().text)).toEqual(event)
    }
  })

  test('a query pixel becomes a nested event without its key', async () => {
    await pixel(
      `/pixel/v1/track?writeKey=${liveKey}&anonymousId=a1&event=Opened&properties.mail.id=7&context.page.url=https%3A%2F%2Fx.example&a=1&a.b=2&__proto__.x=1`,
    )
    const event = JSON.parse(last().text)
    expect(event).toMatchObject({
      type: 'track',
      channel: 'web',
      anonymousId: 'a1',
      event: 'Opened',
      properties: { mail: { id: '7' } },
      context: { page: { url: 'https://x.example' } },
      a: '1',
      'a.b': '2',
    })
    expect(event.writeKey).toBeUndefined()
  })

  test('a refused pixel is answered with the picture and counted', async () => {
    const other = await startCollect()
    for (const path of [
      '/v1/pixel/track',
      '/v1/pixel/track?data=%%%',
      `/v1/pixel/track?data=${data({ userId: 'u', event: 'e', writeKey: 'nobody' })}`,
      `/pixel/v1/page?writeKey=${liveKey}`,
    ]) {
      const response = await fetch(`${other.origin}${path}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
    }
    expect(other.entries()).toEqual([])
    await other.stop()
    expect(other.refused.map((row) => [row.reason, row.count])).toEqual([
      ['INVALID_PIXEL', 2],
      ['WRITE_KEY_UNKNOWN', 1],
      ['MISSING_FIELD', 1],
    ])
  })
})

describe('durability', () => {
  const held = async (): Promise<{ other: RunningCollect; confirm: () => void }> => {
    const other = await startCollect()
    let confirm = (): void => {}
    other.faults.hold = new Promise((resolve) => {
      confirm = resolve
    })
    return { other, confirm }
  }
  const send = (other: RunningCollect): Promise<Response> =>
    fetch(`${other.origin}/v1/track`, { method: 'POST', body: json(track), headers: key })

  test('no request is acknowledged before the log confirms its record', async () => {
    const { other, confirm } = await held()
    let answered = false
    const answer = send(other).then((response) => {
      answered = true
      return response.status
    })
    await expect.poll(() => other.entries().length).toBe(1)
    await fetch(`${other.origin}/v1/m`, { method: 'POST' })
    expect(answered).toBe(false)
    confirm()
    expect(await answer).toBe(200)
    await other.stop()
  })

  test('stop waits for what is on its way to the disk, and those answers end their connections', async () => {
    const { other, confirm } = await held()
    const answer = send(other)
    await expect.poll(() => other.entries().length).toBe(1)
    let stopped = false
    const stopping = other.collect.stop().then(() => {
      stopped = true
    })
    await fetch(`${other.origin}/v1/m`, { method: 'POST' })
    expect(stopped).toBe(false)
    confirm()
    expect((await answer).status).toBe(200)
    await stopping
    expect((await send(other)).headers.get('connection')).toBe('close')
    await other.stop()
  })
})

test('values of every shape at every place are judged, never answered with a 5xx, and kept only when accepted', async () => {
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
  const before = running.entries().length
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
  expect(running.entries().length - before).toBe(accepted)
})

test('a batch nested a million levels deep does not take the process along', async () => {
  const depth = 1_000_000
  const response = await post('/v1/batch', `{"batch":[${'['.repeat(depth)}${']'.repeat(depth)}]}`, key)
  expect([200, 400]).toContain(response.status)
  expect((await post('/v1/track', json(track), key)).status).toBe(200)
})

test('random bytes never crash collection and are never answered with a 5xx', async () => {
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
