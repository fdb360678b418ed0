import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, publicUrl, startControl, testClientConfig } from '../../testing/control-harness.ts'
import { codeTryLimits } from './login-otp.ts'
import { codeLimits, makeCode } from './one-time-codes.ts'
import { sendLimits } from './send-otp.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const address = (): string => `${newId()}@example.com`
const post = (verb: string, payload: Record<string, unknown>, remoteAddress = '10.0.0.1') =>
  harness.app
    .inject({ method: 'POST', url: `/api/users:${verb}`, payload, remoteAddress })
    .then((reply) => ({ status: reply.statusCode, body: reply.json(), headers: reply.headers }))
const send = (email: string, action = 'login', ip?: string) => post('sendOtp', { email, action }, ip)
const refused = { status: 401, body: { reason: 'INVALID_CODE', metadata: {} } }

const loginShape = (email: string) => ({
  access_token: expect.stringMatching(/^trb_[\w-]{43}$/),
  set_password_otp_token: expect.stringMatching(/^[\w-]{43}$/),
  courier_token: expect.stringMatching(/^[0-9a-f-]{36}\.[\w-]{43}$/),
  intercom_token: '',
  user: {
    name: expect.stringMatching(/^users\/[0-9a-f-]{36}$/),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email,
    first_name: '',
    last_name: '',
    photo_url: '',
    create_time: expect.stringMatching(/^2026-/),
    is_admin: false,
  },
})

