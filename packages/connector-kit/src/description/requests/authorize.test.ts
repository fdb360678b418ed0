import { describe, expect, it, onTestFinished } from 'vitest'
import type { DestinationDefinition } from '../../definition/definition.ts'
import { deletedUserOf } from '../../definition/deleted-user.ts'
import { validateSettings } from '../../definition/settings.ts'
import { ConfigurationError, RetryableError } from '../../errors.ts'
import {
  outgoingEvent,
  type PeerAnswer,
  type PeerRequest,
  runConnectionTest,
  runConnector,
  runConnectorRows,
  startPeer,
} from '../../testing/testing.ts'
import { defineDescribed } from '../define-described.ts'
import { sample } from '../testing-descriptions.ts'

const guide = '## One\n\nA text.\n'
const ok: PeerAnswer = { status: 200, body: '{}' }
const text = { type: 'text', label: 'L', help: 'H.' }
const secret = { type: 'secret', label: 'L', help: 'H.' }
const settings = { server: { type: 'url', label: 'L', help: 'H.', required: true }, id: text, key: secret }

const peerOf = async (answer: (request: PeerRequest, index: number) => PeerAnswer) => {
  const peer = await startPeer(answer)
  onTestFinished(() => peer.close())
  return peer
}

const defined = (more: Record<string, unknown>): DestinationDefinition =>
  defineDescribed(sample({ settings, ...more }), guide)

const events = ['a', 'b'].map((id) => outgoingEvent({ messageId: id }, { action: 'send', payload: { id } }))

const client = {
  in: 'client_credentials',
  server: 'api',
  path: '/token',
  client_id: 'id',
  client_secret: 'key',
  scope: 'write',
}

it.each<[string, object[], (request: PeerRequest) => unknown, unknown]>([
  [
    'a header',
    [{ in: 'header', name: 'X-Key', prefix: 'Key ', setting: 'key' }],
    ({ headers }) => headers['x-key'],
    'Key s3cr3t key',
  ],
  ['the path', [{ in: 'path', setting: 'key' }], ({ url }) => url, '/batch/s3cr3t%20key'],
  ['a part of the path', [{ in: 'path', setting: 'key', at: 'bot{}' }], ({ url }) => url, '/batch/bots3cr3t%20key'],
  ['the query', [{ in: 'query', name: 'key', setting: 'key' }], ({ url }) => url, '/batch?key=s3cr3t+key'],
  [
    'the body',
    [{ in: 'body', name: 'key', setting: 'key' }],
    ({ body }) => (JSON.parse(body) as { key: string }).key,
    's3cr3t key',
  ],
  [
    'basic credentials',
    [{ in: 'basic', user: { setting: 'id' }, password: { setting: 'key' } }],
    ({ headers }) => headers.authorization,
    `Basic ${Buffer.from('me:s3cr3t key').toString('base64')}`,
  ],
  [
    'basic credentials with a fixed end',
    [{ in: 'basic', user: { setting: 'id', suffix: '/token' }, password: { setting: 'key' } }],
    ({ headers }) => headers.authorization,
    `Basic ${Buffer.from('me/token:s3cr3t key').toString('base64')}`,
  ],
  [
    'basic credentials with a fixed part',
    [{ in: 'basic', user: { setting: 'key' }, password: { text: '' } }],
    ({ headers }) => headers.authorization,
    `Basic ${Buffer.from('s3cr3t key:').toString('base64')}`,
  ],
])('a secret goes into %s, and is hidden', async (_, credentials, read, expected) => {
  const peer = await peerOf(() => ({ status: 422, body: '{"error":"no s3cr3t key, s3cr3t+key, s3cr3t%20key"}' }))
  const result = await runConnector(
    defined({ auth: { default: credentials } }),
    { server: peer.url, id: 'me', key: 's3cr3t key' },
    events.slice(0, 1),
  )
  expect(read(peer.requests[0] as PeerRequest)).toBe(expected)
  const kept = JSON.stringify(result)
  expect(kept).toContain('[redacted]')
  for (const form of ['s3cr3t key', 's3cr3t+key', 's3cr3t%20key', Buffer.from('me:s3cr3t key').toString('base64')])
    expect(kept).not.toContain(form)
})

