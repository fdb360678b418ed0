import { methods } from '@tributary/contract'
import type { Logger } from '@tributary/kernel'
import { newId, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, startControl, testPassword } from '../../testing/control-harness.ts'
import { loginLimits } from './login.ts'

let harness: Harness
const logged: { fields: unknown; text: unknown }[] = []
beforeAll(async () => {
  const logger: Logger = {
    ...silentLogger,
    warn: (fields: unknown, text?: unknown) => void logged.push({ fields, text }),
  }
  harness = await startControl({ logger })
})
afterAll(() => harness[Symbol.asyncDispose]())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const newerFirefox = firefox.replaceAll('130.0', '131.0')
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const edge = `${chrome} Edg/130.0.0.0`

const login = async (email: string, password: string, ip: string, userAgent = firefox) => {
  const reply = await harness.app.inject({
    method: 'POST',
    url: '/api/users:login',
    remoteAddress: ip,
    headers: { 'user-agent': userAgent },
    payload: { email, password },
  })
  return { status: reply.statusCode, body: reply.json() }
}

const mailsOf = async (email: string) => (await harness.mailsTo(email)).filter(({ kind }) => kind === 'new-place')

const stranger = async (): Promise<{ email: string; userId: string; token: string }> => {
  const { email, userId, token } = await harness.person()
  return { email, userId, token }
}

describe('a mail about a sign-in from a new place', () => {
  test('no mail is sent for the first sign-in, nor for one from the same network and browser in any version', async () => {
    const { email } = await stranger()
    for (const [ip, browser] of [
      ['192.0.2.1', firefox],
      ['192.0.2.1', firefox],
      ['192.0.2.200', newerFirefox],
    ] as const)
      expect((await login(email, testPassword, ip, browser)).status).toBe(200)
    expect(await mailsOf(email)).toEqual([])
  })

  test.each([
    ['another network', '198.51.100.1', firefox],
    ['another browser', '192.0.2.1', chrome],
    ['another browser of the same make', '192.0.2.1', edge],
    ['a program', '192.0.2.1', 'curl/8.5.0'],
    ['no browser at all', '192.0.2.1', ''],
    ['another IPv6 network', '2001:db8:2::1', firefox],
  ])('a mail about a sign-in is sent once for %s', async (_, ip, browser) => {
    const { email } = await stranger()
    await login(email, testPassword, '192.0.2.1')
    for (let again = 0; again < 2; again++) await login(email, testPassword, ip, browser)
    const mails = await mailsOf(email)
    expect(mails).toMatchObject([{ subject: 'New sign-in to your account' }])
    expect(mails[0]?.body_text).toContain(ip)
    expect(mails[0]?.body_text).toContain('/auth/forgot-password')
  })

  test('no mail is sent for another address of the same IPv6 site, nor for a failed sign-in', async () => {
    const { email } = await stranger()
    await login(email, testPassword, '2001:db8:1:1::1')
    await login(email, testPassword, '2001:db8:1:2::1')
    await login(email, 'wrong', '198.51.100.1')
    expect(await mailsOf(email)).toEqual([])
  })

  test('a mail is also sent for a code from a new network', async () => {
    const { email } = await stranger()
    await login(email, testPassword, '192.0.2.1')
    const otp_token = await harness.codeFor(email, 'login')
    expect((await harness.call('', 'POST', '/users:loginOtp', { email, otp_token })).status).toBe(200)
    expect(await mailsOf(email)).toHaveLength(1)
  })
})

describe('failed sign-ins in the log and the audit log', () => {
  const failures = async (userId: string) =>
    (await harness.audits())
      .filter(({ resource, detail }) => resource === `users/${userId}` && 'failure' in Object(detail))
      .map(({ action, detail, ip, actor_id, organization_id }) => ({
        action,
        ...Object(detail),
        ip,
        actor_id,
        organization_id,
      }))

  test('a wrong password, code, or token is recorded with the network', async () => {
    const person = await harness.person()
    await login(person.email, 'wrong', '192.0.2.9')
    await harness.call('', 'POST', '/users:loginOtp', { email: person.email, otp_token: 'ABC-DEF-GHJ' })
    const body = { name: `users/${person.userId}`, password: 'Battery-staple-2', otp_token: 'x' }
    await person.call('POST', `/users/${person.userId}:setPassword`, body)
    const common = { actor_id: null, organization_id: null }
    expect(await failures(person.userId)).toEqual([
      { action: 'users.login', failure: 'wrong_password', ip: '192.0.2.9', ...common },
      { action: 'users.loginOtp', failure: 'wrong_code', ip: '127.0.0.1', ...common },
      { action: 'users.setPassword', failure: 'wrong_token', ip: '127.0.0.1', ...common },
    ])
    expect(logged.filter(({ fields }) => Object(fields).user === person.userId)).toHaveLength(3)
    expect(JSON.stringify([logged, await harness.audits()])).not.toContain('ABC-DEF-GHJ')
  })

  test('an attempt with an address without an account is recorded without the address', async () => {
    const email = `${newId()}@example.com`
    const before = (await failures('-')).length
    await login(email, 'wrong', '192.0.2.10')
    expect((await failures('-')).slice(before)).toMatchObject([{ failure: 'wrong_password', ip: '192.0.2.10' }])
    expect(JSON.stringify([logged, await harness.audits()])).not.toContain(email)
  })

  test('a lock-out is recorded once, however many attempts it refuses', async () => {
    const person = await harness.person()
    for (let tries = 0; tries < loginLimits.perEmailAndIp + 6; tries++) await login(person.email, 'wrong', '192.0.2.11')
    const reasons = (await failures(person.userId)).map(({ failure }) => failure)
    expect(reasons.filter((failure) => failure === 'too_many_tries')).toHaveLength(1)
    expect(reasons.filter((failure) => failure === 'wrong_password')).toHaveLength(loginLimits.perEmailAndIp + 1)
  })
})

test("a platform admin's reads of another organization leave one record per hour there, and reads by members leave none", async () => {
  const staff = await harness.person({}, { platformAdmin: true })
  const body = { title: 'Acme Inc', industry: 'gaming', workspace_title: 'Main' } as const
  const owner = await harness.person()
  const made = await owner.ok(methods.organizations.create, {}, { body })
  const own = await staff.ok(methods.organizations.create, {}, { body })
  const [organization, workspace] = [made.organization.name, made.workspace.name]
  const reads = [
    `/${workspace}/profiles`,
    `/${workspace}/events`,
    `/${workspace}/writekeys`,
    `/${workspace}/profileKeys`,
    `/${workspace}/syncTokens`,
    `/${organization}/apiKeys`,
    `/${organization}/memberships`,
    `/${organization}/invitations`,
  ]
  for (const path of reads)
    for (const caller of [staff, staff, owner]) expect((await caller.call('GET', path)).status).toBe(200)
  await staff.call('GET', `/${own.workspace.name}/profiles`)
  await staff.call('GET', `/${workspace}/sources`)
  const records = (await harness.audits()).filter(({ action }) => /\.list/.test(action))
  expect(records.map(({ resource, actor_id, on_behalf }) => [`/${resource}`, actor_id, on_behalf])).toEqual(
    reads.map((path) => [path, staff.userId, true]),
  )
  const { body: listed } = await owner.call('GET', `/${organization}/auditRecords?by=staff`)
  expect(listed.audit_records).toHaveLength(reads.length)
  harness.advance(61 * 60_000)
  await staff.call('GET', `/${workspace}/profiles`)
  expect((await harness.audits()).filter(({ action }) => action === 'profiles.list')).toHaveLength(2)
})
