import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CollectDeps, WriteKeyEntry } from '../ports.ts'
import { disabledKey, liveKey, type RunningCollect, revokedKey, startCollect } from '../testing/server.ts'
import { cookieDomain, siteCookies } from './site-cookies.ts'

const code = 'var config=__TRIBUTARY_TAG__;'
const entry: WriteKeyEntry = {
  organizationId: 'o1',
  workspaceId: 'w1',
  sourceId: 's1',
  sourceTitle: 'Shop',
  sourceEnabled: true,
  app: 'tag',
  settings: {},
  keyId: 'k1',
}
const keys: ReadonlyMap<string, WriteKeyEntry> = new Map([
  [liveKey, entry],
  ['wk_granted', { ...entry, settings: { consent: 'granted' } }],
  ['wk_signed', { ...entry, app: 'shopify' }],
  [disabledKey, { ...entry, sourceEnabled: false }],
])
const deps: Partial<CollectDeps> = {
  tag: code,
  keys: {
    find: (key) => keys.get(key),
    findRevoked: (key) => (key === revokedKey ? entry : undefined),
    ready: () => true,
  },
  webhooks: new Map([['shopify', { receive: () => undefined, signed: true }]]),
  domains: {
    workspaceOf: (host) => ({ 'events.shop.example': 'w1', 'events.theirs.example': 'w9' })[host],
    mayHaveCertificate: () => true,
  },
  trustedProxies: ['127.0.0.1'],
}

let running: RunningCollect
beforeAll(async () => {
  running = await startCollect(deps)
})
afterAll(() => running.stop())

const visitor = '6f0c3a52-5a0e-4b2e-9d3a-1c2b3a4d5e6f'

