import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionLimits } from '../sessions/sessions.ts'
import { type Harness, startControl, testPassword } from '../testing/control-harness.ts'
import { resetAdminPassword } from './reset-admin-password.ts'
import { loginLimits } from './sign-in/login.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const loginAt = ({ app }: Harness, email: string, password: string, ip: string) =>
  app.inject({ method: 'POST', url: '/api/users:login', payload: { email, password }, remoteAddress: ip })
const login = (email: string, password: string, ip = '10.0.0.1') => loginAt(harness, email, password, ip)

describe('login with a password', () => {
  test('SES-10a, API-18: login returns a session and the user, in any spelling of the address', async () => {
    const person = await harness.person()
    const reply = await login(` ${person.email.toUpperCase()} `, testPassword)
    expect(reply.json()).toMatchObject({
      access_token: expect.stringMatching(/^trb_[\w-]{43}$/),
      set_password_otp_token: expect.stringMatching(/^[\w-]{43}$/),
      courier_token: expect.stringMatching(new RegExp(`^${person.userId}\\.[\\w-]{43}$`)),
      intercom_token: '',
      user: { name: `users/${person.userId}`, id: person.userId, email: person.email, is_admin: false },
    })
    expect(await person.ok(methods.users.get, { user: person.userId })).toEqual(reply.json().user)
  })

  test('login stores neither the token nor the password in the database', async () => {
    await using fresh = await startControl({ passwords: undefined })
    const given = { email: 'a@b.co', password: testPassword }
    await fresh.ensurePlatformAdmin(given)
    const { body } = await fresh.call('', 'POST', '/users:login', given)
    const session = await fresh.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
    const user = await fresh.db.selectFrom('users').selectAll().executeTakeFirstOrThrow()
    expect(user.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const stored = JSON.stringify([session, user])
    expect(stored).not.toContain(testPassword)
    expect(stored).not.toContain(String(body.access_token).slice(4))
    expect(Buffer.from(session.token_hash)).toHaveLength(32)
  })

  test('login responds equally to an unknown address, a wrong password, and a user without one, and always hashes', async () => {
    await using fresh = await startControl({ passwords: undefined })
    const person = await fresh.person()
    const bare = `${newId()}@example.com`
    await fresh.db.insertInto('users').values({ id: newId(), email: bare, password_hash: null }).execute()
    let place = 1
    const timed = async (email: string) => {
      // Processor time does not depend on how busy the machine is. Hashing takes much of it, and everything else
      // little.
      const before = process.cpuUsage()
      const reply = await loginAt(fresh, email, 'wrong', `10.1.0.${place++}`)
      const { user, system } = process.cpuUsage(before)
      return { ms: (user + system) / 1000, status: reply.statusCode, body: reply.json() }
    }
    const wrong = [await timed(person.email), await timed(person.email), await timed(person.email)]
    const fastest = Math.min(...wrong.map((each) => each.ms))
    for (const email of ['nobody@example.com', bare]) {
      const answer = await timed(email)
      expect([answer.status, answer.body]).toEqual([wrong[0]?.status, wrong[0]?.body])
      expect(answer.ms).toBeGreaterThan(fastest / 4)
    }
    expect(wrong[0]).toMatchObject({ status: 401, body: { reason: 'INVALID_CREDENTIALS', metadata: {} } })
    // Clients recognize an ended session by these words.
    expect(wrong[0]?.body.message).not.toMatch(/expired|invalid auth/i)
  })

  test.each([
    [{ email: 'abc', password: 'x' }, { email: 'Invalid email' }],
    [{ email: 'a@b.co', password: '' }, { password: 'Password is required' }],
    [{ email: 'a@b.co' }, { password: 'Required' }],
    [{ email: 'a@b.co\u0000', password: 'x' }, { email: expect.any(String) }],
    [{ email: { $ne: '' }, password: 'x' }, { email: expect.any(String) }],
    [{ email: 'a@b.co', password: 'x'.repeat(1025) }, { password: 'At most 1024 characters' }],
  ])('login rejects %j', async (body, metadata) => {
    const reply = await harness.call('', 'POST', '/users:login', body)
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata } })
  })

  test('login waits longer after each failure of one network, also with the right password; other networks do not', async () => {
    const person = await harness.person()
    for (let tries = 0; tries < loginLimits.perEmailAndIp; tries++)
      expect((await login(person.email, 'wrong', '10.2.0.1')).statusCode).toBe(401)
    const waits: string[] = []
    for (const seconds of [1, 2, 4, 8]) {
      // The first attempt after the wait is checked. The next ones are refused, and neither count nor prolong the wait.
      expect((await login(person.email, 'wrong', '10.2.0.1')).statusCode).toBe(401)
      for (let again = 0; again < 3; again++) {
        const refused = await login(person.email, testPassword, '10.2.0.1')
        expect([refused.statusCode, refused.json().reason]).toEqual([429, 'RATE_LIMITED'])
        waits.push(String(refused.headers['retry-after']))
      }
      harness.advance(seconds * 1000)
    }
    expect(waits).toEqual(['1', '1', '1', '2', '2', '2', '4', '4', '4', '8', '8', '8'])
    expect((await login(person.email, testPassword, '10.2.0.2')).statusCode).toBe(200)
    expect((await login(person.email, testPassword, '10.2.0.1')).statusCode).toBe(200)
  })

  test('login with the right password works at networks with an earlier sign-in, despite failures there or elsewhere', async () => {
    const person = await harness.person()
    expect((await login(person.email, testPassword, '10.2.2.1')).statusCode).toBe(200)
    for (let place = 0; place <= loginLimits.perEmail; place++) await login(person.email, 'x', `10.2.3.${place}`)
    for (let tries = 0; tries < loginLimits.perEmailAndIp + 2; tries++)
      expect((await login(person.email, 'x', '10.2.2.1')).statusCode).toBe(401)
    expect((await login(person.email, testPassword, '10.2.2.1')).statusCode).toBe(200)
    // All users of this network are slowed down, except for the one who has signed in there before.
    for (let tries = 0; tries <= loginLimits.perIp; tries++) await login(`${tries}@example.com`, 'x', '10.2.2.1')
    expect((await login('one-more@example.com', 'x', '10.2.2.1')).statusCode).toBe(429)
    expect((await login(person.email, testPassword, '10.2.2.1')).statusCode).toBe(200)
    expect((await login(person.email, testPassword, '10.2.9.9')).statusCode).toBe(429)
  })

  test('one network that keeps failing, even when refused, does not lock a user out', async () => {
    const person = await harness.person()
    const { perIp, perEmail } = loginLimits
    for (let tries = 0; tries < Math.max(perIp, perEmail) + 10; tries++) await login(person.email, 'x', '10.2.1.1')
    expect((await login(person.email, testPassword, '10.2.1.2')).statusCode).toBe(200)
  })

  test('a successful login does not count as a failure', async () => {
    const person = await harness.person()
    for (let tries = 0; tries < loginLimits.perEmailAndIp + 3; tries++)
      expect((await login(person.email, testPassword, '10.3.0.1')).statusCode).toBe(200)
  })

  test('concurrent login attempts do not exceed the limit', async () => {
    const person = await harness.person()
    const replies = await Promise.all(Array.from({ length: 30 }, () => login(person.email, 'wrong', '10.4.0.1')))
    // One more begins the wait.
    expect(replies.filter((reply) => reply.statusCode === 401)).toHaveLength(loginLimits.perEmailAndIp + 1)
  })
})

