import { loginResponse } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { type OpenIdProvider, type OpenIdTrouble, type OpenIdUser, startOpenIdProvider } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, publicUrl, startControl, testClientConfig } from '../../testing/control-harness.ts'
import {
  askForSignIn,
  beginSignIn,
  loopbackUrl,
  openIdSettings,
  redirectUri,
  returnedSignIn,
} from '../../testing/sign-ins.ts'
import { oauthTriesPerIp } from './oauth-callback.ts'

let provider: OpenIdProvider
let harness: Harness
let closed: Harness
beforeAll(async () => {
  provider = await startOpenIdProvider()
  const openId = openIdSettings(provider)
  harness = await startControl({ openId, publicUrl: () => loopbackUrl })
  closed = await startControl({
    openId,
    publicUrl: () => loopbackUrl,
    clientConfig: { ...testClientConfig, sign_up_enabled: false },
  })
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await closed[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

let addresses = 0
/** Makes a user at the provider with a new address. */
const newcomer = (given: Partial<OpenIdUser> = {}): OpenIdUser => {
  const user = { email: `${newId()}@example.com`, ...given }
  provider.addUser(user)
  return user
}

const redirectOf = async (on: Harness, begun: ReturnType<typeof beginSignIn>): Promise<string> =>
  String((await askForSignIn(on, begun)).body.google_redirect_url)

const returned = (on: Harness, user: OpenIdUser) => returnedSignIn(on, provider, user.email)

const post = async (on: Harness, which: 'Login' | 'Signup', payload: object, ip = `10.7.0.${++addresses % 250}`) => {
  const url = `/api/users:oauth${which}Callback`
  const reply = await on.app.inject({ method: 'POST', url, payload, remoteAddress: ip })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}
const login = async (on: Harness, user: OpenIdUser) => post(on, 'Login', await returned(on, user))
const signUp = async (on: Harness, user: OpenIdUser) => post(on, 'Signup', await returned(on, user))

const accounts = (email: string) => harness.db.selectFrom('users').selectAll().where('email', '=', email).execute()
const identities = (email: string) =>
  harness.db.selectFrom('user_identities').selectAll().where('email', '=', email).execute()

describe("the address of the provider's sign-in page", () => {
  test("API-24: the sign-in address leads to the provider with the browser's state and challenge, and a nonce bound to them", async () => {
    const begun = beginSignIn()
    const url = new URL(await redirectOf(harness, begun))
    expect(url.origin).toBe(provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: redirectUri,
      state: begun.state,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: begun.challenge,
      code_challenge_method: 'S256',
    })
    expect(new URL(await redirectOf(harness, begun)).href).toBe(url.href)
    expect(new URL(await redirectOf(harness, { ...begun, state: 'x' })).searchParams.get('nonce')).not.toBe(
      url.searchParams.get('nonce'),
    )
  })

  test.each([
    'http://127.0.0.1:3000/auth/oauth-callback?x=1',
    'http://127.0.0.1:3000/auth/oauth-callback#x',
    'http://127.0.0.1:3000/auth/oauth-callback/',
    'http://127.0.0.1:3000/auth/login',
    'http://user@127.0.0.1:3000/auth/oauth-callback',
    'http://127.0.0.1:3001/auth/oauth-callback',
    'https://evil.example/auth/oauth-callback',
    'javascript:alert(1)',
  ])('the sign-in address is refused for the foreign return address %s', async (redirect_uri) => {
    expect(await askForSignIn(harness, beginSignIn(), { redirect_uri })).toMatchObject({
      status: 400,
      body: { metadata: { redirect_uri: expect.any(String) } },
    })
    const body = { ...(await returned(harness, newcomer())), redirect_uri }
    expect((await post(harness, 'Signup', body)).status).toBe(400)
  })

  test('the sign-in address may be requested on the host of the call', async () => {
    const { challenge, state } = beginSignIn()
    const redirect_uri = 'https://cdp.internal/auth/oauth-callback'
    const query = new URLSearchParams({ redirect_uri, state, code_challenge: challenge })
    const url = `/api/users:oauthRedirects?${query}`
    const statusAt = async (host: string) => (await harness.app.inject({ url, headers: { host } })).statusCode
    expect([await statusAt('cdp.internal'), await statusAt('cdp.internal:443')]).toEqual([200, 200])
    expect([await statusAt('cdp.internal:8443'), await statusAt('other.internal')]).toEqual([400, 400])
  })

  test.each([
    [{ code_challenge: 'short' }, 'code_challenge'],
    [{ state: '' }, 'state'],
    [{ redirect_uri: 'x' }, 'redirect_uri'],
  ])('the sign-in address is refused for %j', async (wrong, field) => {
    expect(await askForSignIn(harness, beginSignIn(), wrong)).toMatchObject({
      status: 400,
      body: { metadata: { [field]: expect.any(String) } },
    })
  })

  test('the sign-in address is not found if no provider is configured, or for another provider', async () => {
    await using bare = await startControl()
    const redirect_uri = `${publicUrl}/auth/oauth-callback`
    expect(await askForSignIn(bare, beginSignIn(), { redirect_uri })).toMatchObject({
      status: 412,
      body: { reason: 'PROVIDER_NOT_CONFIGURED' },
    })
    expect((await askForSignIn(harness, beginSignIn(), { provider: 'github' })).status).toBe(412)
  })
})

describe('signing up through a provider', () => {
  test("API-22, SES-10d: signing up makes an account with the provider's names, and responds like every login", async () => {
    const user = newcomer({ givenName: 'Ada', familyName: 'Lovelace-Byron-of-Ockham' })
    const reply = await signUp(harness, user)
    expect(reply.status).toBe(200)
    expect(loginResponse.parse(reply.body)).toMatchObject({
      access_token: expect.stringMatching(/^trb_/),
      user: { email: user.email, first_name: 'Ada', last_name: 'Lovelace-Byron-', is_admin: false },
    })
    const [account] = await accounts(user.email)
    expect(account).toMatchObject({ password_hash: null, email_verified_at: expect.any(Date) })
    expect(await identities(user.email)).toMatchObject([
      { user_id: account?.id, issuer: provider.issuer, subject: user.email },
    ])
    expect(await harness.call(reply.body.access_token, 'GET', '/workspaces')).toMatchObject({ status: 200 })
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'users.oauthSignupCallback',
      actor_id: account?.id,
      detail: { linked_issuer: provider.issuer },
    })
  })

  test('signing up logs in an existing user', async () => {
    const user = newcomer()
    const [first, second] = [await signUp(harness, user), await signUp(harness, user)]
    expect(second.status).toBe(200)
    expect(second.body.user.id).toBe(first.body.user.id)
  })

  test('signing up in two tabs at once makes one account', async () => {
    const user = newcomer()
    const bodies = await Promise.all([1, 2, 3].map(() => returned(harness, user)))
    const replies = await Promise.all(bodies.map((body) => post(harness, 'Signup', body)))
    expect(new Set(replies.map((reply) => reply.body.user?.id)).size).toBe(1)
    expect(await accounts(user.email)).toHaveLength(1)
    expect(await identities(user.email)).toHaveLength(1)
  })

  test('signing up is refused if it is disabled, but existing users are logged in', async () => {
    const [stranger, member] = [newcomer(), newcomer()]
    await closed.db.insertInto('users').values({ id: newId(), email: member.email, password_hash: null }).execute()
    expect(await signUp(closed, stranger)).toMatchObject({ status: 403, body: { reason: 'SIGN_UP_DISABLED' } })
    expect(await closed.db.selectFrom('users').selectAll().where('email', '=', stranger.email).execute()).toEqual([])
    expect(await signUp(closed, member)).toMatchObject({ status: 200, body: { user: { email: member.email } } })
  })

  test('signing up ignores names that accounts cannot store', async () => {
    const reply = await signUp(harness, newcomer({ givenName: ' \u202e ', familyName: '👩‍👩‍👧‍👦'.repeat(3) }))
    expect(reply.body.user.first_name).toBe('')
    // A name is cut only between complete characters. Each of these family emojis has 11 code units.
    expect(reply.body.user.last_name).toBe('👩‍👩‍👧‍👦')
  })
})

