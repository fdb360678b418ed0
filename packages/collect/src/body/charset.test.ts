import { brotliCompressSync, gzipSync } from 'node:zlib'
import { requestMeta } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'

let running: RunningCollect
beforeAll(async () => {
  running = await startCollect({ settings: { flushMs: 2 } })
})
afterAll(() => running.stop())

type Headers = Record<string, string>
const named = (charset: string): Headers => ({ 'content-type': `application/json; charset=${charset}` })

/** Sends bytes with the key; returns the response and the stored bytes. */
const send = async (path: string, bytes: Buffer, headers: Headers = {}, method = 'POST') => {
  const before = (await running.entries()).length
  const answer = await fetch(`${running.origin}${path}`, {
    method,
    ...(method === 'GET' ? {} : { body: new Uint8Array(bytes) }),
    headers: { authorization: basic(liveKey), ...headers },
  })
  const reason = answer.headers.get('content-type')?.includes('json')
    ? ((await answer.json()) as { reason?: string }).reason
    : undefined
  const kept = (await running.entries()).slice(before)
  return { status: answer.status, reason, kept: kept.map(({ body }) => Buffer.from(body).toString()) }
}

/** Returns the number of rejections that were counted for the source with a reason. */
const counted = (reason: string): number =>
  running.refused
    .filter((row) => row.reason === reason && row.sourceId === 's1')
    .reduce((sum, row) => sum + row.count, 0)

const event = (name: string): string => `{"userId":"${name}","event":"Paid"}`
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

describe('a body is stored as UTF-8, decoded by the charset of the request', () => {
  test.each<[string, string, Buffer, Headers, string]>([
    ['Latin-1', '/v1/track', latin1(event('José')), named('ISO-8859-1'), event('José')],
    [
      'Latin-1 in a batch',
      '/v1/batch',
      latin1(`{"batch":[${event('Zoë')}]}`),
      named('"latin1"'),
      `{"batch":[${event('Zoë')}]}`,
    ],
    [
      'Latin-1 in an import',
      '/v1/import',
      latin1(`{"batch":[${event('Zoë')}]}`),
      named('latin1'),
      `{"batch":[${event('Zoë')}]}`,
    ],
    [
      'Latin-1 in gzip',
      '/v1/identify',
      gzipSync(latin1('{"userId":"Jürgen"}')),
      { ...named('windows-1252'), 'content-encoding': 'gzip' },
      '{"userId":"Jürgen"}',
    ],
    [
      'Cyrillic',
      '/v1/t',
      Buffer.from([...latin1('{"userId":"'), 0xcf, 0xf0, 0xe8, ...latin1('","event":"e"}')]),
      named('windows-1251'),
      '{"userId":"При","event":"e"}',
    ],
    [
      'Shift_JIS',
      '/v1/p',
      Buffer.from([...latin1('{"userId":"'), 0x93, 0xfa, 0x96, 0x7b, ...latin1('"}')]),
      named('shift_jis'),
      '{"userId":"日本"}',
    ],
    ['UTF-16', '/v1/track', Buffer.from(event('José'), 'utf16le'), named('utf-16le'), event('José')],
    ['UTF-16 by its mark', '/v1/track', Buffer.from(`\ufeff${event('José')}`, 'utf16le').swap16(), {}, event('José')],
    ['a forwarded event', '/v1/forward', latin1(event('José')), named('latin1'), `{"batch":[${event('José')}]}`],
    ['UTF-8 under an unknown name', '/v1/track', Buffer.from(event('José')), named('nonsense'), event('José')],
  ])('a body in %s at %s is stored as UTF-8', async (_, path, bytes, headers, kept) => {
    expect(await send(path, bytes, headers)).toMatchObject({ status: 200, kept: [kept] })
  })

  test('a webhook body is decoded, too', async () => {
    const { status, kept } = await send('/v1/webhook', latin1('{"name":"José"}'), named('latin1'))
    expect([status, kept[0]]).toEqual([200, expect.stringContaining('"properties":{"name":"José"}')])
  })

  test('a body that exceeds the limit after decoding is rejected as too large', async () => {
    const bytes = latin1(`{"batch":[{"userId":"${'é'.repeat(2_200_000)}"}]}`)
    expect(await send('/v1/batch', bytes, named('latin1'))).toMatchObject({ status: 413, reason: 'BODY_TOO_LARGE' })
  })
})

