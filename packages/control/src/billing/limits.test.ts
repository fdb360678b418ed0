import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { defaultPlans } from '../../../billing/src/catalogue.ts'
import {
  type Harness,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { mailedToken } from '../testing/people-requests.ts'
import { trialAudience, trialSync } from '../testing/requests.ts'

const billing = {
  plans: defaultPlans,
  payment: 'sandbox',
  limits: true,
  unpaidDays: 14,
  graceHours: 72,
  eventsDays: 0,
  freeOrganizations: 3,
} as const
let harness: Harness
/** An organization on the free plan, which allows five members, with four members. */
let organization: Organization
beforeAll(async () => {
  harness = await startControl({ billing })
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  organization = await startOrganization(harness)
})

const subscribe = (plan: string) =>
  harness.db
    .insertInto('subscriptions')
    .values({
      organization_id: organization.organizationId,
      provider: 'sandbox',
      subscription: newId(),
      plan,
      recurring_interval: 'MONTHLY',
      status: 'active',
      amount: 12_000,
      currency: 'USD',
      period_start_time: new Date(harness.now()),
      period_end_time: new Date(harness.now() + 86_400_000),
      next_plan: null,
      next_interval: null,
    })
    .execute()
const unsubscribe = () =>
  harness.db.deleteFrom('subscriptions').where('organization_id', '=', organization.organizationId).execute()
const newAddress = (): string => `${newId()}@example.com`
const invite = (...emails: string[]) =>
  organization.administrator.call('POST', `/${organization.organization}/invitations:batchCreate`, { emails, role: 1 })
const accept = async (email: string, id: string) => {
  const invited = await harness.person()
  await harness.db.updateTable('users').set({ email }).where('id', '=', invited.userId).execute()
  return await invited.call('POST', `/invitations/${id}:accept`, { token: await mailedToken(harness, email) })
}
const firstId = ({ body }: { body: Record<string, unknown> }): string =>
  String((body.invitations as { name: string }[])[0]?.name.split('/').at(-1))
const refused = { status: 402, body: { reason: 'UPGRADE_REQUIRED', message: 'upgrade required' } }
/** The answer for members who cannot upgrade the plan. */
const noPlace = {
  status: 402,
  body: { reason: 'UPGRADE_REQUIRED', message: expect.stringContaining('administrators') },
}

const source = { title: 'S', app: { name: 'catalogSources/http' } }
const destination = { title: 'Dest', app: { name: 'catalogDestinations/webhook' } }
const audience = { title: 'Reachable', query: trialAudience }

test.each([
  ['sources', 2, 0],
  ['destinations', 2, 0],
  ['audiences', 1, 0],
  ['syncs', 2, 0],
  ['workspaces', 2, 1],
] as const)(
  'ERR-24, OPEN-13, OPEN-56: %s beyond %i are refused with "upgrade required", also concurrently, until there is room',
  async (area, most, there) => {
    const { administrator, workspace, workspaceId } = organization
    const sync = async () =>
      await trialSync(harness, organization, (await makeResources(workspaceId, administrator)).destination.name)
    const body = {
      sources: source,
      destinations: destination,
      audiences: audience,
      syncs: area === 'syncs' ? await sync() : {},
      workspaces: { title: 'Staging', organization: organization.organization },
    }[area]
    const path = area === 'workspaces' ? '/workspaces' : `/${workspace}/${area}`
    const post = (more = {}) => administrator.call('POST', path, { ...body, ...more })
    const request_id = newId()
    const first = await post({ request_id })
    const statuses = (await Promise.all([post(), post(), post(), post()])).map(({ status }) => status).toSorted()
    const left = most - there - 1
    expect([first.status, ...statuses]).toEqual([
      ...Array<number>(1 + left).fill(first.status),
      ...Array<number>(4 - left).fill(402),
    ])
    expect(await post()).toMatchObject(refused)
    // A repeated request gets the earlier answer, and creates nothing.
    expect(await post({ request_id })).toMatchObject({ status: first.status, body: { name: first.body.name } })
    await subscribe('plans/team')
    const made = await post()
    expect(made.status).toBe(200)
    // Being over a smaller plan's limits disables nothing.
    await unsubscribe()
    const name = String(made.body.name)
    expect((await administrator.call('GET', `/${name}`)).status).toBe(200)
    expect((await administrator.call('PATCH', `/${name}?update_mask=title`, { title: 'Renamed' })).status).toBe(200)
    expect(await post()).toMatchObject(refused)
  },
)

test("an invitation takes a member's seat: an invitation beyond the limit is refused, and no email is sent", async () => {
  const [one, other] = [newAddress(), newAddress()]
  expect(await invite(one, other)).toMatchObject(refused)
  expect([await harness.mailsTo(one), await harness.mailsTo(other)]).toEqual([[], []])
  const sent = await Promise.all([invite(one), invite(other), invite(newAddress())])
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 402, 402])
})

