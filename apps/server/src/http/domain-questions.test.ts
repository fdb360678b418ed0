import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDomainQuestions, createMayAskDomains } from './domain-questions.ts'

const domains = new Set<string>()
/** The names that the check has looked up. */
const looked: string[] = []
const token = 'a-token-of-domains'
let trustedProxies = ['127.0.0.0/8']
const questions = createDomainQuestions({
  mayAsk: (request) => createMayAskDomains({ trustedProxies, domainsToken: token })(request),
  mayHaveCertificate(domain) {
    looked.push(domain)
    return domains.has(domain)
  },
})
const server = createServer((request, response) => questions.handle(request, response))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  domains.clear()
  domains.add('events.example.com').add('xn--bcher-kva.example')
  looked.length = 0
  trustedProxies = ['127.0.0.0/8']
})

const ask = async (query: string, method = 'GET', headers: Record<string, string> = {}): Promise<number> => {
  const { port } = server.address() as AddressInfo
  return (await fetch(`http://127.0.0.1:${port}/domains/ask${query}`, { method, headers })).status
}

test('an active custom domain, in any spelling, may get a certificate until it is removed', async () => {
  for (const name of ['events.example.com', 'Events.EXAMPLE.com', 'xn--bcher-kva.example', 'XN--BCHER-KVA.example'])
    expect([name, await ask(`?domain=${name}`)]).toEqual([name, 200])
  expect(await ask('?domain=events.example.com', 'HEAD')).toBe(200)
  domains.delete('events.example.com')
  expect(await ask('?domain=events.example.com')).toBe(404)
})

test.each([
  ['another name', 'other.example.com'],
  ['a name below it', 'a.events.example.com'],
  ['a name above it', 'example.com'],
  ['a dot behind it', 'events.example.com.'],
])('no certificate may be requested for %s', async (_, name) => {
  expect(await ask(`?domain=${name}`)).toBe(404)
})

test.each([
  ['nothing', ''],
  ['an empty name', '?domain='],
  ['letters beyond ASCII', `?domain=${encodeURIComponent('b\u00fccher.example')}`],
  ['a letter that looks like another', `?domain=${encodeURIComponent('\u0435vents.example.com')}`],
  ['a zero byte', '?domain=events.example.com%00'],
  ['a slash', '?domain=events.example.com/'],
  ['a port', '?domain=events.example.com:443'],
  ['a broken escape', '?domain=%E0%A4%A'],
  ['a name longer than DNS has', `?domain=${'a'.repeat(254)}`],
  ['a huge name', `?domain=${'a.'.repeat(6000)}example.com`],
])('a domain request with %s is rejected without a lookup', async (_, query) => {
  expect(await ask(query)).toBe(404)
  expect(looked).toEqual([])
})

test('only GET and HEAD are allowed for the domain check', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) expect(await ask('?domain=events.example.com', method)).toBe(405)
  expect(looked).toEqual([])
})

test.each<[string, readonly string[], Record<string, string>, string, number]>([
  ['a trusted proxy', ['127.0.0.0/8'], {}, '', 200],
  ['a stranger through a trusted proxy', ['127.0.0.0/8'], { 'x-forwarded-for': '203.0.113.9' }, '', 403],
  ['a stranger who says to be the proxy', ['127.0.0.0/8'], { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' }, '', 403],
  ['a stranger whose proxy says only "Forwarded"', ['127.0.0.0/8'], { forwarded: 'for=203.0.113.9' }, '', 403],
  ['this machine, where no proxy is trusted', [], {}, '', 403],
  ['another network than the trusted one', ['10.0.0.0/8'], {}, '', 403],
  ['whoever has the token', [], {}, `&token=${token}`, 200],
  [
    'whoever has the token, through a proxy',
    ['127.0.0.0/8'],
    { 'x-forwarded-for': '203.0.113.9' },
    `&token=${token}`,
    200,
  ],
  ['whoever has another token', [], {}, '&token=a-token-of-nobody', 403],
  ['whoever has an empty token', [], {}, '&token=', 403],
])(
  'a domain request by %s is accepted, or rejected for every domain alike',
  async (_, proxies, headers, more, status) => {
    trustedProxies = [...proxies]
    expect(await ask(`?domain=events.example.com${more}`, 'GET', headers)).toBe(status)
    expect(await ask(`?domain=other.example.com${more}`, 'GET', headers)).toBe(status === 200 ? 404 : 403)
  },
)
