import { methods } from '@tributary/contract'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { connect, makePermitted, permit, returnAddress } from '../testing/permissions.ts'

let harness: Harness
let organization: Organization
let provider: OpenIdProvider
beforeAll(async () => {
  provider = await startOpenIdProvider({ users: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }] })
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

let name: string
let params: { workspace: string; destination: string }
let administrator: Caller
beforeEach(async () => {
  administrator = organization.administrator
  name = (await makePermitted(organization, provider)).name
  params = { workspace: organization.workspaceId, destination: idIn(name) }
})

const complete = (caller: Caller, body: unknown, path = name) => caller.call('POST', `/${path}:completeConnect`, body)
const grantOf = async () => (await administrator.ok(methods.destinations.get, params)).grant

test('a destination with OAuth 2 has no grant at first; after consent, it shows the user and the time', async () => {
  expect(await grantOf()).toEqual({ status: 'none', account: '', connect_time: null, error: '', missing: '' })
  const { grant } = await connect(administrator, provider, name)
  expect(grant).toMatchObject({ status: 'connected', account: 'ada@example.com', error: '' })
  expect(Date.parse(grant?.connect_time ?? '')).toBeGreaterThan(harness.now() - 60_000)
  expect(
    (await administrator.ok(methods.destinations.list, { workspace: params.workspace })).destinations[0]?.grant,
  ).toEqual(grant)
})

test('a destination without OAuth 2 has no grant, and cannot be connected', async () => {
  const made = await administrator.ok(
    methods.destinations.create,
    { workspace: params.workspace },
    { body: { title: 'Plain', app: { name: 'catalogDestinations/webhook' }, settings: { url: 'https://a.example' } } },
  )
  expect(made.grant).toBeNull()
  const reply = await administrator.call('POST', `/${made.name}:connect`, { redirect_uri: returnAddress })
  expect(reply).toMatchObject({ status: 400, body: { message: 'This destination does not use OAuth' } })
})

test('each consent requests the scopes with a new state and challenge, and keeps its own parameters', async () => {
  const ask = () => administrator.ok(methods.destinations.connect, params, { body: { redirect_uri: returnAddress } })
  const [one, two] = [await ask(), await ask()].map(({ authorize_url }) => new URL(authorize_url).searchParams)
  expect(Object.fromEntries(one ?? [])).toMatchObject({
    response_type: 'code',
    client_id: provider.destination.clientId,
    redirect_uri: returnAddress,
    scope: 'openid email',
    code_challenge_method: 'S256',
    claims: '{"id_token":{"email":null}}',
  })
  expect(one?.get('state')).toMatch(new RegExp(`^${params.workspace}\\.${params.destination}\\.[\\w-]{43}$`))
  expect(one?.get('state')).not.toBe(two?.get('state'))
  expect(one?.get('code_challenge')).not.toBe(two?.get('code_challenge'))
})

test('a consent names missing settings before it begins', async () => {
  await administrator.ok(methods.destinations.updateSetting, params, {
    body: { name: 'token_url', value: null, secrets: { client_secret: 'again' } },
  })
  await administrator.ok(methods.destinations.updateSetting, params, { body: { name: 'client_id', value: null } })
  expect(await grantOf()).toMatchObject({ status: 'none', missing: 'the token URL and the client ID' })
  const reply = await administrator.call('POST', `/${name}:connect`, { redirect_uri: returnAddress })
  expect(reply).toMatchObject({ status: 400, body: { message: 'Fill in the token URL and the client ID first' } })
})

test.each(['https://evil.example/destination-oauth-callback', 'http://localhost/elsewhere', 'javascript:alert(1)'])(
  'a consent redirects to no other page: %s',
  async (redirect_uri) => {
    const reply = await administrator.call('POST', `/${name}:connect`, { redirect_uri })
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  },
)

describe('a refused OAuth state', () => {
  const unknown = { status: 400, body: { reason: 'CONSENT_UNKNOWN' } }

  test('a state that was never issued is refused', async () => {
    const { code, state } = await permit(administrator, provider, name)
    expect(await complete(administrator, { code, state: `${state}x` })).toMatchObject(unknown)
  })

  test('a state that was issued to another user is refused, and its owner may still use it', async () => {
    const body = await permit(administrator, provider, name)
    expect(await complete(organization.collaborator, body)).toMatchObject(unknown)
    expect(await complete(administrator, body)).toMatchObject({ status: 200 })
  })

  test('a state that was issued for another destination is refused', async () => {
    const other = await makePermitted(organization, provider)
    const body = await permit(administrator, provider, name)
    expect(await complete(administrator, body, other.name)).toMatchObject(unknown)
  })

  test('a used state is refused', async () => {
    const body = await permit(administrator, provider, name)
    expect(await complete(administrator, body)).toMatchObject({ status: 200 })
    expect(await complete(administrator, body)).toMatchObject(unknown)
    expect(await grantOf()).toMatchObject({ status: 'connected' })
  })

  test('a state that is older than ten minutes is refused', async () => {
    const body = await permit(administrator, provider, name)
    harness.advance(10 * 60_000)
    expect(await complete(administrator, body)).toMatchObject(unknown)
  })

  test('a state is refused after its user began again', async () => {
    const body = await permit(administrator, provider, name)
    await permit(administrator, provider, name)
    expect(await complete(administrator, body)).toMatchObject(unknown)
  })

  test('a state is refused after the client was changed', async () => {
    const body = await permit(administrator, provider, name)
    await administrator.ok(methods.destinations.updateSetting, params, { body: { name: 'client_id', value: 'other' } })
    expect(await complete(administrator, body)).toMatchObject(unknown)
  })
})