test('an invited user keeps a seat after a downgrade to a smaller plan, also if the invitation is sent again', async () => {
  await subscribe('plans/team')
  const [first, second] = [newAddress(), newAddress()]
  const sent = await invite(first, second)
  await unsubscribe()
  expect(await invite(newAddress())).toMatchObject(refused)
  expect((await invite(second)).status).toBe(200)
  expect((await accept(first, firstId(sent))).status).toBe(200)
  const { administrator, organizationId } = organization
  const usage = await administrator.ok(methods.organizations.getUsage, { organization: organizationId })
  expect(usage).toMatchObject({ members: 6, syncs: 0, workspaces: 1, limits: { members: 5, syncs: 2, workspaces: 2 } })
})

test('an expired invitation has no seat, and takes one again when it is sent again', async () => {
  const email = newAddress()
  const id = firstId(await invite(email))
  await harness.db
    .updateTable('invitations')
    .set({ expire_time: new Date(0) })
    .where('id', '=', id)
    .execute()
  expect((await invite(newAddress())).status).toBe(200)
  const resend = () =>
    organization.administrator.call('POST', `/${organization.organization}/invitations/${id}:resend`, {})
  await harness.db
    .updateTable('invitations')
    .set({ send_time: new Date(0) })
    .where('id', '=', id)
    .execute()
  expect(await resend()).toMatchObject(refused)
  await subscribe('plans/team')
  expect((await resend()).status).toBe(200)
})

test("a user beyond the plan's members cannot join by link or domain, and learns who can help", async () => {
  const { administrator, organizationId } = organization
  const link = await administrator.ok(
    methods.invitationLinks.create,
    { organization: organizationId },
    { body: { role: 'ORG_GUEST' } },
  )
  const domain = `${newId()}.example`
  await harness.db
    .updateTable('organizations')
    .set({ auto_join_domain: domain })
    .where('id', '=', organizationId)
    .execute()
  const byLink = async () => {
    const person = await harness.person()
    return await person.call('POST', `/${link.name}:accept`, { user: `users/${person.userId}` })
  }
  const byDomain = async () => {
    const person = await harness.person()
    const email = `${newId()}@${domain}`
    const set = { email, email_verified_at: new Date() }
    await harness.db.updateTable('users').set(set).where('id', '=', person.userId).execute()
    return await person.call('POST', `/organizations/${organizationId}:join`, { user: `users/${person.userId}` })
  }
  expect((await byLink()).status).toBe(200)
  expect(await byLink()).toMatchObject(noPlace)
  expect(await byDomain()).toMatchObject(noPlace)
  await subscribe('plans/team')
  expect((await byDomain()).status).toBe(200)
})

test('if plans have no limits, no request is refused', async () => {
  await using free = await startControl({ billing: { ...billing, payment: 'none', limits: false } })
  const { administrator, organization: name, workspace } = await startOrganization(free)
  for (let made = 0; made < 3; made += 1) {
    expect((await administrator.call('POST', `/${workspace}/sources`, source)).status).toBe(200)
    const body = { title: `Staging ${made}`, organization: name }
    expect((await administrator.call('POST', '/workspaces', body)).status).toBe(200)
  }
  const emails = Array.from({ length: 10 }, newAddress)
  expect((await administrator.call('POST', `/${name}/invitations:batchCreate`, { emails, role: 1 })).status).toBe(200)
})

test('one person can create only a limited number of free organizations, also concurrently; paid and deleted ones do not count', async () => {
  const person = await harness.person()
  const requests: Record<string, string> = {}
  const begin = (title: string, by = person) => {
    requests[title] ??= newId()
    const body = { title, industry: 'gaming', workspace_title: 'Main', request_id: requests[title] }
    return by.call('POST', '/organizations', body)
  }
  const answers = await Promise.all(
    ['One Inc', 'Two Inc', 'Three Inc', 'Four Inc', 'Five Inc'].map((each) => begin(each)),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409])
  const made = answers.flatMap(({ status, body }) =>
    status === 200 ? [body.organization as { name: string; title: string }] : [],
  )
  expect(await begin('More Inc')).toMatchObject({ status: 409, body: { reason: 'TOO_MANY_ORGANIZATIONS' } })
  // Repeating the same request creates no second organization.
  expect((await begin(made[0]?.title ?? '')).status).toBe(200)
  // Organizations that other users began do not count, and other users begin theirs.
  expect((await begin('Other Inc', await harness.person({ [organization.organizationId]: 'ORG_ADMIN' }))).status).toBe(
    200,
  )
  expect((await person.call('POST', `/${made[0]?.name}:delete`, { title: made[0]?.title })).status).toBe(200)
  expect((await begin('More Inc')).status).toBe(200)
  expect((await begin('Again Inc')).status).toBe(409)
  organization = { ...organization, organizationId: made[1]?.name.replace('organizations/', '') ?? '' }
  await subscribe('plans/team')
  expect((await begin('Again Inc')).status).toBe(200)
  for (let index = 0; index < 4; index++)
    expect((await begin(`Staff ${index}`, organization.platformAdmin)).status).toBe(200)
})