describe('a one-time code', () => {
  test('a code has four groups of three unambiguous characters', () => {
    const codes = Array.from({ length: 300 }, makeCode)
    for (const code of codes) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{3}(-[2-9A-HJ-NP-Z]{3}){3}$/)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('API-23: sendOtp accepts only the actions "login" and "sign up", and a valid address', async () => {
    expect(await send(address(), 'login')).toMatchObject({ status: 200, body: {} })
    expect(await send(address(), 'sign up')).toMatchObject({ status: 200, body: {} })
    for (const action of ['signup', 'LOGIN', '', 'reset'])
      expect(await send(address(), action)).toMatchObject({
        status: 400,
        body: { reason: 'VALIDATION', metadata: { action: 'Must be "login" or "sign up"' } },
      })
    expect(await send('abc')).toMatchObject({ status: 400, body: { metadata: { email: 'Invalid email' } } })
    expect(await send('a@b.co\r\nbcc: x@y.zz')).toMatchObject({ status: 400 })
  })

  test('a code is mailed to a registered address with a link that fills it in, and stored only as a hash', async () => {
    const person = await harness.person()
    const code = await harness.codeFor(person.email, 'login')
    const [mail] = await harness.mailsTo(person.email)
    expect(mail).toMatchObject({ kind: 'login-code', recipient: person.email })
    expect(mail?.body_html).toContain(code)
    expect(mail?.body_text).toContain(
      `${publicUrl}/auth/login?method=otp&email=${encodeURIComponent(person.email)}&otp=${code}\n`,
    )
    const row = await harness.db
      .selectFrom('one_time_codes')
      .selectAll()
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow()
    expect(row.code_hash).toHaveLength(32)
    expect(JSON.stringify(row)).not.toContain(code)
    expect(JSON.stringify(await harness.audits())).not.toContain(code)
  })

  test('a code for an unknown address gets the same response, and no mail is sent', async () => {
    const person = await harness.person()
    const unknown = address()
    const [a, b] = [await send(person.email), await send(unknown)]
    expect([b.status, b.body]).toEqual([a.status, a.body])
    const [again, unknownAgain] = [await send(person.email), await send(unknown)]
    expect([unknownAgain.status, unknownAgain.body.reason]).toEqual([again.status, again.body.reason])
    expect(await harness.mailsTo(unknown)).toEqual([])
    expect(await post('loginOtp', { email: unknown, otp_token: 'AAA-AAA-AAA-AAA' })).toMatchObject(refused)
  })

  test('a code to sign up has a link; a registered address gets a mail about that, and the same response', async () => {
    const [person, fresh] = [await harness.person(), address()]
    const [known, unknown] = [await send(person.email, 'sign up'), await send(fresh, 'sign up')]
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
    const [link] = await harness.mailsTo(fresh)
    const code = /^ {4}(\S+)$/m.exec(link?.body_text ?? '')?.[1] ?? ''
    expect(link).toMatchObject({ kind: 'sign-up-code' })
    expect(link?.body_text).toContain(`${publicUrl}/auth/register?email=${encodeURIComponent(fresh)}&otp=${code}`)
    const [told] = await harness.mailsTo(person.email)
    expect(told).toMatchObject({ kind: 'already-registered', subject: 'You already have an account' })
    const offered = /^ {4}(\S+)$/m.exec(told?.body_text ?? '')?.[1] ?? ''
    expect(await post('loginOtp', { email: person.email, otp_token: offered })).toMatchObject({
      status: 200,
      body: { user: { id: person.userId } },
    })
  })
})

describe('logging in with a code', () => {
  test('SES-10b, API-20: loginOtp responds like every login, accepts the code in any spelling, and verifies the address', async () => {
    const person = await harness.person()
    const code = await harness.codeFor(person.email, 'login')
    const written = code.replaceAll('-', '').toLowerCase()
    const reply = await post('loginOtp', { email: ` ${person.email.toUpperCase()} `, otp_token: written })
    expect(reply).toMatchObject({ status: 200 })
    expect(reply.body).toEqual(loginShape(person.email))
    expect(reply.body.user.id).toBe(person.userId)
    const user = await harness.db
      .selectFrom('users')
      .select('email_verified_at')
      .where('id', '=', person.userId)
      .executeTakeFirstOrThrow()
    expect(user.email_verified_at).toBeInstanceOf(Date)
    expect((await harness.call(reply.body.access_token, 'GET', `/users/${person.userId}`)).status).toBe(200)
  })

  test('logging in also accepts the code in the field otp', async () => {
    const person = await harness.person()
    const otp = await harness.codeFor(person.email, 'login')
    expect((await post('loginOtp', { email: person.email, otp })).status).toBe(200)
  })

  test('a code works once', async () => {
    const person = await harness.person()
    const body = { email: person.email, otp_token: await harness.codeFor(person.email, 'login') }
    expect((await post('loginOtp', body)).status).toBe(200)
    expect(await post('loginOtp', body)).toMatchObject(refused)
  })

  test('if many callers log in with one code at once, exactly one succeeds', async () => {
    const person = await harness.person()
    const body = { email: person.email, otp_token: await harness.codeFor(person.email, 'login') }
    const replies = await Promise.all([1, 2, 3, 4].map(() => post('loginOtp', body)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401, 401, 401])
  })

  test('a code is refused after ten minutes', async () => {
    const person = await harness.person()
    const body = { email: person.email, otp_token: await harness.codeFor(person.email, 'login') }
    harness.advance(codeLimits.lifeMs)
    expect(await post('loginOtp', body)).toMatchObject(refused)
    // Clients recognize an ended session by these words.
    expect((await post('loginOtp', body)).body.message).not.toMatch(/expired|invalid auth/i)
  })

  test('a code works however often others have guessed, even from several networks at once', async () => {
    const person = await harness.person()
    const otp_token = await harness.codeFor(person.email, 'login')
    const wrong = { email: person.email, otp_token: 'AAA-AAA-AAA-AAA' }
    const places = Array.from({ length: 20 }, (_, index) => `10.5.0.${index}`)
    await Promise.all(places.flatMap((place) => [1, 2].map(() => post('loginOtp', wrong, place))))
    expect((await post('loginOtp', { email: person.email, otp_token }, '10.5.1.1')).status).toBe(200)
  })

  test('a code works at a network with an earlier sign-in, however often it is guessed there', async () => {
    const person = await harness.person()
    const signIn = async () =>
      await post(
        'loginOtp',
        { email: person.email, otp_token: await harness.codeFor(person.email, 'login') },
        '10.5.2.1',
      )
    expect((await signIn()).status).toBe(200)
    const wrong = { email: person.email, otp_token: 'AAA-AAA-AAA-AAA' }
    for (let tries = 0; tries < codeTryLimits.perEmailAndIp + 2; tries++)
      expect((await post('loginOtp', wrong, '10.5.2.1')).status).toBe(401)
    harness.advance(codeLimits.resendMs)
    expect((await signIn()).status).toBe(200)
  })

  test('logging in accepts only the newest code of the same address', async () => {
    const [person, other] = [await harness.person(), await harness.person()]
    const old = await harness.codeFor(person.email, 'login')
    expect(await post('loginOtp', { email: other.email, otp_token: old })).toMatchObject(refused)
    harness.advance(codeLimits.resendMs)
    const next = await harness.codeFor(person.email, 'login')
    expect(await post('loginOtp', { email: person.email, otp_token: old })).toMatchObject(refused)
    expect((await post('loginOtp', { email: person.email, otp_token: next })).status).toBe(200)
  })

  test.each([
    [{ email: 'abc', otp_token: 'AAA-AAA-AAA-AAA' }, { email: 'Invalid email' }],
    [{ email: 'a@b.co', otp_token: 'ABCD-123' }, { otp_token: 'At least 9 characters' }],
    [{ email: 'a@b.co', otp_token: 'ABCD_12345' }, { otp_token: 'Only letters, numbers and hyphens are allowed' }],
    [{ email: 'a@b.co' }, { otp_token: 'Required' }],
  ])('logging in with a code rejects %j', async (body, metadata) => {
    expect(await post('loginOtp', body)).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata } })
    expect(await post('signup', body)).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata } })
  })

  test('after too many wrong codes from one network, that network must wait, and others need not', async () => {
    const person = await harness.person()
    const wrong = { email: person.email, otp_token: 'AAA-AAA-AAA-AAA' }
    for (let tries = 0; tries < codeTryLimits.perEmailAndIp; tries++)
      expect((await post('loginOtp', wrong, '10.6.0.1')).status).toBe(401)
    expect((await post('loginOtp', wrong, '10.6.0.1')).status).toBe(401)
    const reply = await post('loginOtp', wrong, '10.6.0.1')
    expect(reply).toMatchObject({ status: 429, body: { reason: 'RATE_LIMITED', metadata: { retry_after: '1' } } })
    expect((await post('loginOtp', wrong, '10.6.0.2')).status).toBe(401)
  })
})

