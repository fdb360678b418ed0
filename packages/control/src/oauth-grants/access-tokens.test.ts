import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  type OAuth2Client,
  type RequestClient,
  RetryableError,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AccessTokens, createAccessTokens } from '../../../configuration/src/oauth-grants/access-tokens.ts'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { connect, makePermitted } from '../testing/permissions.ts'
import { testPermittedDestination } from '../testing/permitted-destination.ts'

let harness: Harness
let organization: Organization
let provider: OpenIdProvider
let requestClient: RequestClient
beforeAll(async () => {
  provider = await startOpenIdProvider({ users: [{ email: 'ada@example.com' }] })
  harness = await startControl()
  organization = await startOrganization(harness)
  requestClient = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
})
afterAll(async () => {
  await requestClient.close()
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
afterEach(() => {
  provider.destination.hold(false)
  provider.trouble('none')
})

let name: string
let id: string
let client: OAuth2Client
/** The time for this test's processes, apart from the harness's own. */
let now: number
beforeEach(async () => {
  provider.destination.accessTokenSeconds(600)
  const made = await makePermitted(organization, provider)
  name = made.name
  id = idIn(name)
  const found = testPermittedDestination.oauth2?.({
    authorize_url: provider.destination.authorizeUrl,
    token_url: provider.destination.tokenUrl,
    client_id: provider.destination.clientId,
    client_secret: provider.destination.clientSecret,
  })
  if (found === undefined) throw new Error('no client')
  client = found
  await connect(organization.administrator, provider, name)
  now = harness.now()
})

const grantRow = () =>
  harness.db.selectFrom('oauth_grants').selectAll().where('destination_id', '=', id).executeTakeFirstOrThrow()
/** Simulates another process or thread, with its own memory. */
const process = (): AccessTokens => {
  const { db, secretBox, published } = harness
  return createAccessTokens({
    db,
    secretBox,
    requestClient,
    live: (channel, event, data) => void published.push({ channel, event, data }),
    clock: () => now,
    logger: silentLogger,
  })
}
const renewals = (): number =>
  provider.destination.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token').length
const works = async (token: string): Promise<number> =>
  (await fetch(provider.destination.resourceUrl, { method: 'POST', headers: { authorization: `Bearer ${token}` } }))
    .status
const inboxOf = async (userId: string) =>
  harness.db
    .selectFrom('notifications')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'connection_expired')
    .execute()

test('a token is used until it nearly expires, and is then renewed once for all callers in all processes', async () => {
  const grantId = (await grantRow()).id
  const [one, two] = [process(), process()]
  const before = renewals()
  const first = await one(id, { client, grantId })
  expect(await works(first)).toBe(200)
  expect(await two(id, { client, grantId })).toBe(first)
  expect(renewals()).toBe(before)
  now += 595_000
  const all = await Promise.all(
    [one, two, process()].flatMap((tokens) => Array.from({ length: 8 }, () => tokens(id, { client, grantId }))),
  )
  expect(new Set(all).size).toBe(1)
  expect(all[0]).not.toBe(first)
  expect(renewals()).toBe(before + 1)
  expect(await works(all[0] ?? '')).toBe(200)
})

test('each refresh token is used once, over many renewals', async () => {
  const tokens = process()
  const before = renewals()
  const seen = new Set<string>()
  for (let round = 0; round < 4; round++) {
    now += 595_000
    seen.add(await tokens(id, { client }))
  }
  expect(seen.size).toBe(4)
  expect(renewals()).toBe(before + 4)
  expect(await grantRow()).toMatchObject({ status: 'connected', error: '' })
})

test('a token that gets 401 is renewed once, however many callers got this response', async () => {
  const tokens = process()
  const refused = await tokens(id, { client })
  provider.destination.forgetAccessTokens()
  expect(await works(refused)).toBe(401)
  const before = renewals()
  const all = await Promise.all([tokens, process()].map((each) => each(id, { client, refused })))
  expect(new Set(all).size).toBe(1)
  expect(renewals()).toBe(before + 1)
  expect(await works(all[0] ?? '')).toBe(200)
})

test('a renewed token that is still refused ends the grant; a token that worked before is renewed again', async () => {
  const tokens = process()
  const first = await tokens(id, { client })
  const second = await tokens(id, { client, refused: first })
  const third = await tokens(id, { client, refused: second })
  expect(new Set([first, second, third]).size).toBe(3)
  now += 120_000
  const fourth = await tokens(id, { client, refused: third, again: true })
  expect(fourth).not.toBe(third)
  await expect(tokens(id, { client, refused: fourth, again: true })).rejects.toThrow(
    'The provider refused to renew access: reconnect',
  )
  expect(await grantRow()).toMatchObject({ status: 'expired', tokens_encrypted: null })
})

test('a grant that the provider revoked expires, its tokens are deleted, and editors are notified once', async () => {
  const tokens = process()
  const refused = await tokens(id, { client })
  provider.destination.revoke()
  const failures = await Promise.all(
    [tokens, process()].map((each) => each(id, { client, refused }).catch((error: unknown) => error)),
  )
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(failure).toMatchObject({ message: 'The connection was revoked: reconnect' })
  }
  expect(await grantRow()).toMatchObject({ status: 'expired', tokens_encrypted: null })
  const notices = (await inboxOf(organization.collaborator.userId)).filter((notice) => notice.link === `/${name}`)
  expect(notices).toMatchObject([
    {
      title: 'Reconnect Sheets',
      body: 'The connection was revoked: reconnect. Its events are held until you reconnect it.',
    },
  ])
  expect((await inboxOf(organization.guest.userId)).length).toBe(0)
  expect(JSON.stringify(harness.published)).toContain('Reconnect Sheets')
  const { grant } = await connect(organization.administrator, provider, name)
  expect(grant).toMatchObject({ status: 'connected', error: '' })
  expect(await works(await tokens(id, { client, grantId: (await grantRow()).id }))).toBe(200)
})

