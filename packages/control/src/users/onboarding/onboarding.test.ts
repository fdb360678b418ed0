import { loginResponse, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  type Organization,
  publicUrl,
  startControl,
  startOrganization,
  testPassword,
} from '../../testing/control-harness.ts'
import { completeBody, onboardBody } from '../../testing/sign-ins.ts'
import { onboardingLifeMs } from './onboarding-link.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const onboard = (given: object = {}) =>
  organization.platformAdmin.ok(methods.users.onboard, {}, { body: onboardBody(given) })
type Onboarding = Awaited<ReturnType<typeof onboard>>

const start = ({ user }: Pick<Onboarding, 'user'>, token: string) =>
  harness.call('', 'GET', `/${user.name}:startOnboarding?onboarding_token=${token}`)
const complete = ({ user, onboarding_token }: Pick<Onboarding, 'user' | 'onboarding_token'>, given: object = {}) =>
  harness.call('', 'POST', `/${user.name}:completeOnboarding`, completeBody(onboarding_token, given))
const login = (email: string, password: string) => harness.call('', 'POST', '/users:login', { email, password })

const gone = {
  status: 404,
  body: { reason: 'NOT_FOUND', message: 'The requested onboarding was revoked or expired' },
}

describe('an onboarding link', () => {
  test('API-29, ONB-18, STF-11: an onboarding link is created with user, organization, and workspace, and returns a token and invoice', async () => {
    const made = await onboard()
    expect(Object.keys(made).toSorted()).toEqual([
      'invoice_url',
      'onboarding_token',
      'organization',
      'user',
      'workspace',
    ])
    expect(made).toMatchObject({
      user: { first_name: 'Ada', last_name: 'Lovelace', is_admin: false },
      organization: { title: 'Acme Inc', display_name: 'Acme Inc', auto_join_domain: '' },
      workspace: { organization: { name: made.organization.name } },
      onboarding_token: expect.stringMatching(/^[\w-]{43}$/),
      invoice_url: expect.stringMatching(/^https:\/\/cdp\.example\.com\/invoices\/[\w-]{32}$/),
    })
    // It opens without a session.
    const opened = await harness.call('', 'GET', made.invoice_url.replace(publicUrl, ''))
    expect(opened).toMatchObject({ status: 200, body: { status: 'open', total: '10.50', organization: 'Acme Inc' } })
    expect(
      await harness.db.selectFrom('memberships').selectAll().where('user_id', '=', made.user.id).execute(),
    ).toMatchObject([{ organization_id: idIn(made.organization.name), role: 'ORG_ADMIN' }])
    const row = await harness.db
      .selectFrom('onboardings')
      .selectAll()
      .where('user_id', '=', made.user.id)
      .executeTakeFirstOrThrow()
    expect([row.setup_amount, row.yearly_amount]).toEqual(['10.50', '1200.00'])
    expect(JSON.stringify(row)).not.toContain(made.onboarding_token)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'users.onboard',
      actor_id: organization.platformAdmin.userId,
      organization_id: idIn(made.organization.name),
      detail: expect.not.objectContaining({ onboarding_token: expect.anything() }),
    })
  })

  test('an onboarding link is mailed to its user', async () => {
    const made = await onboard()
    const [mail] = await harness.mailsTo(made.user.email)
    expect(mail?.body_text).toContain(
      `${publicUrl}/${made.user.name}/onboarding/complete?token=${made.onboarding_token}`,
    )
  })

  test('an onboarding link is refused for an address with a password, and made for one that was only onboarded', async () => {
    const { administrator } = organization
    const refused = await organization.platformAdmin.call(
      'POST',
      '/users:onboard',
      onboardBody({ email: administrator.email.toUpperCase() }),
    )
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: 'ALREADY_EXISTS', metadata: { email: expect.any(String) } },
    })
    const first = await onboard()
    const again = await onboard({ email: first.user.email.toUpperCase(), organization_title: 'Second Inc' })
    expect(again.user).toEqual(first.user)
    expect(again.organization.name).not.toBe(first.organization.name)
  })

  test('an onboarding link is refused for an account with a passwordless login, because its holder would get the account', async () => {
    const email = `${newId()}@acme.example`
    const body = { email, otp_token: await harness.codeFor(email, 'sign up') }
    expect((await harness.call('', 'POST', '/users:signup', body)).status).toBe(200)
    expect(await organization.platformAdmin.call('POST', '/users:onboard', onboardBody({ email }))).toMatchObject({
      status: 409,
      body: { reason: 'ALREADY_EXISTS', metadata: { email: expect.any(String) } },
    })
  })

  test('an onboarding link no longer works once its user has set a password in another way', async () => {
    const made = await onboard()
    const { body } = await harness.call('', 'POST', '/users:loginOtp', {
      email: made.user.email,
      otp_token: await harness.codeFor(made.user.email, 'login'),
    })
    const given = { name: made.user.name, otp_token: body.set_password_otp_token, password: testPassword }
    const set = await harness.call(String(body.access_token), 'POST', `/${made.user.name}:setPassword`, given)
    expect(set.status).toBe(200)
    expect(await start(made, made.onboarding_token)).toMatchObject(gone)
    expect(await complete(made)).toMatchObject(gone)
    expect((await login(made.user.email, testPassword)).status).toBe(200)
  })

  test('a refused onboarding link leaves no organization', async () => {
    const body = onboardBody({ email: organization.administrator.email, organization_title: 'Never Inc' })
    expect((await organization.platformAdmin.call('POST', '/users:onboard', body)).status).toBe(409)
    expect(
      await harness.db.selectFrom('organizations').select('id').where('title', '=', 'Never Inc').execute(),
    ).toEqual([])
  })

  test.each([
    [{ email: 'x' }, { email: 'Invalid email' }],
    [{ first_name: '' }, { first_name: 'First Name is required' }],
    [{ last_name: 'x'.repeat(16) }, { last_name: 'Last Name is too long' }],
    [{ organization_title: 'abc' }, { organization_title: 'Please provide a name that is 4 characters or more' }],
    [{ setup_amount: '1.234' }, { setup_amount: 'Must be a valid number with up to two decimals' }],
    [{ yearly_amount: '-1' }, { yearly_amount: 'Must be a valid number with up to two decimals' }],
    [{ setup_amount: '1000000' }, { setup_amount: 'At most 999,999.99' }],
    [{ yearly_amount: '9'.repeat(13) }, { yearly_amount: expect.any(String) }],
  ])('an onboarding link is refused for %j', async (given, metadata) => {
    expect(await organization.platformAdmin.call('POST', '/users:onboard', onboardBody(given))).toMatchObject({
      status: 400,
      body: { metadata },
    })
  })

  test('API-30: an onboarding link shows user and organization only to its holder', async () => {
    const [made, other] = [await onboard(), await onboard()]
    const reply = await start(made, made.onboarding_token)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ user: made.user, organization: made.organization })
    for (const token of ['', 'x', other.onboarding_token, `${made.onboarding_token}x`])
      expect(await start(made, token)).toMatchObject(gone)
    expect(await start({ user: { ...made.user, name: `users/${newId()}` } }, made.onboarding_token)).toMatchObject(gone)
    expect(await start({ user: { ...made.user, name: 'users/x' } }, made.onboarding_token)).toMatchObject(gone)
  })

  test('an onboarding link works for fourteen days, and not after it is revoked', async () => {
    const [made, revoked] = [await onboard(), await onboard()]
    await harness.db
      .updateTable('onboardings')
      .set({ revoke_time: new Date(harness.now()) })
      .where('user_id', '=', revoked.user.id)
      .execute()
    expect(await start(revoked, revoked.onboarding_token)).toMatchObject(gone)
    expect(await complete(revoked)).toMatchObject(gone)
    harness.advance(onboardingLifeMs - 60_000)
    expect((await start(made, made.onboarding_token)).status).toBe(200)
    harness.advance(60_000)
    expect(await start(made, made.onboarding_token)).toMatchObject(gone)
    expect(await complete(made)).toMatchObject(gone)
    organization = await startOrganization(harness)
  })
})

