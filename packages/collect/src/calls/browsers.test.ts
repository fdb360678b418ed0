import { connect } from 'node:net'
import { requestMeta } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'

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

describe('browsers', () => {
  test("a browser's preflight request is granted the requested headers, for its own origin", async () => {
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
      'access-control-allow-headers': 'authorization,content-type,x-new-thing',
      'access-control-allow-methods': 'GET,POST,HEAD,OPTIONS',
      'access-control-max-age': '86400',
      vary: expect.stringContaining('Origin'),
    })
  })

  test.each([
    ['/v1/track', false],
    ['/v1/t?x=/tag/v1/k/cookies', false],
    ['/v1/batch', false],
    ['/beacon/v1/batch?writeKey=x', false],
    ['/pixel/v1/track?writeKey=x', false],
    ['/projects/x/settings', false],
    ['/sourceConfig?writeKey=x', false],
    ['/analytics.js/v1/x/analytics.min.js', false],
    ['/tag/v1/x/tag.js', false],
    ['/v1/nothing', false],
    ['/m', false],
    ['/rsaRequest', true],
    ['/tag/v1/x/cookies', true],
  ])('a page of any site may call %s, and may send cookies with the call: %s', async (path, withCookies) => {
    const headers = { origin: 'https://evil.example' }
    for (const method of ['OPTIONS', 'POST', 'GET']) {
      const answer = await fetch(`${running.origin}${path}`, { method, headers })
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://evil.example')
      expect([method, answer.headers.get('access-control-allow-credentials')]).toEqual([
        method,
        withCookies ? 'true' : null,
      ])
    }
  })

  test('success and error responses both have the CORS headers', async () => {
    for (const headers of [key, {}]) {
      const response = await post('/v1/track', json(track), { ...headers, origin: 'https://shop.example' })
      expect(response.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(response.headers.get('access-control-expose-headers')).toMatch(/^Retry-After, RateLimit-/)
    }
  })

  test.each(['/v1/m', '/m', '/rsaRequest', '/rsaMetrics'])(
    "SDKs' reports about themselves to %s get 200 and are discarded",
    async (path) => {
      const before = (await running.entries()).length
      expect((await post(path, '{"series":[]}')).status).toBe(200)
      expect((await running.entries()).length).toBe(before)
    },
  )

  test('HEAD, keep-alive and pipelined requests on one connection get their responses in order', async () => {
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

  test('a data pixel becomes the JSON event that it contains', async () => {
    const event = { writeKey: liveKey, userId: 'ü>>>???', event: 'Opened' }
    const response = await pixel(`/v1/pixel/track?data=${data(event)}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
    expect(JSON.parse((await last()).text)).toEqual(event)
    expect((await last()).meta).toMatchObject({ k: 'single', t: 'track', d: true })
  })

  test('a data pixel may also use unescaped or URL-safe base64', async () => {
    const event = { writeKey: liveKey, userId: 'ü>>>???~~~', event: 'Opened' }
    for (const text of [Buffer.from(json(event)).toString('base64'), Buffer.from(json(event)).toString('base64url')]) {
      await pixel(`/v1/pixel/track?data=${text}`)
      expect(JSON.parse((await last()).text)).toEqual(event)
    }
  })

  test('the query of a pixel becomes an event with nested fields and without the write key', async () => {
    await pixel(
      `/pixel/v1/track?writeKey=${liveKey}&anonymousId=a1&event=Opened&properties.mail.id=7&context.page.url=https%3A%2F%2Fx.example&a=1&a.b=2&__proto__.x=1`,
    )
    const event = JSON.parse((await last()).text)
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

  test('a rejected pixel returns the image and is counted', async () => {
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
    expect(await other.entries()).toEqual([])
    await other.stop()
    expect(other.refused.map((row) => [row.reason, row.count])).toEqual([
      ['INVALID_PIXEL', 2],
      ['WRITE_KEY_UNKNOWN', 1],
      ['MISSING_FIELD', 1],
    ])
  })
})
