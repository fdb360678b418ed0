import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'
import { forwardedBatch } from './forwarded-batch.ts'

test.each<[string, string, string]>([
  ['an event', ' {"type":"track","n":12345678901234567890}', '{"batch":[ {"type":"track","n":12345678901234567890}]}'],
  ['a list', ' [{"type":"page"},{"type":"track"}]', '{"batch": [{"type":"page"},{"type":"track"}]}'],
  ['a text', '"hello"', 'NOT_AN_OBJECT'],
  ['nothing', '', 'EMPTY_BODY'],
  ['no JSON', '{"type":', 'INVALID_JSON'],
])('forwarding %s makes a batch with the same bytes, or is rejected', (_, body, wanted) => {
  const batch = forwardedBatch(Buffer.from(body))
  expect(Buffer.isBuffer(batch) ? batch.toString() : batch.reason).toBe(wanted)
})

describe('/v1/forward', () => {
  let server: RunningCollect
  beforeAll(async () => {
    server = await startCollect()
  })
  afterAll(() => server.stop())

  test('/v1/forward uses the key in the URL or header before the key inside, and rejects bodies that it cannot store', async () => {
    const url = `${server.origin}/v1/forward`
    const event = '{"type":"track","event":"Paid","userId":"u1","writeKey":"the-key-of-the-other-server"}'
    const post = async (address: string, body: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(address, { method: 'POST', body, headers })).status
    expect([
      await post(`${url}?writeKey=${liveKey}`, event),
      await post(url, `[${event}]`, { authorization: basic(liveKey) }),
      await post(url, event, { 'x-write-key': liveKey }),
      await post(url, event),
      await post(`${url}?writeKey=${liveKey}`, '[]'),
      await post(`${url}?writeKey=${liveKey}`, '[{]'),
      (await fetch(`${url}?writeKey=${liveKey}`)).status,
    ]).toEqual([200, 200, 200, 401, 400, 400, 405])
    expect(await server.entries()).toHaveLength(3)
  })
})