describe('bytes that are invalid in the charset are rejected, counted for the source, and not stored', () => {
  const broken = latin1(event('José'))
  test.each<[string, string, Buffer, Headers, string]>([
    ['an event', '/v1/track', broken, {}, 'NOT_UTF8'],
    ['an event that says UTF-8', '/v1/track', broken, named('utf-8'), 'NOT_UTF8'],
    ['a batch', '/v1/batch', Buffer.concat([latin1('{"batch":['), broken, latin1(']}')]), {}, 'NOT_UTF8'],
    [
      'a large batch',
      '/v1/batch',
      Buffer.concat([latin1(`{"batch":[${'{"userId":"u"},'.repeat(9000)}`), broken, latin1(']}')]),
      {},
      'NOT_UTF8',
    ],
    ['a beacon', '/beacon/v1/batch', Buffer.concat([latin1('{"batch":['), broken, latin1(']}')]), {}, 'NOT_UTF8'],
    ['gzip', '/v1/track', gzipSync(broken), { 'content-encoding': 'gzip' }, 'NOT_UTF8'],
    ['brotli', '/v1/track', brotliCompressSync(broken), { 'content-encoding': 'br' }, 'NOT_UTF8'],
    ['a forwarded list', '/v1/forward', Buffer.concat([latin1('['), broken, latin1(']')]), {}, 'NOT_UTF8'],
    ['a webhook', '/v1/webhook', latin1('{"name":"José"}'), {}, 'NOT_UTF8'],
    ['a character cut in two', '/v1/track', Buffer.from(event('é')).subarray(0, 12), {}, 'NOT_UTF8'],
    [
      'half of a pair in UTF-8',
      '/v1/track',
      Buffer.from([...latin1('{"userId":"'), 0xed, 0xa0, 0xbd, ...latin1('","event":"e"}')]),
      {},
      'NOT_UTF8',
    ],
    [
      'a longer form than needed',
      '/v1/track',
      Buffer.from([...latin1('{"userId":"'), 0xc0, 0xaf, ...latin1('","event":"e"}')]),
      {},
      'NOT_UTF8',
    ],
    ['Shift_JIS that is none', '/v1/track', broken, named('shift_jis'), 'NOT_UTF8'],
    ['an unknown charset', '/v1/track', broken, named('nonsense'), 'UNKNOWN_CHARSET'],
  ])('%s with invalid bytes at %s is rejected', async (_, path, bytes, headers, reason) => {
    const before = counted(reason)
    expect(await send(path, bytes, headers)).toEqual({ status: 400, reason, kept: [] })
    await expect.poll(() => counted(reason)).toBe(before + 1)
  })

  test('invalid bytes are also rejected if only the body contains the key', async () => {
    const before = counted('NOT_UTF8')
    const bytes = latin1(`{"userId":"José","event":"e","writeKey":"${liveKey}"}`)
    expect(await send('/v1/track', bytes, { authorization: '' })).toEqual({ status: 400, reason: 'NOT_UTF8', kept: [] })
    await expect.poll(() => counted('NOT_UTF8')).toBe(before + 1)
  })

  test.each([
    ['a parameter of a pixel', `/pixel/v1/track?writeKey=${liveKey}&event=e&userId=Jos%E9`],
    ['a name of a parameter', `/pixel/v1/track?writeKey=${liveKey}&event=e&userId=u&properties.na%EFve=1`],
    ['the data of a pixel', `/v1/pixel/track?writeKey=${liveKey}&data=${latin1(event('José')).toString('base64url')}`],
  ])('invalid bytes are rejected in %s, which still returns the image', async (_, path) => {
    const before = counted('NOT_UTF8')
    expect(await send(path, Buffer.alloc(0), {}, 'GET')).toMatchObject({ status: 200, kept: [] })
    await expect.poll(() => counted('NOT_UTF8')).toBe(before + 1)
  })

  test('invalid bytes in the parameters of a webhook without a body are rejected', async () => {
    expect(await send('/v1/webhook?name=Jos%E9', Buffer.alloc(0), {}, 'GET')).toEqual({
      status: 400,
      reason: 'NOT_UTF8',
      kept: [],
    })
  })
})

test.each(['none', 'None', ' identity', 'identity, none', ''])(
  'a Content-Encoding of "%s" means no compression',
  async (encoding) => {
    const bytes = Buffer.from(event('José'))
    expect(await send('/v1/track', bytes, { 'content-encoding': encoding })).toMatchObject({ status: 200 })
  },
)

test('a Content-Encoding that lists identity and a compression means that compression', async () => {
  const headers = { 'content-encoding': 'none, gzip' }
  const { kept } = await send('/v1/track', gzipSync(event('José')), headers)
  expect(kept).toEqual([event('José')])
  expect(requestMeta.parse(JSON.parse((await running.entries()).at(-1)?.meta ?? '')).k).toBe('single')
})