describe('a session', () => {
  const read = (person: { userId: string; token: string }) =>
    harness.call(person.token, 'GET', `/users/${person.userId}`)

  test('a session ends after twelve hours without use, and slides with use', async () => {
    const person = await harness.person()
    harness.advance(sessionLimits.idleMs - 60_000)
    expect((await read(person)).status).toBe(200)
    harness.advance(sessionLimits.idleMs - 60_000)
    expect((await read(person)).status).toBe(200)
    harness.advance(sessionLimits.idleMs + 1)
    expect(await read(person)).toMatchObject({ status: 401, body: { reason: 'TOKEN_EXPIRED', message: /expired/ } })
  })

  test('a session ends after thirty days, however much it is used', async () => {
    const person = await harness.person()
    const step = sessionLimits.idleMs - 60_000
    const steps = Math.floor(sessionLimits.totalMs / step)
    for (let count = 0; count < steps; count++) {
      harness.advance(step)
      expect((await read(person)).status).toBe(200)
    }
    harness.advance(step)
    expect((await read(person)).status).toBe(401)
  })

  test("a session is refused right after logout, and the user's other sessions continue", async () => {
    const person = await harness.person()
    const other = (await login(person.email, testPassword, '10.5.0.1')).json().access_token
    expect((await read(person)).status).toBe(200)
    await person.ok(methods.users.logout, {})
    expect(await read(person)).toMatchObject({
      status: 401,
      body: { reason: 'UNAUTHORIZED', message: /invalid auth userInfo/ },
    })
    expect((await read({ userId: person.userId, token: other })).status).toBe(200)
  })

  test('a session that another process ended is refused within two seconds', async () => {
    const person = await harness.person()
    expect((await read(person)).status).toBe(200)
    await harness.db.deleteFrom('sessions').where('user_id', '=', person.userId).execute()
    harness.advance(2000)
    expect((await read(person)).status).toBe(401)
  })

  test.each(['trb_', 'x', `trb_${'a'.repeat(43)}`, `trb_${'a'.repeat(43)}'--`])(
    'a session never begins with the made-up token %s',
    async (token) => {
      expect((await harness.call(token, 'GET', '/workspaces')).status).toBe(401)
    },
  )
})