describe('logging in through a provider', () => {
  test('API-19, SES-10e: logging in starts a session for a registered user, even if the address has changed', async () => {
    const subject = newId()
    const { body } = await signUp(harness, newcomer({ subject }))
    const reply = await login(harness, newcomer({ subject, emailVerified: false }))
    expect(reply.status).toBe(200)
    expect(loginResponse.parse(reply.body).user).toEqual(body.user)
    const person = await harness.call(reply.body.access_token, 'GET', `/${body.user.name}`)
    expect(person).toMatchObject({ status: 200, body: { email: body.user.email } })
  })

  test('logging in as an unknown user is refused with the advice to sign up, and stores nothing', async () => {
    const user = newcomer()
    expect(await login(harness, user)).toMatchObject({
      status: 404,
      body: { reason: 'NO_ACCOUNT', message: `There is no account for ${user.email} yet; sign up first` },
    })
    expect([await accounts(user.email), await identities(user.email)]).toEqual([[], []])
  })

  test('logging in links the account of an address that the provider has verified, in any letter case', async () => {
    const person = await harness.person()
    const user = newcomer({ email: person.email.toUpperCase() })
    const reply = await login(harness, user)
    expect(reply).toMatchObject({ status: 200, body: { user: { id: person.userId, email: person.email } } })
    expect((await accounts(person.email))[0]).toMatchObject({ email_verified_at: expect.any(Date) })
    expect((await harness.call(person.token, 'GET', '/workspaces')).status).toBe(200)
  })

  test('logging in never links or makes an account for an address that the provider has not verified', async () => {
    const person = await harness.person()
    const user = newcomer({ email: person.email, emailVerified: false })
    for (const reply of [await login(harness, user), await signUp(harness, user)])
      expect(reply).toMatchObject({ status: 401, body: { reason: 'EMAIL_NOT_VERIFIED' } })
    const stranger = newcomer({ emailVerified: false })
    // The same whether or not there is an account.
    expect((await login(harness, stranger)).body.reason).toBe('EMAIL_NOT_VERIFIED')
    expect((await signUp(harness, stranger)).body.reason).toBe('EMAIL_NOT_VERIFIED')
    expect([await identities(person.email), await accounts(stranger.email)]).toEqual([[], []])
  })

  test('logging in completes only its own sign-in: verifier, state, return address, and code must match', async () => {
    const user = newcomer()
    await signUp(harness, user)
    const another = beginSignIn()
    const wrong: ((body: Awaited<ReturnType<typeof returned>>) => object)[] = [
      (body) => ({ ...body, code_verifier: another.verifier }),
      (body) => ({ ...body, state: another.state }),
      (body) => ({ ...body, code: 'made-up' }),
      (body) => ({ ...body, iss: 'https://evil.example' }),
    ]
    for (const change of wrong)
      expect(await post(harness, 'Login', change(await returned(harness, user)))).toMatchObject({
        status: 401,
        body: { reason: 'PROVIDER_REFUSED', message: expect.not.stringMatching(/expired|invalid auth/i) },
      })
    const body = await returned(harness, user)
    expect((await post(harness, 'Login', { ...body, iss: provider.issuer })).status).toBe(200)
    expect((await post(harness, 'Login', body)).status).toBe(401)
  })

  test.each([
    [{ code_verifier: 'short' }, 'code_verifier'],
    [{ code_verifier: ' '.repeat(56) }, 'code_verifier'],
    [{ code: '' }, 'code'],
    [{ provider: '' }, 'provider'],
    [{ redirect_uri: 'x' }, 'redirect_uri'],
  ])('logging in rejects %j', async (wrong, field) => {
    const body = {
      provider: 'openid',
      code: 'c',
      state: 's',
      code_verifier: beginSignIn().verifier,
      redirect_uri: redirectUri,
    }
    expect(await post(harness, 'Login', { ...body, ...wrong })).toMatchObject({
      status: 400,
      body: { metadata: { [field]: expect.any(String) } },
    })
  })

  test("logging in works while an attacker uses up the account's passwords, even from the attacker's network", async () => {
    const ada = newcomer()
    await signUp(harness, ada)
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async (_, index) => {
        const payload = { email: ada.email, password: 'guessed-password' }
        const remoteAddress = `192.0.${index}.1`
        return (await harness.app.inject({ method: 'POST', url: '/api/users:login', payload, remoteAddress }))
          .statusCode
      }),
    )
    expect(statuses).toContain(429)
    for (const ip of ['192.0.1.1', '198.51.100.7'])
      expect((await post(harness, 'Login', await returned(harness, ada), ip)).status).toBe(200)
  })

  test('logging in is refused after too many failures from one address, and only from there', async () => {
    const body = { ...(await returned(harness, newcomer())), code: 'made-up' }
    for (let tries = 0; tries < oauthTriesPerIp; tries += 10)
      await Promise.all(Array.from({ length: 10 }, () => post(harness, 'Login', body, '10.8.0.1')))
    expect(await post(harness, 'Login', body, '10.8.0.1')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '900' },
    })
    expect((await post(harness, 'Login', body, '10.8.0.2')).status).toBe(401)
  })
})

