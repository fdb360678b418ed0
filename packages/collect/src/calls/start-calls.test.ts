import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientAddress, parseProxies } from '../caller.ts'
import { basic, disabledKey, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'
import { snippet } from './browser-sdk.ts'

let running: RunningCollect
beforeAll(async () => {
  running = await startCollect({ trustedProxies: ['127.0.0.1'] })
})
afterAll(() => running.stop())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${running.origin}${path}`, { headers })

describe('settings of the browser and mobile SDKs', () => {
  test.each([
    '/v1/projects/KEY/settings',
    '/projects/KEY/settings',
    '/v1/projects/projects/KEY/settings',
    '/v1/projects/KEY/settings/',
  ])('the settings at %s let the SDK send events to the origin of its request', async (path) => {
    const response = await get(path.replace('KEY', liveKey))
    const settings = await response.json()
    expect(settings.integrations).toEqual({
      'Segment.io': expect.objectContaining({
        apiKey: liveKey,
        apiHost: `127.0.0.1:${running.port}/v1`,
        protocol: 'http',
      }),
    })
    expect(settings.metrics.sampleRate).toBe(0)
  })

  test("behind a trusted proxy, the proxy's headers decide the origin in the settings", async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'cdp.example.com' }
    const { integrations } = await (await get(`/v1/projects/${liveKey}/settings`, headers)).json()
    expect(integrations['Segment.io']).toMatchObject({ apiHost: 'cdp.example.com/v1', protocol: 'https' })
  })

  test('an untrusted peer cannot choose the origin in the settings, and a configured origin takes precedence', async () => {
    const other = await startCollect({ publicUrl: 'https://events.example.com/' })
    const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' }
    const { integrations } = await (await fetch(`${other.origin}/v1/projects/${liveKey}/settings`, { headers })).json()
    expect(integrations['Segment.io']).toMatchObject({ apiHost: 'events.example.com/v1', protocol: 'https' })
    await other.stop()
  })

  test.each([
    ['nobody', 404, 'WRITE_KEY_UNKNOWN'],
    [disabledKey, 404, 'SOURCE_DISABLED'],
  ])('for the key %s the response is %i %s', async (key, status, reason) => {
    const response = await get(`/v1/projects/${key}/settings`)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code: status, reason })
  })
})

describe('a custom domain', () => {
  const domains = {
    workspaceOf: (host: string) => ({ 'own.example': 'w1', 'theirs.example': 'w9' })[host],
    mayHaveCertificate: () => true,
  }
  const send = async (host: string) => {
    const other = await startCollect({
      domains,
      publicUrl: 'https://events.example.com/',
      trustedProxies: ['127.0.0.1'],
    })
    const headers = { authorization: basic(liveKey), 'x-forwarded-host': host }
    const body = JSON.stringify({ event: 'E', userId: 'u' })
    const sent = await fetch(`${other.origin}/v1/track`, { method: 'POST', headers, body })
    const settings = await fetch(`${other.origin}/v1/projects/${liveKey}/settings`, { headers })
    const read = { status: sent.status, settings: await settings.json() }
    await other.stop()
    return read
  }

  test("a custom domain collects its workspace's events, with a port or in capitals, and its SDKs send events there", async () => {
    const { status, settings } = await send('OWN.example:443')
    expect(status).toBe(200)
    expect(settings.integrations['Segment.io']).toMatchObject({ apiHost: 'own.example/v1', protocol: 'https' })
  })

  test('a custom domain accepts no events of another workspace, and gives its SDKs no settings', async () => {
    const { status, settings } = await send('theirs.example')
    expect(status).toBe(403)
    expect(settings).toMatchObject({ code: 403, reason: 'DOMAIN_OF_ANOTHER_WORKSPACE' })
  })

  test("a custom domain of no workspace is treated like the product's own address", async () => {
    const { status, settings } = await send('nobody.example')
    expect(status).toBe(200)
    expect(settings.integrations['Segment.io']).toMatchObject({ apiHost: 'events.example.com/v1' })
  })
})

describe('sourceConfig of the RudderStack SDKs', () => {
  test.each<[string, Record<string, string>]>([
    [`/sourceConfig/?p=npm&v=3.34.1&build=modern&writeKey=${liveKey}&lockIntegrationsVersion=true`, {}],
    ['/sourceConfig?p=android&v=1&bv=1', { authorization: basic(liveKey) }],
  ])('sourceConfig at %s names the source and leaves destinations to the server', async (path, headers) => {
    const config = await (await get(path, headers)).json()
    expect(config.source).toMatchObject({ id: 's1', name: 'Shop', writeKey: liveKey, enabled: true, destinations: [] })
    expect(config.source.config).toBeTypeOf('object')
  })

  test('sourceConfig reports a disabled source as disabled, and the SDK sends nothing', async () => {
    expect((await (await get(`/sourceConfig?writeKey=${disabledKey}`)).json()).source.enabled).toBe(false)
  })

  test.each([
    ['/sourceConfig', 'WRITE_KEY_MISSING'],
    ['/sourceConfig?writeKey=nobody', 'WRITE_KEY_UNKNOWN'],
  ])('sourceConfig with %s gets 401 %s', async (path, reason) => {
    const response = await get(path)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ reason })
  })
})

describe('the browser SDK', () => {
  test('the browser SDK is served with the write key inside, and sends only to this origin', async () => {
    const response = await get(`/analytics.js/v1/${liveKey}/analytics.min.js`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toMatch('text/javascript')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(text).toContain(`window.analyticsWriteKey="${liveKey}"`)
    expect(text).not.toMatch(/cdn\.segment\.com|api\.segment\.io/)
    expect(text).toContain(running.origin)
  })

  test('the browser SDK has all chunks that it may load, byte for byte, with and without compression', async () => {
    const script = await (await get(`/analytics.js/v1/${liveKey}/analytics.min.js`)).text()
    // webpack's chunk names: {id: name}[id] || id, followed by {id: hash}[id].
    const [, titles = '', hashes = ''] =
      /\(?\{([^{}]*)\}\[\w\]\|\|\w\)?\+"\.bundle\."\+\{([^{}]*)\}\[\w\]\+"\.js"/.exec(script) ?? []
    const title = new Map([...titles.matchAll(/(\d+):"([^"]+)"/g)].map(([, id = '', name = '']) => [id, name]))
    const names = [...hashes.matchAll(/(\d+):"([^"]+)"/g)].map(
      ([, id = '', hash]) => `${title.get(id) ?? id}.bundle.${hash}.js`,
    )
    expect(names.length).toBeGreaterThan(4)
    for (const name of names) {
      const plain = await get(`/analytics-next/bundles/${name}`, { 'accept-encoding': 'identity' })
      const zipped = await get(`/analytics-next/bundles/${name}`, { 'accept-encoding': 'gzip' })
      expect(plain.status).toBe(200)
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
      expect(await zipped.text()).toBe(await plain.text())
    }
  })

  test.each([
    '/analytics-next/bundles/..%2findex.js',
    '/analytics-next/bundles/standalone.js',
    '/next-integrations/integrations/vendor/x.js',
    '/analytics.js/v1/nobody/analytics.min.js',
  ])("the browser SDK's path %s gets 404", async (path) => {
    expect((await get(path)).status).toBe(404)
  })

  test('no value can break out of the SDK snippet', () => {
    const text = snippet({ origin: 'http://127.0.0.1:3000/', writeKey: '</script><script>"' })
    expect(text.match(/<\/?script>/g)).toEqual(['<script>', '</script>'])
    expect(text).toContain('queue._cdn = "http://127.0.0.1:3000"')
  })
})

test.each([
  ['203.0.113.9', undefined, [], '203.0.113.9'],
  ['::ffff:203.0.113.9', undefined, [], '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', [], '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.9'],
  ['10.0.0.2', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
  ['10.0.0.2', '1.1.1.1, 198.51.100.1, 10.0.0.7', ['10.0.0.0/8'], '198.51.100.1'],
  ['10.0.0.2', '1.1.1.1, nonsense', ['10.0.0.0/8'], '10.0.0.2'],
  ['::ffff:10.0.0.2', '[2001:db8::1]:443', ['10.0.0.0/8'], '2001:db8::1'],
  ['::1', '198.51.100.1:5500', ['::1'], '198.51.100.1'],
])('the client address with peer %s, forwarded %s, and trusted %j is %s', (peer, forwarded, trusted, expected) => {
  expect(clientAddress(peer, forwarded, parseProxies(trusted))).toBe(expected)
})

test('a trusted proxy that is not an IP address is reported at the start', () => {
  expect(() => parseProxies(['10.0.0.0/8', 'proxy.local'])).toThrow('proxy.local')
})