describe('the first platform admin', () => {
  test('the first platform admin is created once, also by concurrent starts, with a password shown only then', async () => {
    await using fresh = await startControl()
    const made = await Promise.all([1, 2, 3].map(() => fresh.ensurePlatformAdmin({ email: 'Root@Example.com' })))
    const created = made.filter((each) => each.created)
    expect(created).toHaveLength(1)
    expect(created[0]?.generatedPassword).toMatch(/^[\w-]{20}$/)
    expect(made.filter((each) => !each.created).every((each) => each.generatedPassword === undefined)).toBe(true)
    const body = { email: 'root@example.com', password: created[0]?.generatedPassword }
    expect(await fresh.call('', 'POST', '/users:login', body)).toMatchObject({
      status: 200,
      body: { user: { is_admin: true } },
    })
    expect((await fresh.audits()).map((row) => row.action)).toContain('users.ensurePlatformAdmin')
  })

  test('the first platform admin gets the configured password; a later start with another changes nothing and reports it', async () => {
    await using fresh = await startControl()
    expect(await fresh.ensurePlatformAdmin({ email: 'a@b.co', password: testPassword })).toEqual({
      email: 'a@b.co',
      created: true,
    })
    expect(await fresh.ensurePlatformAdmin({ email: 'c@d.co', password: 'another' })).toEqual({
      email: 'a@b.co',
      created: false,
      otherPassword: true,
    })
    expect(await fresh.ensurePlatformAdmin({ email: 'a@b.co', password: testPassword })).toEqual({
      email: 'a@b.co',
      created: false,
    })
    expect((await fresh.call('', 'POST', '/users:login', { email: 'a@b.co', password: testPassword })).status).toBe(200)
    expect((await fresh.call('', 'POST', '/users:login', { email: 'c@d.co', password: 'another' })).status).toBe(401)
  })

  test('the operator can set a new password for the first platform admin, which ends sessions and is audited', async () => {
    await using fresh = await startControl()
    await fresh.ensurePlatformAdmin({ email: 'a@b.co', password: testPassword })
    const login = (password: string) => fresh.call('', 'POST', '/users:login', { email: 'a@b.co', password })
    const { body } = await login(testPassword)
    const token = String(body.access_token)
    expect((await fresh.call(token, 'GET', '/workspaces')).status).toBe(200)
    const reset = (email: string | undefined) =>
      resetAdminPassword(
        { db: fresh.db, jobs: fresh.jobs, clock: Date.now },
        { email, password: 'a-new-password', origin: 'https://example.com' },
      )
    expect(await reset('nobody@b.co')).toBeUndefined()
    expect((await login(testPassword)).status).toBe(200)
    expect(await reset('A@B.co')).toEqual({ email: 'a@b.co' })
    expect((await login(testPassword)).status).toBe(401)
    expect((await login('a-new-password')).status).toBe(200)
    // The result for a token may be two seconds old.
    fresh.advance(2000)
    expect((await fresh.call(token, 'GET', '/workspaces')).status).toBe(401)
    expect((await fresh.audits()).map((row) => row.action)).toContain('users.resetAdminPassword')
  })
})