describe('a failing sign-in provider', () => {
  const withTrouble = async (kind: OpenIdTrouble, run: () => Promise<void>): Promise<void> => {
    provider.trouble(kind)
    try {
      await run()
    } finally {
      provider.trouble('none')
    }
  }

  test.each([
    ['html', 502],
    ['not json', 502],
    ['silent', 503],
  ] as const)('if the provider answers %s, the caller gets %i and nothing is changed', async (kind, status) => {
    await using impatient = await startControl({
      openId: openIdSettings(provider, 500),
      publicUrl: () => loopbackUrl,
    })
    const user = newcomer()
    const failed = { status, body: { reason: 'PROVIDER_UNAVAILABLE', message: /^Example Login does not answer/ } }
    const ask = () => askForSignIn(impatient, beginSignIn())
    await withTrouble(kind, async () => expect(await ask()).toMatchObject(failed))
    // It is requested again the next time.
    const body = await returned(impatient, user)
    await withTrouble(kind, async () => expect(await post(impatient, 'Signup', body)).toMatchObject(failed))
    expect(await impatient.db.selectFrom('users').selectAll().where('email', '=', user.email).execute()).toEqual([])
    expect((await signUp(impatient, user)).status).toBe(200)
  })

  test('if the provider is unreachable, the caller gets the time to retry', async () => {
    const gone = await startOpenIdProvider()
    const settings = openIdSettings(gone)
    await gone[Symbol.asyncDispose]()
    await using alone = await startControl({ openId: settings, publicUrl: () => loopbackUrl })
    expect(await askForSignIn(alone, beginSignIn())).toMatchObject({
      status: 503,
      body: { reason: 'PROVIDER_UNAVAILABLE' },
      headers: { 'retry-after': '10' },
    })
  })

  test('if the provider rejects the client secret, the caller gets 502, and the log has the reason without code or secret', async () => {
    const lines: string[] = []
    const warn = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]))
    await using mistaken = await startControl({
      openId: { ...openIdSettings(provider), clientSecret: 'wrong-secret' },
      publicUrl: () => loopbackUrl,
      logger: { ...silentLogger, warn },
    })
    const body = await returned(mistaken, newcomer())
    expect(await post(mistaken, 'Signup', body)).toMatchObject({
      status: 502,
      body: { reason: 'PROVIDER_UNAVAILABLE' },
    })
    expect(lines).toEqual([expect.stringContaining('401 invalid_client')])
    for (const secret of ['wrong-secret', body.code, body.code_verifier]) expect(lines[0]).not.toContain(secret)
  })
})