describe('requesting another code', () => {
  test('a new code is refused for thirty seconds, which the response counts down, even for concurrent requests', async () => {
    const email = address()
    const both = await Promise.all([send(email, 'sign up'), send(email, 'sign up')])
    expect(both.map((reply) => reply.status).sort()).toEqual([200, 429])
    expect(await harness.mailsTo(email)).toHaveLength(1)
    harness.advance(20_000)
    const early = await send(email, 'sign up')
    expect(early).toMatchObject({ status: 429, body: { reason: 'RATE_LIMITED', metadata: { retry_after: '10' } } })
    expect(early.body.message).toMatch(/Wait 10 seconds/)
    expect(early.headers['retry-after']).toBe('10')
    harness.advance(10_000)
    expect((await send(email, 'sign up')).status).toBe(200)
  })

  test('a new code is refused after too many requests for one address, or from one network', async () => {
    const email = address()
    // A request of each kind every 30 seconds stays within the 15 minutes in which requests are counted.
    for (let count = 0; count < sendLimits.perEmail; count++) {
      if (count % 2 === 0) harness.advance(codeLimits.resendMs)
      expect((await send(email, count % 2 === 0 ? 'login' : 'sign up', `10.7.0.${count}`)).status).toBe(200)
    }
    harness.advance(codeLimits.resendMs)
    expect(await send(email, 'login', '10.7.1.1')).toMatchObject({ status: 429, headers: { 'retry-after': '900' } })
    for (let count = 0; count < sendLimits.perIp; count++) await send(address(), 'login', '10.8.0.1')
    expect((await send(address(), 'login', '10.8.0.1')).status).toBe(429)
  })

  test('many code requests from one network do not prevent others from getting a code for the same address', async () => {
    const email = address()
    for (let count = 0; count < sendLimits.perIp + 10; count++) await send(email, 'login', '10.9.0.1')
    harness.advance(codeLimits.resendMs)
    expect((await send(email, 'login', '10.9.0.1')).status).toBe(429)
    expect((await send(email, 'login', '10.9.0.2')).status).toBe(200)
  })
})

