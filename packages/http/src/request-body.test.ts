import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AnyHandler } from './index.ts'
import { head, listenApi } from './testing/api-server.ts'

const MiB = 1024 * 1024
const picture = '/users/u:uploadPhoto'

const spyOnParsing = () => {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const texts = (): string[] => parse.mock.calls.map(([text]) => String(text))
  return { longest: () => Math.max(0, ...texts().map((text) => text.length)) }
}

const post = (origin: string, path: string, body: string, token?: string): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      // The test is about the size of bodies, so the header makes the API ignore unknown fields, as for a page of
      // another build.
      'x-page-build': 'another',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  })

const reasonOf = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  ((await answer.json()) as { reason: string }).reason,
]

const hollow = (unit: string, bytes: number): string =>
  `[${Array.from({ length: Math.floor(bytes / (unit.length + 1)) }, () => unit).join(',')}]`

describe('a body before the caller is known', () => {
  test.each([
    ['no token', undefined],
    ['a token of nobody', 'forged'],
  ])('a call with %s is rejected before a byte of its body is read', async (_, token) => {
    const { send, sockets } = await listenApi({})
    const sent = head(picture, 4 * MiB, token)
    const answer = await send(sent).answer
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    expect(sockets[0]?.bytesRead).toBe(sent.length)
  })

  test('a complete body that is still being sent is discarded unparsed, and its sender gets the response', async () => {
    const { origin } = await listenApi({})
    const parsing = spyOnParsing()
    const body = hollow('{}', 4 * MiB - 10)
    expect(await reasonOf(await post(origin, picture, body))).toEqual([401, 'UNAUTHORIZED'])
    expect(parsing.longest()).toBeLessThan(1000)
  })

  test('a call that needs no session accepts at most 16 kB, and rejects more without reading it', async () => {
    const { origin, send, sockets } = await listenApi({})
    const sent = head('/users:login', 16 * 1024 + 1)
    expect(await send(sent).answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(sockets[0]?.bytesRead).toBe(sent.length)
    const login = { email: 'a@b.co', password: 'x'.repeat(16) }
    const padded = `${JSON.stringify(login).slice(0, -1)},"pad":"${'x'.repeat(15 * 1024)}"}`
    expect(await reasonOf(await post(origin, '/users:login', padded))).toEqual([409, 'REACHED'])
  })

  test('a chunked body is cut off at the limit', async () => {
    const { send } = await listenApi({})
    const pieces = `1000\r\n${' '.repeat(4096)}\r\n`.repeat(5)
    const { answer } = send(
      `POST /api/users:login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-page-build: another\r\ntransfer-encoding: chunked\r\n\r\n${pieces}`,
    )
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('JSON', () => {
  const echo =
    (seen: unknown[]): AnyHandler =>
    async ({ body }) => {
      seen.push(body)
      return {}
    }

  test.each([
    ['levels', '['.repeat(65) + ']'.repeat(65), 'TOO_DEEP'],
    ['levels beside texts', `{"a":"[[[[","b":${'{"c":'.repeat(70)}1${'}'.repeat(70)}}`, 'TOO_DEEP'],
    ['values', hollow('{}', MiB - 10), 'TOO_MANY_VALUES'],
    ['values', hollow('1', MiB - 10), 'TOO_MANY_VALUES'],
  ])('a JSON body with too many %s is rejected unparsed', async (_, body, reason) => {
    const { origin } = await listenApi({})
    const parsing = spyOnParsing()
    expect(await reasonOf(await post(origin, '/organizations', body, 'ann'))).toEqual([400, reason])
    expect(parsing.longest()).toBeLessThan(1000)
  })

  test.each([
    '{"__proto__":{"x":1},"title":"Shop"}',
    '{"a":[{"b":{"__proto__" : 1}}]}',
    String.raw`{"\u005f_proto__":{"x":1}}`,
  ])('a JSON body with the key __proto__ is rejected: %s', async (body) => {
    const { origin } = await listenApi({})
    expect(await reasonOf(await post(origin, '/organizations', body, 'ann'))).toEqual([400, 'MALFORMED_JSON'])
  })

  test('a JSON body is parsed without a reviver, and may contain __proto__ in a string', async () => {
    const seen: unknown[] = []
    const { origin } = await listenApi({ 'users.logout': echo(seen) })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const body = JSON.stringify({ note: '{"__proto__":1}' })
    expect((await post(origin, '/users:logout', body, 'ann')).status).toBe(200)
    const [call] = parse.mock.calls.filter(([text]) => text === body)
    expect(call?.[1]).toBeUndefined()
  })
})

describe('bodies that do not end', () => {
  const half = (path: string, token: string, bytes: number): string =>
    `${head(path, 2 * bytes, token)}${' '.repeat(bytes)}`

  test('unfinished bodies get 408, and their bytes are released', async () => {
    const { origin, send } = await listenApi(
      { 'users.logout': async () => ({}) },
      {
        users: { limit: 4000, share: 1000 },
        pace: { windowMs: 40, windowBytes: 10_000, totalMs: 10_000 },
      },
    )
    expect(await send(half('/users:logout', 'ann', 900)).answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
    const body = JSON.stringify({ pad: 'x'.repeat(900) })
    expect((await post(origin, '/users:logout', body, 'ann')).status).toBe(200)
  })

  test("unfinished bodies beyond a user's share are rejected, and other users are served", async () => {
    const { origin, send, sockets } = await listenApi(
      { 'users.logout': async () => ({}) },
      { users: { limit: 4000, share: 1000 } },
    )
    send(half('/users:logout', 'ann', 900))
    await expect.poll(() => sockets[0]?.bytesRead ?? 0).toBeGreaterThan(900)
    const body = JSON.stringify({ pad: 'x'.repeat(200) })
    const refused = await post(origin, '/users:logout', body, 'ann')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await reasonOf(refused)).toEqual([503, 'OVERLOADED'])
    expect((await post(origin, '/users:logout', body, 'ben')).status).toBe(200)
  })
})

describe('large bodies', () => {
  test('large bodies of one user are processed in sequence, of several users in parallel, and a limited number wait', async () => {
    const started: string[] = []
    const gates: (() => void)[] = []
    const { origin } = await listenApi(
      {
        'users.logout': async ({ actor }) => {
          started.push(actor?.userId ?? '')
          await new Promise<void>((resolve) => gates.push(resolve))
          return {}
        },
      },
      { oneByOne: { bytes: 1000, waiting: 2 } },
    )
    const body = JSON.stringify({ pad: 'x'.repeat(2000) })
    const call = (user: string) => post(origin, '/users:logout', body, user)
    const answers = [call('ann')]
    await expect.poll(() => started).toEqual(['ann'])
    answers.push(call('ann'), call('ann'))
    const others = call('ben')
    await expect.poll(() => started).toEqual(['ann', 'ben'])
    expect(await reasonOf(await call('ann'))).toEqual([429, 'RATE_LIMITED'])
    expect((await post(origin, '/organizations', '{}', 'ann')).status).not.toBe(429)
    for (let open = 0; open < 4; open++) {
      await expect.poll(() => gates.length).toBeGreaterThan(open)
      gates[open]?.()
    }
    expect((await Promise.all([...answers, others])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(started.toSorted()).toEqual(['ann', 'ann', 'ann', 'ben'])
  })

  test.each([
    ['{'.repeat(2000), [400, 'TOO_DEEP']],
    [`{"pad":"${'x'.repeat(2000)}`, [400, 'MALFORMED_JSON']],
  ])('large bodies that cannot be parsed make way for the next, and release their bytes', async (body, outcome) => {
    const limits = { oneByOne: { bytes: 1000, waiting: 0 }, users: { limit: 12_000, share: 3000 } }
    const { origin } = await listenApi({ 'users.logout': async () => ({}) }, limits)
    for (let n = 0; n < 3; n++)
      expect(await reasonOf(await post(origin, '/users:logout', body, 'ann'))).toEqual(outcome)
    const good = JSON.stringify({ pad: 'x'.repeat(2000) })
    expect((await post(origin, '/users:logout', good, 'ann')).status).toBe(200)
  })
})

describe('bytes that are not UTF-8', () => {
  const call = async (origin: string, text: string, type: string): Promise<string> => {
    const answer = await fetch(`${origin}/users:login`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(text, 'latin1')),
      headers: { 'content-type': type },
    })
    return (await reasonOf(answer))[1]
  }

  test('bytes that are not UTF-8 are rejected, unless the call names their charset', async () => {
    const { origin } = await listenApi({})
    const text = '{"email":"José","password":1}'
    expect(await call(origin, text, 'application/json')).toBe('NOT_UTF8')
    expect(await call(origin, text, 'application/json; charset=utf-8')).toBe('NOT_UTF8')
    expect(await call(origin, text, 'application/json; charset=nonsense')).toBe('NOT_UTF8')
    expect(await call(origin, text, 'application/json; charset=iso-8859-1')).toBe('VALIDATION')
  })
})
