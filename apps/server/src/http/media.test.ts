import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listedDataSources, listedDestinations, listedSources } from '@tributary/connectors'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConnectorLogos } from './connector-logos.ts'
import { createMedia } from './media.ts'

const key = 'logos/a.webp'
const asked: unknown[] = []
const media = createMedia({
  logger: silentLogger,
  async readImage(name, box) {
    asked.push(box)
    if (name === 'logos/away.webp') throw new Error('the disk is away')
    return name === key ? { body: Buffer.from('picture'), contentType: 'image/webp' } : undefined
  },
  readLogo: createConnectorLogos(),
})
const server = createServer((request, response) => media.handle(request, response))
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`
})
afterAll(() => void server.close())

test('a picture is served with its type and cached permanently, and cannot run scripts', async () => {
  const reply = await fetch(`${url}/${key}?max-w=48&max-h=32&hash=b1`)
  expect([reply.status, await reply.text()]).toEqual([200, 'picture'])
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-length': '7',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  })
  expect(asked.at(-1)).toEqual({ maxWidth: 48, maxHeight: 32 })
  const head = await fetch(`${url}/${key}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '7', ''])
  expect(asked.at(-1)).toEqual({})
})

test.each(['max-w=0', 'max-w=-1', 'max-w=1e9', 'max-w=x', 'max-w=', 'max-w=999999'])(
  'the invalid size %s is ignored',
  async (query) => {
    expect((await fetch(`${url}/${key}?${query}`)).status).toBe(200)
    expect(asked.at(-1)).toEqual({})
  },
)

test('the logo of each connector is at its URL in the catalog, as a picture that cannot run scripts', async () => {
  for (const { icon } of [...listedDataSources, ...listedDestinations, ...listedSources]) {
    const reply = await fetch(`${url}${icon.replace(/^\/media/, '')}`)
    expect([icon, reply.status, reply.headers.get('content-type')]).toEqual([icon, 200, 'image/svg+xml'])
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await reply.text()).toMatch(/^<svg /)
  }
})

test('a missing picture gets 404, a temporarily unreadable one 503, and neither is cached', async () => {
  for (const [path, status] of [
    ['logos/none.webp', 404],
    ['connectors/destinations/webhook-000000000000.svg', 404],
    ['connectors/destinations/../../package.json', 404],
    ['%2e%2e/secret.key', 404],
    ['', 404],
    ['logos/away.webp', 503],
  ] as const) {
    const reply = await fetch(`${url}/${path}`)
    expect([path, reply.status, reply.headers.get('cache-control')]).toEqual([path, status, 'no-store'])
    expect(await reply.text()).not.toContain('disk')
  }
  expect((await fetch(`${url}/${key}`, { method: 'POST' })).status).toBe(405)
})
