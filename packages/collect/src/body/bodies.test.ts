import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Metrics, noMetrics } from '@tributary/kernel'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultCollectSettings } from '../ports.ts'
import {
  basic,
  keysOfLargeOrganization,
  liveKey,
  otherKey,
  type RunningCollect,
  startCollect,
} from '../testing/server.ts'

const MiB = 1024 * 1024
const track = { userId: 'u1', event: 'Paid' }
const json = JSON.stringify
const { keyless } = defaultCollectSettings

/** Starts collection, and records the maximum bytes of bodies that collection held at each check. */
const start = async (options: Parameters<typeof startCollect>[0] = {}) => {
  const seen = { max: 0, now: 0, looks: 0 }
  const metrics: Metrics = {
    ...noMetrics,
    gauge(name, value) {
      if (name !== 'collect_buffered_bytes') return
      seen.now = value
      seen.max = Math.max(seen.max, value)
      seen.looks++
    },
  }
  const running = await startCollect({ metrics, ...options, settings: { flushMs: 2, ...options.settings } })
  onTestFinished(() => running.stop())
  return { running, seen }
}

type Stalled = { socket: Socket; answer: Promise<string> }

/** Begins a request that announces `announced` bytes, sends `sent` of them and waits for the response. */
const begin = (
  { port }: RunningCollect,
  headers: string,
  announced: number,
  sent: number,
  path = '/v1/batch',
): Stalled => {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${announced}\r\n\r\n`)
    if (sent > 0) socket.write(Buffer.alloc(sent, 0x20))
  })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
  return { socket, answer }
}

/** Returns a counter of the requests that got 503. */
const refusedOf = (stalled: readonly Stalled[]): (() => number) => {
  let refused = 0
  for (const { answer } of stalled) {
    void answer.then((text) => {
      if (text.startsWith('HTTP/1.1 503 ')) refused++
    })
  }
  return () => refused
}

const authorization = (key: string): string => `Authorization: ${basic(key)}\r\n`

const post = (
  { origin }: RunningCollect,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = '/v1/batch',
): Promise<Response> => fetch(`${origin}${path}`, { method: 'POST', body, headers })

const reasonOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { reason: string }).reason,
]

const batchOf = (bytes: number, more: object = {}): string => {
  const event = { type: 'track', ...track, properties: { note: 'n'.repeat(1000) } }
  const count = Math.floor(bytes / (json(event).length + 1))
  return json({ batch: Array.from({ length: count }, () => event), ...more })
}

describe('an unknown key before the body', () => {
  test.each([
    ['in a header', authorization('nobody')],
    ['in X-Write-Key', 'X-Write-Key: nobody\r\n'],
  ])('a call whose unknown key is %s is rejected before a byte of the body is read', async (_, headers) => {
    const { running } = await start()
    const answer = await begin(running, headers, 4 * MiB, 0).answer
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*WRITE_KEY_UNKNOWN/)
    expect(answer).toMatch(/connection: close/i)
    expect(running.sockets[0]?.bytesRead).toBeLessThan(500)
  })

  test('a call with an unknown key gets its response after the client has sent the body, and the body is not kept in memory', async () => {
    const { running, seen } = await start()
    const headers = { authorization: basic('nobody') }
    expect(await reasonOf(await post(running, batchOf(4 * MiB - 2000), headers))).toEqual([401, 'WRITE_KEY_UNKNOWN'])
    await expect.poll(() => seen.looks).toBeGreaterThan(1)
    expect(seen.max).toBe(0)
  })

  test('a webhook call is rejected before its body is read, if neither its URL nor its headers have a key', async () => {
    const { running } = await start()
    expect(await reasonOf(await post(running, '{"any":"thing"}', {}, '/v1/webhook'))).toEqual([
      401,
      'WRITE_KEY_MISSING',
    ])
  })
})

describe('bodies whose key can only be inside', () => {
  test('unfinished bodies without an outer key use only the share of their address, and requests of workspaces are still accepted', async () => {
    const { running, seen } = await start()
    const strangers = Array.from({ length: 64 }, () => begin(running, '', MiB, MiB - 1))
    await expect.poll(refusedOf(strangers), { timeout: 30_000 }).toBe(56)
    expect(seen.max).toBeLessThanOrEqual(keyless.addressBytes)
    expect((await post(running, batchOf(4 * MiB - 2000), { authorization: basic(liveKey) })).status).toBe(200)
  })

  test('bodies without an outer key together use only a separate budget, even if they come from many addresses', async () => {
    const { running, seen } = await start({ trustedProxies: ['127.0.0.1'] })
    const strangers = Array.from({ length: 64 }, (_, i) =>
      begin(running, `X-Forwarded-For: 198.51.100.${i}\r\n`, MiB, MiB - 1),
    )
    await expect.poll(refusedOf(strangers), { timeout: 30_000 }).toBeGreaterThan(32)
    expect(seen.max).toBeGreaterThan(keyless.bufferedBytes / 2)
    expect(seen.max).toBeLessThanOrEqual(keyless.bufferedBytes)
    expect((await post(running, batchOf(4 * MiB - 2000), { authorization: basic(liveKey) })).status).toBe(200)
    const small = await post(running, json({ batch: [track], writeKey: liveKey }), {
      'x-forwarded-for': '203.0.113.9',
    })
    expect(small.status).toBe(200)
  })

  test('bodies without an outer key that arrive too slowly get 408, and their bytes are released', async () => {
    const { running, seen } = await start({
      settings: { keyless: { ...keyless, pace: { windowMs: 40, windowBytes: 100, totalMs: 1000 } } },
    })
    const stalled = begin(running, '', 1000, 900)
    expect(await stalled.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
    await expect.poll(() => seen.now).toBe(0)
  })

  test('bodies without an outer key are rejected without parsing if they are large and have no known key, and without reading beyond 1 MiB', async () => {
    const { running } = await start()
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const hollow = (more: string): string => `{"batch":[${'{},'.repeat(300_000)}{}]${more}}`
    expect(await reasonOf(await post(running, hollow('')))).toEqual([401, 'WRITE_KEY_MISSING'])
    expect(await reasonOf(await post(running, hollow(',"writeKey":"nobody"')))).toEqual([401, 'WRITE_KEY_UNKNOWN'])
    expect(parse.mock.calls.filter(([text]) => String(text).length > 1000)).toEqual([])
    const announced = await begin(running, '', MiB + 1, 0).answer
    expect(announced).toMatch(/^HTTP\/1\.1 413 [\s\S]*Basic authorization/)
  })

  test.each([
    ['at the end', { writeKey: liveKey }],
    ['in its events', {}],
  ])('bodies of up to half a megabyte are accepted with their key %s', async (_, more) => {
    const { running } = await start()
    const text = batchOf(MiB / 2, more)
    const body = 'writeKey' in more ? text : text.replaceAll('"type"', `"writeKey":"${liveKey}","type"`)
    expect((await post(running, body)).status).toBe(200)
    expect(await running.entries()).toHaveLength(1)
  })

  test('bodies with gzip and an inner key are decompressed within the budget', async () => {
    const { running, seen } = await start()
    const small = new Uint8Array(gzipSync(Buffer.alloc(4 * MiB)))
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => (await post(running, small, { 'content-encoding': 'gzip' })).status),
    )
    expect(answers.filter((status) => status !== 413 && status !== 503)).toEqual([])
    expect(seen.max).toBeLessThanOrEqual(keyless.addressBytes)
    await expect.poll(() => seen.now).toBe(0)
  })
})

describe('bodies of a known key', () => {
  const settings = { bufferedBytes: 4 * MiB, workspaceBufferedBytes: MiB }

  test('unfinished bodies of a known key use only the share of their workspace, and requests of other workspaces are accepted', async () => {
    const { running, seen } = await start({ settings })
    const stalled = Array.from({ length: 8 }, () => begin(running, authorization(liveKey), MiB, MiB / 4))
    await expect.poll(refusedOf(stalled)).toBe(4)
    await expect.poll(() => seen.now).toBe(MiB)
    expect(await reasonOf(await post(running, batchOf(2000), { authorization: basic(liveKey) }))).toEqual([
      503,
      'OVERLOADED',
    ])
    expect((await post(running, batchOf(MiB / 2), { authorization: basic(otherKey) })).status).toBe(200)
  })

  test('bodies for twelve workspaces of one organization use less than half of the total, and another organization is served', async () => {
    const { running, seen } = await start({ settings: { ...settings, bufferedBytes: 8 * MiB } })
    const stalled = keysOfLargeOrganization.map((key) => begin(running, authorization(key), MiB, MiB / 2))
    await expect.poll(refusedOf(stalled)).toBe(5)
    await expect.poll(() => seen.now).toBe(3.5 * MiB)
    expect((await post(running, batchOf(MiB / 2), { authorization: basic(otherKey) })).status).toBe(200)
  })

  test('bodies of one kind of call leave capacity for other kinds, even if many organizations send them', async () => {
    const { running, seen } = await start({ settings: { bufferedBytes: 8 * MiB, workspaceBufferedBytes: 8 * MiB } })
    const stall = (key: string, bytes: number, path?: string) =>
      begin(running, authorization(key), bytes + 1, bytes, path)
    stall(keysOfLargeOrganization[0] ?? '', 3 * MiB)
    await expect.poll(() => seen.now).toBe(3 * MiB)
    stall(liveKey, 1.5 * MiB)
    await expect.poll(() => seen.now).toBe(4.5 * MiB)
    expect(await stall(otherKey, 1.5 * MiB).answer).toMatch(/^HTTP\/1\.1 503 /)
    stall(otherKey, 1.5 * MiB, '/v1/track')
    await expect.poll(() => seen.now).toBe(6 * MiB)
  })

  test('bodies of a known key that arrive too slowly get 408, and their bytes are released', async () => {
    const { running, seen } = await start({ settings: { pace: { windowMs: 40, windowBytes: 100, totalMs: 1000 } } })
    expect(await begin(running, authorization(liveKey), 4 * MiB, 900).answer).toMatch(/^HTTP\/1\.1 408 /)
    await expect.poll(() => seen.now).toBe(0)
    expect(running.refused).toEqual([])
  })

  test('bodies with more values than any valid batch are rejected unparsed', async () => {
    const { running } = await start()
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const body = `{"batch":[${'{},'.repeat(1_390_000)}{}]}`
    expect(await reasonOf(await post(running, body, { authorization: basic(liveKey) }))).toEqual([
      400,
      'TOO_MANY_VALUES',
    ])
    expect(parse.mock.calls.filter(([text]) => String(text).length > 1000)).toEqual([])
  })
})