describe('signing up with a code', () => {
  test('SES-10c, API-21: signup makes an account for the address and responds like every login', async () => {
    const email = `New.${address()}`
    const reply = await post('signup', { email, otp_token: await harness.codeFor(email, 'sign up') })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual(loginShape(email))
    const user = await harness.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', reply.body.user.id)
      .executeTakeFirstOrThrow()
    expect(user).toMatchObject({ password_hash: null, is_admin: false, email_verified_at: expect.any(Date) })
    expect((await harness.audits()).at(-1)).toMatchObject({ action: 'users.signup', actor_id: user.id })
  })

  test('concurrent sign-ups with one code make one account and one session', async () => {
    const email = address()
    const body = { email, otp_token: await harness.codeFor(email, 'sign up') }
    const replies = await Promise.all([1, 2, 3].map(() => post('signup', body)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401, 401])
    const users = await harness.db.selectFrom('users').select('id').where('email', '=', email).execute()
    const sessions = await harness.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', users[0]?.id ?? '')
      .execute()
    expect([users.length, sessions.length]).toEqual([1, 1])
  })

  test('signing up rejects a login code, and a sign-up code does not log in without an account', async () => {
    const [person, fresh] = [await harness.person(), address()]
    const login = await harness.codeFor(person.email, 'login')
    expect(await post('signup', { email: person.email, otp_token: login })).toMatchObject(refused)
    const otp_token = await harness.codeFor(fresh, 'sign up')
    expect(await post('loginOtp', { email: fresh, otp_token })).toMatchObject(refused)
    // The failed attempt has not used up the code.
    expect((await post('signup', { email: fresh, otp_token })).status).toBe(200)
  })

  test('a sign-up code for a registered address logs in to that account, in any spelling of the address', async () => {
    const person = await harness.person()
    const otp_token = await harness.codeFor(person.email, 'sign up')
    const reply = await post('signup', { email: person.email.toUpperCase(), otp_token })
    expect(reply).toMatchObject({ status: 200, body: { user: { id: person.userId, email: person.email } } })
  })

  test('signing up gives 403 SIGN_UP_DISABLED if it is disabled, except for invited users; logging in with a code works', async () => {
    await using closed = await startControl({ clientConfig: { ...testClientConfig, sign_up_enabled: false } })
    const body = { email: 'a@b.co', otp_token: 'AAA-AAA-AAA-AAA' }
    const disabled = { status: 403, body: { reason: 'SIGN_UP_DISABLED' } }
    expect(await closed.call('', 'POST', '/users:sendOtp', { email: 'a@b.co', action: 'sign up' })).toMatchObject(
      disabled,
    )
    expect(await closed.call('', 'POST', '/users:signup', body)).toMatchObject(disabled)
    const person = await closed.person()
    const organization = await person.ok(
      methods.organizations.create,
      {},
      { body: { title: 'Acme', industry: 'other', workspace_title: 'Main' } },
    )
    const invited = address()
    const invite = () =>
      closed.db.insertInto('invitations').values({
        id: newId(),
        organization_id: organization.organization.name.replace('organizations/', ''),
        invitee_email: invited.toUpperCase(),
        role: 'ORG_GUEST',
        inviter_id: person.userId,
        token_hash: Buffer.alloc(32),
        expire_time: new Date(closed.now() + 60_000),
      })
    await invite().execute()
    const code = await closed.codeFor(invited, 'sign up')
    expect((await closed.call('', 'POST', '/users:signup', { email: invited, otp_token: code })).status).toBe(200)
    closed.advance(60_000)
    expect(await closed.call('', 'POST', '/users:sendOtp', { email: invited, action: 'sign up' })).toMatchObject(
      disabled,
    )
    const otp_token = await closed.codeFor(person.email, 'login')
    expect((await closed.call('', 'POST', '/users:loginOtp', { email: person.email, otp_token })).status).toBe(200)
  })

  test('with sign-up disabled, attempts to find out who is invited are limited', async () => {
    await using closed = await startControl({ clientConfig: { ...testClientConfig, sign_up_enabled: false } })
    const ask = () => closed.call('', 'POST', '/users:sendOtp', { email: address(), action: 'sign up' })
    for (let count = 0; count < sendLimits.perIp; count++) expect((await ask()).status).toBe(403)
    expect((await ask()).status).toBe(429)
  })

  test('signing up gives the messaging widget its proof of the user, if that is configured', async () => {
    await using told = await startControl({ messagingSecret: 'secret' })
    const person = await told.person()
    const otp_token = await told.codeFor(person.email, 'login')
    const reply = await told.call('', 'POST', '/users:loginOtp', { email: person.email, otp_token })
    expect(reply.body.intercom_token).toMatch(/^[0-9a-f]{64}$/)
  })
})
