import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type OpenIdProvider,
  startOpenIdProvider,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let provider: OpenIdProvider
let product: SharedProduct
let workspace: string
beforeAll(async () => {
  provider = await startOpenIdProvider({ users: [{ email: 'owner@example.com' }] })
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await provider?.[Symbol.asyncDispose]()
})

/** Creates a webhook destination for the protected resource, connected to a source, without a grant yet. */
const makeDestination = async (title: string) => {
  const { destination: client } = provider
  const { source, key } = await createSource(product.api, workspace, title)
  const destination = await createWebhook(
    product.api,
    workspace,
    source,
    {
      url: client.resourceUrl,
      authentication: 'oauth2',
      oauth_authorize_url: client.authorizeUrl,
      oauth_token_url: client.tokenUrl,
      oauth_client_id: client.clientId,
      oauth_client_secret: client.clientSecret,
      oauth_scope: 'openid email',
    },
    title,
  )
  return { destination, key }
}

const connect = async (destination: string): Promise<void> => {
  const begun = await product.api.ok('POST', `/${destination}:connect`, {
    redirect_uri: `${product.url}/destination-oauth-callback`,
  })
  const back = await provider.walk(String(begun.authorize_url), 'owner@example.com')
  await product.api.ok('POST', `/${destination}:completeConnect`, {
    code: back.get('code'),
    state: back.get('state'),
  })
}

const send = async (key: string, prefix: string, count: number): Promise<void> => {
  const batch = Array.from({ length: count }, (_, index) => track(`${prefix}-${index}.`))
  expect((await post(product, '/v1/batch', key, { batch })).status).toBe(200)
}

/** Returns the number of distinct events with this prefix that the resource accepted. */
const taken = (prefix: string): number =>
  new Set(
    provider.destination.received
      .filter(({ status }) => status === 200)
      .flatMap(({ body }) => body.match(new RegExp(`${prefix}-\\d+\\.`, 'g')) ?? []),
  ).size
const all = (prefix: string, count: number) =>
  eventually(`${count} of ${prefix}`, () => taken(prefix) === count, 30_000)
const renewals = (): { status: number }[] =>
  provider.destination.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token')
const grantOf = async (destination: string) =>
  (await product.api.ok('GET', `/${destination}`)).grant as { status: string; error: string }

test('expired tokens are renewed during delivery, each refresh token once, and no event is lost', async () => {
  const { destination, key } = await makeDestination('Renewed')
  provider.destination.accessTokenSeconds(2)
  await connect(destination)
  let sent = 0
  for (let round = 0; round < 3; round++) {
    const before = renewals().length
    await eventually('a renewal', async () => {
      await send(key, `renewed${sent++}`, 20)
      return renewals().length > before
    })
  }
  // On a busy machine, a token that lives two seconds would expire before it is used.
  provider.destination.accessTokenSeconds(600)
  await eventually('all of them', () => taken('renewed\\d+') === sent * 20, 60_000)
  expect(renewals().every(({ status }) => status === 200)).toBe(true)
  expect(await grantOf(destination)).toMatchObject({ status: 'connected', error: '' })
})

test('many concurrent 401 responses renew the token once; a revoked grant holds all events until the destination is reconnected', async () => {
  const { destination, key } = await makeDestination('Revoked')
  await connect(destination)
  await send(key, 'before', 30)
  await all('before', 30)
  provider.destination.forgetAccessTokens()
  const before = renewals().length
  await send(key, 'forgotten', 30)
  await all('forgotten', 30)
  expect(renewals().length).toBe(before + 1)

  provider.destination.revoke()
  await send(key, 'revoked', 50)
  await eventually('the end of the grant', async () => (await grantOf(destination)).status === 'expired')
  expect(await grantOf(destination)).toMatchObject({ error: 'The connection was revoked: reconnect' })
  await send(key, 'held', 50)
  const { deliveries, dead } = await product.api.ok('GET', `/${destination}/deliveries`)
  expect(dead).toMatchObject({ event_count: 0 })
  expect(JSON.stringify(deliveries)).not.toContain('Bearer')
  const { user } = (await product.api.ok('POST', '/users:login', adminCredentials)) as { user: { name: string } }
  const inbox = await product.api.ok('GET', `/${user.name}/notifications`)
  expect(JSON.stringify(inbox)).toContain('Reconnect Revoked')
  expect([taken('revoked'), taken('held')]).toEqual([0, 0])
  await connect(destination)
  await all('revoked', 50)
  await all('held', 50)
})

test('test events and connection tests send the token, and no response or log shows a token', async () => {
  const { destination, key } = await makeDestination('Tried')
  const tried = () => product.api.ok('POST', `/${destination}:testConnection`, {})
  expect(await tried()).toMatchObject({ ok: false, message: expect.stringContaining('Not connected to an account') })
  await connect(destination)
  expect(await tried()).toMatchObject({ ok: true })
  await send(key, 'tried', 3)
  await all('tried', 3)
  const secrets = new Set(
    provider.destination.received.map(({ authorization }) => authorization.replace('Bearer ', '')),
  )
  const shown = [
    await product.output(),
    JSON.stringify(await product.api.ok('GET', `/${destination}`)),
    JSON.stringify(await product.api.ok('GET', `/${destination}/app`)),
    JSON.stringify(await product.api.ok('GET', `/${destination}/deliveries`)),
  ].join('\n')
  for (const secret of [...secrets, provider.destination.clientSecret].filter((text) => text !== ''))
    expect(shown).not.toContain(secret)
})