describe('completing an onboarding', () => {
  test('API-31: completing an onboarding sets names and password, logs in, and invalidates the link', async () => {
    const made = await onboard()
    const reply = await complete(made)
    expect(reply.status).toBe(200)
    expect(loginResponse.parse(reply.body)).toMatchObject({
      access_token: expect.stringMatching(/^trb_/),
      user: { name: made.user.name, email: made.user.email, first_name: 'Grace', last_name: 'Hopper' },
      organization: { name: made.organization.name, auto_join_domain: '' },
    })
    const workspaces = await harness.call(String(reply.body.access_token), 'GET', '/workspaces')
    expect(workspaces.body.workspaces).toMatchObject([{ name: made.workspace.name }])
    expect((await login(made.user.email, 'Correct-horse-2')).status).toBe(200)
    expect(await start(made, made.onboarding_token)).toMatchObject(gone)
    expect(await complete(made, { password: testPassword })).toMatchObject(gone)
    expect((await login(made.user.email, testPassword)).status).toBe(401)
  })

  test('if two callers complete an onboarding at once, one logs in, and the other learns that the link is used', async () => {
    const made = await onboard()
    const replies = await Promise.all(
      ['Correct-horse-3', 'Correct-horse-4'].map((password) => complete(made, { password })),
    )
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404])
    const logins = await Promise.all(
      ['Correct-horse-3', 'Correct-horse-4'].map((password) => login(made.user.email, password)),
    )
    expect(logins.map((reply) => reply.status)).toEqual(replies.map((reply) => (reply.status === 200 ? 200 : 401)))
  })

  test("completing an onboarding ends the user's earlier sessions and other links", async () => {
    const first = await onboard()
    const second = await onboard({ email: first.user.email })
    const token = await harness.call('', 'POST', '/users:loginOtp', {
      email: first.user.email,
      otp_token: await harness.codeFor(first.user.email, 'login'),
    })
    const asked = () => harness.call(String(token.body.access_token), 'GET', '/workspaces')
    expect((await asked()).status).toBe(200)
    const before = harness.accessChanges.length
    expect((await complete(second)).status).toBe(200)
    expect((await asked()).status).toBe(401)
    expect(harness.accessChanges.slice(before)).toEqual([first.user.id])
    expect(await complete(first, { password: testPassword })).toMatchObject(gone)
  })

  test("completing an onboarding opens the organization to the administrator's email domain if requested, never to a public one", async () => {
    const domainOf = async (made: Onboarding, organization_auto_join: boolean) => {
      const reply = await complete(made, { organization_auto_join })
      return loginResponse.parse(reply.body).organization?.auto_join_domain
    }
    expect(await domainOf(await onboard({ email: `${newId()}@Acme.Example` }), true)).toBe('acme.example')
    expect(await domainOf(await onboard(), false)).toBe('')
    expect(await domainOf(await onboard({ email: `a${newId()}@gmail.com` }), true)).toBe('')
  })

  test.each([
    [{ first_name: '' }, 'first_name'],
    [{ last_name: 'x'.repeat(16) }, 'last_name'],
    [{ password: 'Short-1' }, 'password'],
    [{ organization_auto_join: 'yes' }, 'organization_auto_join'],
    [{ onboarding_token: '' }, 'onboarding_token'],
  ])('completing an onboarding is refused with %j, and the link stays valid', async (given, field) => {
    const made = await onboard()
    expect(await complete(made, given)).toMatchObject({
      status: 400,
      body: { metadata: { [field]: expect.any(String) } },
    })
    expect((await start(made, made.onboarding_token)).status).toBe(200)
  })
})

test('ROLE-18: guests cannot create sources, and only platform admins create onboarding links', async () => {
  const { guest, collaborator, administrator, outsider, workspaceId } = organization
  const source = { title: 'Shop', app: { name: 'catalogSources/http' } }
  expect(await guest.call('POST', `/workspaces/${workspaceId}/sources`, source)).toMatchObject({
    status: 403,
    body: { reason: 'FORBIDDEN' },
  })
  for (const caller of [guest, collaborator, administrator, outsider])
    expect(await caller.call('POST', '/users:onboard', onboardBody())).toMatchObject({
      status: 403,
      body: { reason: 'FORBIDDEN' },
    })
})