describe('the code of the tag', () => {
  const get = (key: string, headers: Record<string, string> = {}) =>
    fetch(`${running.origin}/tag/v1/${encodeURIComponent(key)}/tag.js`, { headers })

  test("the tag's code contains its source, this server's address, and the consent settings, and may be cached for minutes", async () => {
    const answer = await get(liveKey)
    expect(await answer.text()).toBe(`var config={"key":"${liveKey}","origin":"${running.origin}","consent":"denied"};`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(await (await get('wk_granted')).text()).toContain('"consent":"granted"')
    const own = await get(liveKey, { 'x-forwarded-host': 'events.shop.example' })
    expect(await own.text()).toContain('"origin":"https://events.shop.example"')
  })

  test.each([
    ['nobody', {}, 404, 'WRITE_KEY_UNKNOWN'],
    [revokedKey, {}, 404, 'WRITE_KEY_UNKNOWN'],
    [disabledKey, {}, 404, 'SOURCE_DISABLED'],
    ['wk_signed', {}, 403, 'SIGNED_WEBHOOK_ONLY'],
    [liveKey, { 'x-forwarded-host': 'events.theirs.example' }, 403, 'DOMAIN_OF_ANOTHER_WORKSPACE'],
  ])("the tag's code for the key %s with %j returns %i %s", async (key, headers, status, reason) => {
    const answer = await get(key, headers as Record<string, string>)
    expect([answer.status, (await answer.json()).reason]).toEqual([status, reason])
  })

  test("the tag's code returns 404 if it was not built", async () => {
    const { tag: _none, ...without } = deps
    const other = await startCollect(without)
    expect((await fetch(`${other.origin}/tag/v1/${liveKey}/tag.js`)).status).toBe(404)
    await other.stop()
  })
})

describe('the cookies that the tag requests', () => {
  const ask = async (body: string, headers: Record<string, string> = {}, key = liveKey) => {
    const answer = await fetch(`${running.origin}/tag/v1/${key}/cookies`, {
      method: 'POST',
      headers: { 'x-forwarded-host': 'events.shop.example', 'x-forwarded-proto': 'https', ...headers },
      body,
    })
    return { status: answer.status, reason: (await answer.json()).reason, headers: answer.headers }
  }
  const site = { origin: 'https://www.shop.example' }

  test("AMB-72: the tag's cookies are set for the whole site, longer than scripts can, on the workspace's custom domain", async () => {
    const { status, headers } = await ask(JSON.stringify({ trb_aid: visitor, trb_s: '1' }), site)
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual([
      `trb_aid=${visitor}; Max-Age=34560000; Path=/; SameSite=Lax; Domain=shop.example; Secure`,
      'trb_s=1; Path=/; SameSite=Lax; Domain=shop.example; Secure',
    ])
    expect(headers.get('access-control-allow-origin')).toBe('https://www.shop.example')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('vary')).toContain('Origin')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    ['the page of another site', { origin: 'https://evil.example' }],
    ['a page of no site', { origin: 'null' }],
    ['no page', {}],
    ['a browser that calls it another site', { ...site, 'sec-fetch-site': 'cross-site' }],
  ])("the tag's cookies are not set for %s", async (_, headers) => {
    const answer = await ask(JSON.stringify({ trb_aid: visitor }), headers as Record<string, string>)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
  })

  test.each([
    ['an unknown key, before the body is read', 'x'.repeat(100_000), 'nobody', 404, 'WRITE_KEY_UNKNOWN'],
    ['a revoked key', '{}', revokedKey, 404, 'WRITE_KEY_UNKNOWN'],
    ['a disabled source', '{}', disabledKey, 404, 'SOURCE_DISABLED'],
    ['no JSON', '{', liveKey, 400, 'INVALID_JSON'],
    ['a list', '[1]', liveKey, 400, 'NOT_AN_OBJECT'],
    ['more than all cookies together', JSON.stringify({ trb_uid: 'x'.repeat(9000) }), liveKey, 413, 'BODY_TOO_LARGE'],
  ])("the tag's cookies are rejected for %s", async (_, body, key, status, reason) => {
    const answer = await ask(body, site, key)
    expect([answer.status, answer.reason, answer.headers.getSetCookie()]).toEqual([status, reason, []])
  })

  test("the tag's cookies are not set with another HTTP method (405), and no call is stored as an event", async () => {
    expect((await fetch(`${running.origin}/tag/v1/${liveKey}/cookies`)).status).toBe(405)
    expect(await running.entries()).toEqual([])
  })

  test.each([
    ['_fbp', 'fb.1.1596403881668.1116446470', true],
    ['_fbc', 'fb.1.1554763741205.IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDGrc', true],
    ['_fbc', 'fb.1.1554763741205.a b', false],
    ['_fbp', 'x', false],
    ['trb_clicks', 'gclid:t9:EAIa%20b|utm:t9:a', true],
    ['trb_uid', 'jane%40example.com', true],
    ['trb_uid', 'a;Domain=evil', false],
    ['trb_uid', 'a\r\nSet-Cookie: b', false],
    ['trb_aid', visitor.toUpperCase(), false],
    ['trb_aid', 7, false],
    ['session', 'a', false],
    ['toString', 'a', false],
  ])("the tag's cookie %s=%s is accepted: %s", (name, value, wanted) => {
    const lines = siteCookies({ [name]: value }, { page: 'a.example', server: 'a.example', https: false })
    expect(lines.length).toBe(wanted ? 1 : 0)
    if (wanted) expect(lines[0]).toMatch(/; Path=\/; SameSite=Lax$/)
  })

  test.each([
    ['www.shop.example', 'events.shop.example', { domain: 'shop.example' }],
    ['shop.example', 'events.shop.example', { domain: 'shop.example' }],
    ['events.shop.example', 'events.shop.example', { host: true }],
    ['localhost', 'localhost', { host: true }],
    ['shop.com', 'events.other.com', undefined],
    ['com', 'events.com', undefined],
    ['127.0.0.1', '127.0.0.1', { host: true }],
    ['1.127.0.0.1', '127.0.0.1', undefined],
    ['[::1]', '[::2]', undefined],
  ])('the cookie domain of the page %s and the server %s is %j', (page, server, wanted) => {
    expect(cookieDomain(page, server)).toEqual(wanted)
  })
})