it.each([
  ['/{auth}/send/{{ id }}', '/bot1:A%2F$&/send/%7Bauth%7D'],
  ['/{{ id }}/{auth}', '/%7Bauth%7D/bot1:A%2F$&'],
  ['/', '/bot1:A%2F$&'],
  ['/a/', '/a/bot1:A%2F$&'],
])('a secret in the path %s is at its place, whatever a value says', async (path, expected) => {
  const peer = await peerOf(() => ok)
  const requests = { batch: { method: 'POST', server: 'api', path } }
  const definition = defined({ auth: { default: [{ in: 'path', setting: 'key', at: 'bot{}' }] }, requests })
  const [event] = [outgoingEvent({ messageId: 'a' }, { action: 'send', payload: { id: '{auth}' } })]
  await runConnector(definition, { server: peer.url, key: '1:A/$&' }, [event])
  expect(decodeURIComponent(peer.requests[0]?.url ?? '')).toBe(decodeURIComponent(expected))
  expect(peer.requests[0]?.url.split('/').length).toBe(expected.split('/').length)
  expect(() => defined({ auth: { default: [] }, requests: { batch: { ...requests.batch, path: '/{auth}' } } })).toThrow(
    /no credential for it/,
  )
})

it('a missing secret holds the events, and sends nothing', async () => {
  const peer = await peerOf(() => ok)
  const definition = defined({ auth: { default: [{ in: 'query', name: 'key', setting: 'key' }] } })
  await expect(runConnector(definition, { server: peer.url }, events)).rejects.toThrow(ConfigurationError)
  expect(peer.requests).toEqual([])
})

it('an optional secret is left out while it has no value', async () => {
  const peer = await peerOf(() => ok)
  const places = [{ in: 'header' }, { in: 'query' }, { in: 'body' }]
  const credentials = places.map((place) => ({ ...place, name: 'k', setting: 'key', optional: true }))
  const definition = defined({ auth: { default: credentials } })
  for (const given of [{}, { key: 'k3y-0123' }])
    await runConnector(definition, { server: peer.url, ...given }, events.slice(0, 1))
  expect(peer.requests.map(({ url, headers, body }) => [url, headers['k'], JSON.parse(body) as unknown])).toEqual([
    ['/batch', undefined, { items: [{ id: 'a' }] }],
    ['/batch?k=k3y-0123', 'k3y-0123', { k: 'k3y-0123', items: [{ id: 'a' }] }],
  ])
})

