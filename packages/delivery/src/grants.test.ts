import { ConfigurationError, clientFingerprint, type GrantState, RetryableError } from '@tributary/connector-kit'
import { type Peer, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { newId } from '@tributary/kernel'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AccessTokens } from './ports.ts'
import { createFixture, distinct, expectedIds, type Fixture, sortedIds } from './testing.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let peer: Peer
/** The provider of access tokens in this test. */
let tokens: AccessTokens
/** Tokens that the peer accepts. */
const good = new Set<string>()

beforeEach(async () => {
  good.clear()
  tokens = async () => 'first-token'
  peer = await startPeer(({ headers }) => ({
    status: good.has(String(headers.authorization).replace('Bearer ', '')) ? 200 : 401,
    body: `refused ${headers.authorization}`,
  }))
  fixture = await createFixture({
    db: database.db,
    eventStore: store,
    connector: webhook,
    accessTokens: (id, ask) => tokens(id, ask),
  })
})
afterEach(async () => {
  await fixture.close()
  await peer.close()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const settings = () => ({
  url: peer.url,
  authentication: 'oauth2',
  oauth_authorize_url: 'https://login.example/authorize',
  oauth_token_url: 'https://login.example/token',
  oauth_client_id: 'client',
})
const grant = (changes: Partial<GrantState> = {}): GrantState => ({
  id: newId(),
  status: 'connected',
  issuedFor: clientFingerprint({
    tokenUrl: 'https://login.example/token',
    tokensSentTo: [new URL(peer.url).origin],
    clientId: 'client',
  }),
  error: '',
  ...changes,
})
/** Changes the grant of a destination, as the configuration cache reports it. */
const change = (id: string, next: GrantState | undefined): void => fixture.change(id, { grant: next })
const worker = (id: string) => fixture.delivery.state().workers.find((each) => each.destinationId === id)

it('each request has the token of the grant in the configuration cache', async () => {
  good.add('first-token')
  const asked: unknown[] = []
  tokens = async (id, { grantId, refused }) => {
    asked.push([id, grantId, refused])
    return 'first-token'
  }
  const given = grant()
  const id = fixture.destination(settings(), { grant: given })
  await fixture.append([id], 3)
  await fixture.delivery.idle()
  expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer first-token'))
  expect(asked).toEqual(Array(3).fill([id, given.id, undefined]))
})

it.each([
  ['was never given', () => undefined, 'Not connected to an account. Connect it in its settings'],
  ['has expired', () => grant({ status: 'expired', error: 'Gone' }), 'Gone'],
  [
    'was given to another client',
    () => grant({ issuedFor: 'another' }),
    'The access, token URL, client ID, or event URL changed after it was connected: reconnect',
  ],
])(
  'while a grant %s, events are held without a request, and delivered after it is connected',
  async (_, state, why) => {
    good.add('first-token')
    const id = fixture.destination(settings(), { grant: state() })
    await fixture.append([id], 20, 3)
    await fixture.delivery.idle()
    expect(peer.requests).toHaveLength(0)
    expect(worker(id)).toMatchObject({ state: 'paused', reason: why, heldEvents: 20 })
    change(id, grant())
    await eventually('all of them', () => distinct(peer) === 20)
    await fixture.delivery.idle()
    expect(sortedIds(peer)).toEqual(expectedIds(0, 20))
  },
)

it('a token that gets a 401 is renewed, and the same request is sent again as one attempt', async () => {
  good.add('second-token')
  tokens = async (_, { refused }) => (refused === 'first-token' ? 'second-token' : 'first-token')
  const id = fixture.destination(settings(), { grant: grant() })
  await fixture.append([id], 1)
  await fixture.delivery.idle()
  expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer first-token',
    'Bearer second-token',
  ])
  expect(await fixture.attempts()).toMatchObject([{ status: 'delivered', attempt: 1 }])
})

it('a grant that is revoked during delivery holds its events, which all arrive after it is reconnected', async () => {
  good.add('first-token')
  const id = fixture.destination(settings(), { grant: grant() })
  await fixture.append([id], 10)
  await fixture.delivery.idle()
  good.clear()
  tokens = async (_, { refused }) => {
    if (refused === undefined) return 'first-token'
    change(id, grant({ status: 'expired', error: 'The connection was revoked: reconnect' }))
    throw new ConfigurationError('The connection was revoked: reconnect')
  }
  await fixture.append([id], 30, 2)
  await fixture.delivery.idle()
  expect(worker(id)).toMatchObject({ state: 'paused', reason: 'The connection was revoked: reconnect' })
  expect(distinct({ ...peer, requests: peer.requests.slice(0, 10) })).toBe(10)
  await fixture.append([id], 10)
  tokens = async () => 'new-token'
  good.add('new-token')
  change(id, grant())
  const arrived = (): number =>
    new Set(peer.requests.filter(({ headers }) => headers.authorization === 'Bearer new-token').map(({ body }) => body))
      .size
  await eventually('the rest', () => arrived() === 40)
  await fixture.delivery.idle()
  const failed = (await fixture.attempts()).filter((row) => row.status !== 'delivered')
  expect(new Set(failed.map((row) => row.reason))).toEqual(new Set(['The connection was revoked: reconnect']))
  expect(failed.every((row) => row.status === 'retry')).toBe(true)
})

it('a token that is temporarily unavailable is a retryable failure, logged with the request but without a token', async () => {
  let tries = 0
  good.add('first-token')
  tokens = async () => {
    if (tries++ === 0) throw new RetryableError('The token URL responded with HTTP 502')
    return 'first-token'
  }
  const id = fixture.destination(settings(), { grant: grant() })
  await fixture.append([id], 1)
  await eventually('the event', () => peer.requests.length === 1)
  await fixture.delivery.idle()
  const rows = (await fixture.attempts()).toSorted((a, b) => a.attempt - b.attempt)
  expect(rows).toMatchObject([
    { status: 'retry', reason: 'The token URL responded with HTTP 502' },
    { status: 'delivered' },
  ])
  expect(rows[0]?.request).toContain('Order Completed')
})