test('a code that the provider rejects changes nothing, and the response has the reason', async () => {
  const { state } = await permit(administrator, provider, name)
  const reply = await complete(administrator, { code: 'made-up', state })
  expect(reply).toMatchObject({ status: 400, body: { reason: 'PROVIDER_REFUSED' } })
  expect(reply.body.message).toContain('invalid_grant')
  expect(await grantOf()).toMatchObject({ status: 'none' })
})

test('an unreachable token URL is reported as unreachable', async () => {
  const made = await makePermitted(organization, provider, { token_url: 'http://127.0.0.1:1/token' })
  const body = await permit(administrator, provider, made.name)
  expect(await complete(administrator, body, made.name)).toMatchObject({
    status: 503,
    body: { reason: 'PROVIDER_UNAVAILABLE' },
  })
})

test('a token URL that may not be reached gets no request', async () => {
  const made = await makePermitted(organization, provider, { token_url: 'http://10.0.0.1/token' })
  const body = await permit(administrator, provider, made.name)
  const reply = await complete(administrator, body, made.name)
  expect(reply).toMatchObject({ status: 400, body: { reason: 'PROVIDER_REFUSED' } })
  expect(reply.body.message).toContain('not public')
})

const changedAfter = 'The access, token URL, client ID, or event URL changed after it was connected: reconnect'

test.each([
  ['another token URL', { name: 'token_url', value: 'http://127.0.0.1:1/steal', secrets: { client_secret: 'again' } }],
  ['another client', { name: 'client_id', value: 'other' }],
  ['another address that its tokens are sent to', { name: 'api_url', value: 'http://127.0.0.1:1' }],
])('a grant is only valid for its client and addresses: %s requires a new grant', async (_, body) => {
  await connect(administrator, provider, name)
  await administrator.ok(methods.destinations.updateSetting, params, { body })
  expect(await grantOf()).toMatchObject({ status: 'expired', error: changedAfter })
})

test('a consent that was begun for one address cannot be completed for another', async () => {
  const body = await permit(administrator, provider, name)
  await administrator.ok(methods.destinations.updateSetting, params, {
    body: { name: 'api_url', value: 'https://evil.example' },
  })
  expect(await complete(administrator, body)).toMatchObject({ status: 400, body: { reason: 'CONSENT_UNKNOWN' } })
})

test('disconnecting deletes the tokens, and the destination can be connected again', async () => {
  await connect(administrator, provider, name)
  const { grant } = await administrator.ok(methods.destinations.disconnect, params, { body: {} })
  expect(grant).toMatchObject({ status: 'none' })
  expect(
    await harness.db.selectFrom('oauth_grants').select('id').where('destination_id', '=', params.destination).execute(),
  ).toEqual([])
  expect((await connect(administrator, provider, name)).grant).toMatchObject({ status: 'connected' })
})

test('deleting a destination deletes its tokens', async () => {
  await connect(administrator, provider, name)
  await administrator.ok(methods.destinations.delete, params)
  expect(
    await harness.db.selectFrom('oauth_grants').select('id').where('destination_id', '=', params.destination).execute(),
  ).toEqual([])
})

test.each([
  ['connect', { redirect_uri: returnAddress }],
  ['completeConnect', { code: 'c', state: 's' }],
  ['disconnect', {}],
])(
  'the call :%s is forbidden for guests, not found for other organizations, and needs a session',
  async (verb, body) => {
    const path = `/${name}:${verb}`
    expect((await organization.guest.call('POST', path, body)).status).toBe(403)
    expect((await organization.outsider.call('POST', path, body)).status).toBe(404)
    expect((await harness.call('', 'POST', path, body)).status).toBe(401)
    const elsewhere = `/workspaces/${organization.otherWorkspaceId}/destinations/${params.destination}:${verb}`
    expect((await organization.outsider.call('POST', elsewhere, body)).status).toBe(404)
  },
)

test('no response or audit record contains a token, code, verifier, or secret, and the database stores none readable', async () => {
  const { code, state } = await permit(administrator, provider, name)
  const answers = [await complete(administrator, { code, state })]
  const row = await harness.db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('destination_id', '=', params.destination)
    .executeTakeFirstOrThrow()
  const sealed = harness.secretBox.open(
    row.tokens_encrypted ?? new Uint8Array(),
    `oauth_grants/${params.destination}/${row.id}/tokens`,
  )
  const tokens = JSON.parse(sealed) as { accessToken: string; refreshToken: string }
  expect(Object.keys(tokens)).toEqual(expect.arrayContaining(['accessToken', 'refreshToken']))
  answers.push(await administrator.call('GET', `/${name}`), await administrator.call('GET', `/${name}/app`))
  answers.push(await administrator.call('GET', `/workspaces/${params.workspace}/destinations`))
  const audits = await harness.audits()
  expect(audits.slice(-2).map((audit) => audit.action)).toEqual([
    'destinations.connect',
    'destinations.completeConnect',
  ])
  const kept = { ...row, tokens_encrypted: Buffer.from(row.tokens_encrypted ?? []).toString('latin1') }
  const shown = JSON.stringify([answers.map((answer) => answer.body), audits, kept])
  for (const secret of [tokens.accessToken, tokens.refreshToken, code, state, provider.destination.clientSecret])
    expect(shown).not.toContain(secret)
})