it('a token of client credentials is fetched once, and renewed after a 401', async () => {
  let token = 0
  const peer = await peerOf(({ url, headers }) => {
    if (url === '/token') return { status: 200, body: `{"access_token":"t-${++token}-0123456789","expires_in":3600}` }
    return headers.authorization === 'Bearer t-2-0123456789' ? ok : { status: 401 }
  })
  const requests = { batch: { method: 'POST', server: 'api', path: '/{{ id }}' } }
  const definition = defined({ auth: { default: [client] }, requests })
  const { outcomes } = await runConnector(definition, { server: peer.url, id: 'me', key: 's3cr3t key' }, events)
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
  expect(peer.requests.map(({ url }) => url)).toEqual(['/token', '/a', '/token', '/a', '/b'])
  expect(Object.fromEntries(new URLSearchParams(peer.requests[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'write',
    client_id: 'me',
    client_secret: 's3cr3t key',
  })
})

it('the path, the scope, and further members of a token request are those of settings', async () => {
  const more = {
    path: '/{{ settings.id }}/token',
    scope: 'https://{{ settings.id }}.example/.default',
    parameters: { soid: 'ZohoCRM.{{ settings.id }}', none: '{{ settings.other }}' },
    prefix: 'Zoho-oauthtoken ',
  }
  const peer = await peerOf(({ url }) =>
    url.endsWith('/token') ? { status: 200, body: '{"access_token":"t-0123456789"}' } : ok,
  )
  const definition = defined({
    settings: { ...settings, other: text },
    auth: { default: [{ ...client, ...more }] },
  })
  const given = { server: peer.url, id: 'a/../b', key: 's3cr3t key' }
  await runConnector(definition, given, events)
  const [first, second] = peer.requests
  expect([first?.url, second?.headers.authorization]).toEqual(['/a%2F..%2Fb/token', 'Zoho-oauthtoken t-0123456789'])
  expect(Object.fromEntries(new URLSearchParams(first?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'https://a/../b.example/.default',
    soid: 'ZohoCRM.a/../b',
    client_id: 'a/../b',
    client_secret: 's3cr3t key',
  })
  for (const id of ['..', ''])
    await expect(runConnector(definition, { ...given, id }, events)).rejects.toThrow(ConfigurationError)
  expect(() => defined({ auth: { default: [{ ...client, scope: '{{ settings.key }}' }] } })).toThrow(/reads a secret/)
  expect(() => defined({ auth: { default: [{ ...client, path: '/../{{ settings.id }}' }] } })).toThrow(/path with dots/)
  expect(() => defined({ auth: { default: [{ ...client, scope: '{{ id }}' }] } })).toThrow(
    /reads id, which there is not/,
  )
})

it.each<[PeerAnswer, typeof ConfigurationError | typeof RetryableError]>([
  [{ status: 401, body: '{"error":"invalid_client"}' }, ConfigurationError],
  [{ status: 200, body: '<html></html>' }, ConfigurationError],
  [{ status: 200, body: '{"access_token":"a\\r\\nx: 1"}' }, ConfigurationError],
  [{ status: 503 }, RetryableError],
  ['reset', RetryableError],
])('a token server that answers %j sends no event', async (answer, error) => {
  const peer = await peerOf(() => answer)
  const definition = defined({ auth: { default: [client] } })
  const failed = runConnector(definition, { server: peer.url, id: 'me', key: 's3cr3t key' }, events)
  await expect(failed).rejects.toThrow(error)
  expect(peer.requests.every(({ url }) => url === '/token')).toBe(true)
})

it('a grant has the client of the settings, and its token goes only to the servers of the description', async () => {
  const grant = {
    in: 'grant',
    authorize_server: 'api',
    authorize_path: '/authorize',
    token_server: 'api',
    token_path: '/{{ settings.id }}/token',
    client_id: 'id',
    client_secret: 'key',
    scopes: ['write', '{{ settings.id }}/x'],
    prefix: 'Token ',
  }
  const definition = defined({ auth: { default: [grant] } })
  expect(definition.auth).toBe('oauth2')
  expect(definition.oauth2?.({ server: 'https://a.example/base/', id: 'me', key: 'k' })).toEqual({
    authorizeUrl: 'https://a.example/base/authorize',
    tokenUrl: 'https://a.example/base/me/token',
    tokensSentTo: ['https://a.example'],
    clientId: 'me',
    clientSecret: 'k',
    clientAuthentication: 'body',
    scopes: ['write', 'me/x'],
    extraAuthorizeParameters: {},
  })
  expect(definition.oauth2?.({})).toMatchObject({ authorizeUrl: '', tokenUrl: '', tokensSentTo: [''] })
  const peer = await peerOf(() => ok)
  const given = { server: peer.url, id: 'me', key: 'k3y-0123' }
  const { outcomes } = await runConnector(definition, given, events, { accessToken: async () => 'token-1' })
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
  expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual(['Token token-1'])
})

describe('a secret address', () => {
  const address = 'https://prod-1.vendor.example:443/workflows/0a1b2c3d4e5f/paths?v=1&sig=S1gnature%2F0123'
  const more = {
    settings: { url: secret },
    servers: { api: { secret: 'url', hosts: ['*.vendor.example'] } },
    auth: { default: [] },
    requests: {
      ping: { method: 'GET', server: 'api', path: '/' },
      batch: { method: 'POST', server: 'api', path: '/' },
    },
  }
  const definition = defineDescribed(sample(more), guide)

  it('is the whole URL of requests, and no part of it is shown', async () => {
    const echo = `no workflows/0a1b2c3d4e5f, S1gnature%2F0123, S1gnature/0123, ${address}`
    const peer = await peerOf(() => ({ status: 400, body: JSON.stringify({ error: echo }) }))
    const asked: string[] = []
    const rebase = (url: string): string => {
      asked.push(url)
      return peer.url
    }
    const result = await runConnector(definition, { url: address }, events.slice(0, 1), { rebase })
    expect(asked).toEqual([address.replace(':443', '')])
    const kept = JSON.stringify(result)
    expect(kept).toContain('no workflows/[redacted], [redacted], [redacted], [redacted]')
    for (const part of ['0a1b2c3d4e5f', 'S1gnature', 'prod-1.vendor.example/']) expect(kept).not.toContain(part)
  })

  it.each([
    'http://prod-1.vendor.example/x',
    'https://vendor.example.evil.example/x',
    'https://evilvendor.example/x',
    'https://vendor.example/x',
    'https://evil.example/?.vendor.example',
    'https://me:pw@prod-1.vendor.example/x',
    'https://evil.example#.vendor.example',
    'prod-1.vendor.example',
  ])('is not %s', async (url) => {
    expect(validateSettings(definition, { url })).toEqual({
      ok: false,
      errors: { url: 'Enter the whole URL that starts with https:// and a host such as *.vendor.example' },
    })
  })

  it('has neither another path nor credentials, and is a secret', () => {
    const refused = (changed: object) => () => sample({ ...more, ...changed })
    const batch = { method: 'POST', server: 'api', path: '/{{ id }}' }
    expect(refused({ requests: { ...more.requests, batch } })).toThrow(/a secret address, and a path/)
    expect(refused({ settings: { url: text } })).toThrow(/needs a secret as url/)
    const header = { in: 'header', name: 'X-Key', setting: 'key' }
    expect(refused({ settings: { url: secret, key: secret }, auth: { default: [header] } })).toThrow(
      /a secret address, and credentials/,
    )
    const credentials = {
      in: 'client_credentials',
      server: 'api',
      path: '/token',
      client_id: 'key',
      client_secret: 'key',
    }
    const other = { api: more.servers.api, other: 'https://other.example' }
    const { ping } = sample().requests
    const requests = { ping: { ...ping, server: 'other' }, batch: { ...more.requests.batch, server: 'other' } }
    expect(
      refused({ settings: { url: secret, key: secret }, servers: other, requests, auth: { default: [credentials] } }),
    ).toThrow(/has the secret address api as its server/)
  })
})

it('a redirect is not followed, so that a secret stays at its server', async () => {
  const elsewhere = await peerOf(() => ok)
  const peer = await peerOf(() => ({ status: 307, headers: { location: elsewhere.url } }))
  const definition = defined({ auth: { default: [{ in: 'header', name: 'X-Key', setting: 'key' }] } })
  const given = { server: peer.url, key: 's3cr3t key' }
  await expect(runConnector(definition, given, events)).rejects.toThrow(ConfigurationError)
  expect(await runConnectionTest(definition, given)).toMatchObject({ ok: false })
  expect(elsewhere.requests).toEqual([])
})

it('users are deleted by all their IDs, in requests of the limit, and the first failure decides', async () => {
  const row = (userIds: string[]) =>
    ({
      operation: 'delete',
      object: 'users',
      json: JSON.stringify({ userIds, anonymousIds: ['d'], externalIds: [] }),
    }) as unknown as Parameters<typeof deletedUserOf>[0]
  const deletion = {
    request: 'remove',
    item: { ids: '{{ ids }}' },
    ids: ['user_id', 'anonymous_id'],
    max_ids: 2,
    needs: 'key',
  }
  const requests = { remove: { method: 'POST', server: 'api', path: '/remove', auth: 'none' } }
  const definition = defined({ auth: { default: [], none: [] }, deletion, requests })
  let answer: PeerAnswer = ok
  const peer = await peerOf(() => answer)
  const rows = [row(['a', 'b']), row(['b', 'c'])]
  const { outcomes } = await runConnectorRows(definition, { server: peer.url, key: 'k' }, rows)
  expect(outcomes).toEqual({ kind: 'delivered' })
  expect(peer.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { ids: ['a', 'b'] },
    { ids: ['d', 'c'] },
  ])
  answer = { status: 429, headers: { 'retry-after': '5' } }
  const failed = await runConnectorRows(definition, { server: peer.url, key: 'k' }, rows)
  expect(failed.outcomes).toMatchObject({ kind: 'retry', retryAfterMs: 5000 })
  expect(peer.requests).toHaveLength(3)
  const byPath = defined({
    auth: { default: [] },
    deletion: { request: 'remove', ids: ['user_id'] },
    requests: { remove: { method: 'DELETE', server: 'api', path: '/people/{{ id }}' } },
  })
  const upwards = await runConnectorRows(byPath, { server: peer.url }, [row(['..'])])
  expect(upwards.outcomes).toMatchObject([{ kind: 'rejected' }])
  expect(peer.requests).toHaveLength(3)
  const without = await runConnectorRows(definition, { server: peer.url }, rows)
  expect(without.outcomes).toMatchObject([{ kind: 'rejected' }, { kind: 'rejected' }])
})

it('a missing secret of other credentials does not hold the requests that do not need it', async () => {
  const peer = await peerOf(() => ok)
  const definition = defined({
    settings: { ...settings, other: secret },
    auth: {
      default: [{ in: 'header', name: 'X-Key', setting: 'key' }],
      second: [{ in: 'basic', user: { setting: 'other' }, password: { text: 'x' } }],
    },
  })
  const { outcomes } = await runConnector(definition, { server: peer.url, key: 's3cr3t key' }, events)
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
})
