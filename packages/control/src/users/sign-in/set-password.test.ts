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
const tokenOf = async (person: Caller): Promise<string> =>
  String((await login(person.email, testPassword)).body.set_password_otp_token)
const set = (person: Caller, body: Record<string, unknown>, user = person.userId) =>
  person.call('POST', `/users/${user}:setPassword`, { name: `users/${person.userId}`, password: newPassword, ...body })
const refused = { status: 401, body: { reason: 'INVALID_TOKEN', metadata: {} } }

describe('setting a password', () => {
  test('API-17: takes name, otp_token and password; from then on only the new one logs in', async () => {
    const person = await harness.person()
    expect(await set(person, { otp_token: await tokenOf(person) })).toMatchObject({ status: 200, body: {} })
    expect((await login(person.email, testPassword)).status).toBe(401)
    expect((await login(person.email, newPassword)).status).toBe(200)
    const [audited] = (await harness.audits()).filter(
      (row) => row.action === 'users.setPassword' && row.actor_id === person.userId,
    )
    expect(audited).toMatchObject({ resource: `users/${person.userId}`, detail: {} })
  })

  test('ends all other sessions of the user at once and no session of others, and tells the user by mail', async () => {
    const [person, bystander] = [await harness.person(), await harness.person()]
    const other = (await login(person.email, testPassword)).body
    const read = (token: string) => harness.call(token, 'GET', `/users/${person.userId}`)
    expect((await read(String(other.access_token))).status).toBe(200)
    await set(person, { otp_token: other.set_password_otp_token })
    expect(await read(String(other.access_token))).toMatchObject({ status: 401 })
    expect((await read(person.token)).status).toBe(200)
    expect((await bystander.call('GET', `/users/${bystander.userId}`)).status).toBe(200)
    const mails = await harness.mailsTo(person.email)
    expect(mails).toMatchObject([{ kind: 'password-changed', subject: 'Your password was changed' }])
    expect(mails[0]?.body_text).toContain('/auth/forgot-password')
    expect(JSON.stringify(mails)).not.toContain(newPassword)
  })

  test('the first time says that it was set', async () => {
    const email = `${newId()}@example.com`
    const body = { email, otp_token: await harness.codeFor(email, 'sign up') }
    const made = await harness.call('', 'POST', '/users:signup', body)
    const { name } = made.body.user as { name: string }
    const given = { name, otp_token: made.body.set_password_otp_token, password: newPassword }
    expect((await harness.call(String(made.body.access_token), 'POST', `/${name}:setPassword`, given)).status).toBe(200)
    expect((await harness.mailsTo(email)).at(-1)).toMatchObject({ subject: 'Your password was set' })
    expect((await login(email, newPassword)).status).toBe(200)
  })

  test('works once for each token, also at the same time, and uses up the tokens of all logins', async () => {
    const person = await harness.person()
    const [a, b] = [await tokenOf(person), await tokenOf(person)]
    const replies = await Promise.all([set(person, { otp_token: a }), set(person, { otp_token: a })])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401])
    expect(await set(person, { otp_token: a })).toMatchObject(refused)
    expect(await set(person, { otp_token: b })).toMatchObject(refused)
  })

  test("is refused with a token that is too old, tampered with, made up or another user's", async () => {
    const [person, other] = [await harness.person(), await harness.person()]
    const token = await tokenOf(person)
    const tampered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const otp_token of [tampered, 'x', person.token, await tokenOf(other)])
      expect(await set(person, { otp_token })).toMatchObject(refused)
    harness.advance(passwordTokenLifeMs)
    const late = await set(person, { otp_token: token })
    expect(late).toMatchObject(refused)
    // Clients tell an ended session by these words.
    expect(late.body.message).not.toMatch(/expired|invalid auth/i)
    expect((await login(person.email, testPassword)).status).toBe(200)
  })

  test('is for oneself: 404 for others, 403 for a platform admin, 401 without a session', async () => {
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
  ])('rejects %j', async (body, metadata) => {
    const person = await harness.person()
    const otp_token = await tokenOf(person)
    expect(await set(person, { otp_token, ...body })).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata },
    })
    expect((await login(person.email, testPassword)).status).toBe(200)
  })
})
