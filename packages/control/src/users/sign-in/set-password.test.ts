import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordTokenLifeMs } from '../../sessions/answer-login.ts'
import { type Caller, type Harness, startControl, testPassword } from '../../testing/control-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())

const newPassword = 'Battery-staple-2'
const login = (email: string, password: string) => harness.call('', 'POST', '/users:login', { email, password })
/** Signs a user in again: the calls of that session, and the token that came with it. */
const signedIn = async ({ email, userId }: Caller) => {
  const { access_token, set_password_otp_token } = (await login(email, testPassword)).body
  const token = String(access_token)
  const call: Caller['call'] = (verb, path, body) => harness.call(token, verb, path, body)
  return { userId, email, token, call, otp_token: String(set_password_otp_token) }
}
const tokenOf = async (person: Caller): Promise<string> => (await signedIn(person)).otp_token
const set = (person: Pick<Caller, 'userId' | 'call'>, body: Record<string, unknown>, user = person.userId) =>
  person.call('POST', `/users/${user}:setPassword`, { name: `users/${person.userId}`, password: newPassword, ...body })
const refused = { status: 401, body: { reason: 'INVALID_TOKEN', metadata: {} } }

describe('setting a password', () => {
  test('API-17: setting a password needs name, otp_token, and password; then only the new password logs in', async () => {
    const person = await signedIn(await harness.person())
    expect(await set(person, { otp_token: person.otp_token })).toMatchObject({ status: 200, body: {} })
    expect((await login(person.email, testPassword)).status).toBe(401)
    expect((await login(person.email, newPassword)).status).toBe(200)
    const [audited] = (await harness.audits()).filter(
      (row) => row.action === 'users.setPassword' && row.actor_id === person.userId,
    )
    expect(audited).toMatchObject({ resource: `users/${person.userId}`, detail: {} })
  })

  test('setting a password ends all other sessions of the user immediately, and notifies the user by mail', async () => {
    const [person, bystander] = [await harness.person(), await harness.person()]
    const own = await signedIn(person)
    const read = (token: string) => harness.call(token, 'GET', `/users/${person.userId}`)
    expect((await read(person.token)).status).toBe(200)
    await set(own, { otp_token: own.otp_token })
    expect(await read(person.token)).toMatchObject({ status: 401 })
    expect((await read(own.token)).status).toBe(200)
    expect((await bystander.call('GET', `/users/${bystander.userId}`)).status).toBe(200)
    const mails = await harness.mailsTo(person.email)
    expect(mails).toMatchObject([{ kind: 'password-changed', subject: 'Your password was changed' }])
    expect(mails[0]?.body_text).toContain('/auth/forgot-password')
    expect(JSON.stringify(mails)).not.toContain(newPassword)
  })

  test('the mail about the first password says that a password was set', async () => {
    const email = `${newId()}@example.com`
    const body = { email, otp_token: await harness.codeFor(email, 'sign up') }
    const made = await harness.call('', 'POST', '/users:signup', body)
    const { name } = made.body.user as { name: string }
    const given = { name, otp_token: made.body.set_password_otp_token, password: newPassword }
    expect((await harness.call(String(made.body.access_token), 'POST', `/${name}:setPassword`, given)).status).toBe(200)
    expect((await harness.mailsTo(email)).at(-1)).toMatchObject({ subject: 'Your password was set' })
    expect((await login(email, newPassword)).status).toBe(200)
  })

  test('a token sets a password once, even concurrently, and invalidates the tokens of all logins', async () => {
    const person = await harness.person()
    const [a, b] = [await signedIn(person), await signedIn(person)]
    const replies = await Promise.all([set(a, { otp_token: a.otp_token }), set(a, { otp_token: a.otp_token })])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401])
    expect(await set(a, { otp_token: a.otp_token })).toMatchObject(refused)
    expect(await set(a, { otp_token: b.otp_token })).toMatchObject(refused)
  })

  test('a session accepts only its own token, not a token of another or an ended session of the user', async () => {
    const person = await harness.person()
    const [a, b] = [await signedIn(person), await signedIn(person)]
    for (const session of [person, a]) expect(await set(session, { otp_token: b.otp_token })).toMatchObject(refused)
    await b.call('POST', '/users:logout', {})
    expect(await set(a, { otp_token: b.otp_token })).toMatchObject(refused)
    expect(await set(a, { otp_token: a.otp_token })).toMatchObject({ status: 200 })
  })

  test('a session accepts the current password in place of a token, and no other text', async () => {
    const person = await harness.person()
    for (const current_password of ['wrong', newPassword, testPassword.toLowerCase(), `${testPassword} `])
      expect(await set(person, { current_password })).toMatchObject({
        status: 401,
        body: { reason: 'INVALID_CREDENTIALS' },
      })
    expect(await set(person, {})).toMatchObject({ status: 400, body: { metadata: { otp_token: 'Required' } } })
    expect(await set(person, { current_password: testPassword })).toMatchObject({ status: 200 })
    expect((await login(person.email, newPassword)).status).toBe(200)
    expect(await set(person, { current_password: testPassword })).toMatchObject({ status: 401 })
  })

  test('guessing the current password with a session is slowed down as at the login', async () => {
    const person = await harness.person()
    const replies = await Promise.all(Array.from({ length: 14 }, () => set(person, { current_password: 'wrong' })))
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(14)
    expect(statuses).toContain(429)
  })

  test("setting a password is refused with a token that is too old, changed, made up, or another user's", async () => {
    const [person, other] = [await harness.person(), await harness.person()]
    const token = await tokenOf(person)
    const tampered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const otp_token of [tampered, 'x', person.token, await tokenOf(other)])
      expect(await set(person, { otp_token })).toMatchObject(refused)
    harness.advance(passwordTokenLifeMs)
    const late = await set(person, { otp_token: token })
    expect(late).toMatchObject(refused)
    // Clients recognize an ended session by these words.
    expect(late.body.message).not.toMatch(/expired|invalid auth/i)
    expect((await login(person.email, testPassword)).status).toBe(200)
  })

  test('users can only set their own password: 404 for others, 403 for a platform admin, 401 without a session', async () => {
    const [person, outsider] = [await harness.person(), await harness.person()]
    const admin = await harness.person({}, { platformAdmin: true })
    const otp_token = await tokenOf(person)
    expect(await set(outsider, { otp_token }, person.userId)).toMatchObject({ status: 404 })
    expect(await set(admin, { otp_token }, person.userId)).toMatchObject({ status: 403 })
    const path = `/users/${person.userId}:setPassword`
    expect(await harness.call('', 'POST', path, {})).toMatchObject({ status: 401, body: { reason: 'UNAUTHORIZED' } })
  })

  test.each([
    [{ password: 'Aa1!aaa' }, { password: 'Must be at least 8 characters in length' }],
    [{ password: 'aa1!aaaa' }, { password: 'One uppercase character' }],
    [{ otp_token: '' }, { otp_token: 'Required' }],
    [{ name: 'users/somebody' }, { name: /^Must be users\// }],
  ])('setting a password rejects %j', async (body, metadata) => {
    const person = await harness.person()
    const otp_token = await tokenOf(person)
    expect(await set(person, { otp_token, ...body })).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata },
    })
    expect((await login(person.email, testPassword)).status).toBe(200)
  })
})
