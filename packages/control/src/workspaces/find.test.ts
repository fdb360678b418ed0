import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

/** An organization with one workspace and one member, and without platform admins. */
const makeOrganization = async (title: string, workspaceTitle: string, person: object) => {
  const [organizationId, workspaceId, userId] = [newId(), newId(), newId()]
  const create_time = new Date(harness.now())
  await harness.db.insertInto('organizations').values({ id: organizationId, title, create_time }).execute()
  await harness.db
    .insertInto('workspaces')
    .values({ id: workspaceId, organization_id: organizationId, title: workspaceTitle, create_time })
    .execute()
  const user = { email: `${userId}@nowhere.example`, first_name: '', last_name: '', ...person }
  await harness.db
    .insertInto('users')
    .values({ id: userId, password_hash: null, create_time, ...user })
    .execute()
  await harness.db
    .insertInto('memberships')
    .values({ id: newId(), organization_id: organizationId, user_id: userId, role: 'ORG_ADMIN', create_time })
    .execute()
  return { name: `workspaces/${workspaceId}`, user }
}

const find = async (search: string, query: object = {}) =>
  await organization.platformAdmin.ok(methods.workspaces.find, {}, { query: { search, ...query } })

const names = async (search: string): Promise<string[]> =>
  (await find(search)).workspaces.map(({ workspace }) => workspace.name)

test('a workspace is found by title, organization, member name or address, mixed words of these, and ID', async () => {
  const zephyr = await makeOrganization('Zephyr Sails', 'Harbor', {
    first_name: 'Noor',
    last_name: 'Quist',
    email: 'noor@zephyr.example',
  })
  await makeOrganization('Other', 'Main', { first_name: 'Noor', last_name: 'Bell' })
  const searches = [
    'harb',
    'SAILS',
    'noor quist',
    'quist zephyr',
    'noor@zephyr.example',
    'Harbor noor',
    ' sails  quist ',
  ]
  for (const search of [...searches, zephyr.name, zephyr.name.replace('workspaces/', '')])
    expect(await names(search), search).toEqual([zephyr.name])
  expect((await names('noor')).length).toBe(2)
  expect(await names('quist bell')).toEqual([])
  expect((await find('quist zephyr')).workspaces[0]).toMatchObject({
    workspace: { title: 'Harbor', organization: { display_name: 'Zephyr Sails' } },
    people: [{ first_name: 'Noor', last_name: 'Quist', email: 'noor@zephyr.example' }],
  })
  expect((await find('sails')).workspaces[0]?.people).toEqual([])
})

test('pattern characters in a search are literal', async () => {
  const odd = await makeOrganization('50%_off\\now', 'Odd', {})
  expect(await names('50%_off\\')).toEqual([odd.name])
  for (const search of ['5%f', '50__off', "' or true --"]) expect(await names(search), search).toEqual([])
})

test('a found workspace lists at most three members, and pages continue where the last ended, newest first', async () => {
  const made = []
  for (let index = 0; index < 3; index++) made.push((await makeOrganization(`Paged ${index}`, 'Main', {})).name)
  const organizationId = (await find('Paged 0')).workspaces[0]?.workspace.organization?.name.split('/')[1] ?? ''
  for (let index = 0; index < 4; index++) await harness.person({ [organizationId]: 'ORG_GUEST' })
  const { email } = await harness.person({ [organizationId]: 'ORG_GUEST' })
  const domain = email.split('@')[1] ?? ''
  const [first] = (await find(`Paged 0 ${domain}`)).workspaces
  expect(first?.people).toHaveLength(3)

  const one = await find('paged', { page_size: 2 })
  const two = await find('paged', { page_size: 2, page_token: one.next_page_token })
  expect([...one.workspaces, ...two.workspaces].map(({ workspace }) => workspace.name)).toEqual(made.toReversed())
  expect(two.next_page_token).toBe('')
})

test('each search for workspaces is recorded with its caller', async () => {
  await find('ada')
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'workspaces.find',
    actor_id: organization.platformAdmin.userId,
    organization_id: null,
    detail: { search: 'ada' },
  })
})

test('a search with a page token of another search is refused and not recorded', async () => {
  const { next_page_token } = await find('', { page_size: 1 })
  const before = await harness.audits()
  const query = new URLSearchParams({ search: 'ada', page_token: next_page_token })
  expect((await organization.platformAdmin.call('GET', `/workspaces:find?${query}`)).status).toBe(400)
  expect(await harness.audits()).toEqual(before)
})

test('only platform admins can search for workspaces, and a too long search is refused', async () => {
  for (const caller of [organization.administrator, organization.outsider])
    expect((await caller.call('GET', '/workspaces:find?search=a')).status).toBe(403)
  const long = await organization.platformAdmin.call('GET', `/workspaces:find?search=${'a'.repeat(101)}`)
  expect(long.status).toBe(400)
})