test('while the token URL does not respond, a valid token is still used, and the renewal is retried later', async () => {
  const tokens = process()
  const first = await tokens(id, { client })
  provider.trouble('html')
  now += 560_000
  expect(await tokens(id, { client })).toBe(first)
  expect(await grantRow()).toMatchObject({
    status: 'connected',
    error: 'Could not renew access: The token URL responded with HTTP 502',
    lease_id: null,
  })
  now += 60_000
  await expect(tokens(id, { client })).rejects.toThrow(RetryableError)
  provider.trouble('none')
  const renewed = await tokens(id, { client })
  expect(await works(renewed)).toBe(200)
  expect(await grantRow()).toMatchObject({ status: 'connected', error: '' })
})

test('if a user reconnects during a renewal, the result for the old grant is discarded', async () => {
  const tokens = process()
  now += 595_000
  provider.destination.hold(true)
  const asked = tokens(id, { client })
  const before = await grantRow()
  await expect.poll(async () => (await grantRow()).lease_id).not.toBeNull()
  await connect(organization.administrator, provider, name)
  provider.destination.hold(false)
  const served = await asked
  const after = await grantRow()
  expect(after.id).not.toBe(before.id)
  expect(served).toBe(await process()(id, { client }))
})

test('a lease whose holder died expires, and another process renews the token', async () => {
  await harness.db
    .updateTable('oauth_grants')
    .set({ lease_id: id, lease_until: new Date(Date.now() + 600) })
    .where('destination_id', '=', id)
    .execute()
  now += 595_000
  const started = performance.now()
  expect(await works(await process()(id, { client }))).toBe(200)
  expect(performance.now() - started).toBeGreaterThan(300)
})

test('a cached token is not used for another grant', async () => {
  const tokens = process()
  const first = await tokens(id, { client, grantId: (await grantRow()).id })
  await connect(organization.administrator, provider, name)
  expect(await tokens(id, { client, grantId: (await grantRow()).id })).not.toBe(first)
})

test('a destination without a connection, or whose client was changed, has no token', async () => {
  await expect(process()(id, { client: { ...client, tokenUrl: 'http://127.0.0.1:1/' } })).rejects.toThrow(
    ConfigurationError,
  )
  await harness.db.deleteFrom('oauth_grants').where('destination_id', '=', id).execute()
  await expect(process()(id, { client })).rejects.toThrow('Not connected to an account')
})
