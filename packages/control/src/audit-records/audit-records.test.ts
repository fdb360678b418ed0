import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApiKey } from '../testing/api-keys.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { readAuditRetention, retentionOf } from './retention.ts'

const dayMs = 24 * 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const list = async (query: {
  actor?: string
  action?: string
  resource?: string
  by?: 'staff' | 'keys'
  start_time?: string
  end_time?: string
}) => {
  const { administrator, organizationId } = organization
  const given = { query: { ...query, page_size: 1000 } }
  return (await administrator.ok(methods.auditRecords.list, { organization: organizationId }, given)).audit_records
}
const count = async (query: Parameters<typeof list>[0]): Promise<number> => (await list(query)).length

test('a record has actor, action, time, and address, and the values before and after the change', async () => {
  const { administrator, workspaceId, workspace } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const at = { workspace: workspaceId, source: idIn(source.name) }
  await administrator.ok(methods.sources.update, at, { body: { title: 'Shop 2' } })
  expect((await list({}))[0]).toMatchObject({
    action: 'sources.update',
    resource: source.name,
    workspace: { name: workspace, title: 'Production' },
    actor: { kind: 'user', name: `users/${administrator.userId}`, email: administrator.email },
    on_behalf_of: null,
    ip: '127.0.0.1',
    user_agent: 'lightMyRequest',
    changes: [{ field: 'title', before: 'Shop', after: 'Shop 2' }],
  })
})

test('a record has the previous and the new value of a changed setting, and never of a secret', async () => {
  const { administrator, workspaceId } = organization
  const { destination } = await makeResources(workspaceId, administrator)
  const at = { workspace: workspaceId, destination: idIn(destination.name) }
  const change = (name: string, value: string | number) =>
    administrator.ok(methods.destinations.updateSetting, at, { body: { name, value } })
  await change('batch_size', 7)
  expect((await list({}))[0]?.changes).toEqual([{ field: 'batch_size', before: 10, after: 7 }])
  await change('signing_secret', 'hush hush')
  expect((await list({}))[0]).toMatchObject({ detail: { setting: 'signing_secret' }, changes: [] })
  expect(JSON.stringify(await list({}))).not.toMatch(/hush hush|very secret/)
})

test('a record has the previous and new names of a user, a write key, and the invoice recipient', async () => {
  const { administrator, workspaceId, organization: name } = organization
  const user = { user: administrator.userId }
  await administrator.ok(methods.users.update, user, { body: { first_name: 'Ada' } })
  await administrator.ok(methods.users.update, user, { body: { first_name: 'Grace', last_name: 'Hopper' } })
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'users.update',
    changes: { first_name: { before: 'Ada', after: 'Grace' }, last_name: { before: '', after: 'Hopper' } },
  })
  const { writekey } = await makeResources(workspaceId, administrator)
  const rotated = await administrator.ok(
    methods.writekeys.rotate,
    { workspace: workspaceId, writekey: idIn(writekey.name) },
    { body: {} },
  )
  expect((await list({}))[0]).toMatchObject({
    action: 'writekeys.rotate',
    changes: [{ field: 'writekey', before: writekey.name, after: rotated.name }],
  })
  await administrator.call('DELETE', `/${rotated.name}`)
  expect((await list({}))[0]).toMatchObject({ changes: [{ field: 'title', before: rotated.title, after: null }] })
  const company = { company: 'Acme', email: 'a@acme.example', line1: 'Main St 1', city: 'Bern', postal_code: '3000' }
  const put = (city: string) =>
    administrator.call('PUT', `/${name}/billingCompany`, { ...company, country: 'Switzerland', city })
  expect([(await put('Bern')).status, (await put('Basel')).status]).toEqual([200, 200])
  expect((await list({}))[0]).toMatchObject({
    action: 'billingCompanies.update',
    changes: [{ field: 'city', before: 'Bern', after: 'Basel' }],
  })
  for (const { key } of [writekey, rotated]) expect(JSON.stringify(await list({}))).not.toContain(key)
})

test("a staff action's record names the staff member and the organization; a key's record names the key", async () => {
  const { platformAdmin, workspaceId } = organization
  await platformAdmin.ok(methods.workspaces.actOnBehalf, {}, { body: { workspaceId } })
  await platformAdmin.ok(methods.workspaces.update, { workspace: workspaceId }, { body: { title: 'Staging' } })
  const byStaff = await list({ by: 'staff' })
  expect(byStaff.map(({ action }) => action)).toEqual(['workspaces.update', 'workspaces.actOnBehalf'])
  for (const { actor, on_behalf_of } of byStaff)
    expect([actor.email, on_behalf_of]).toEqual([platformAdmin.email, 'Acme Inc'])
  const { id, key } = await makeApiKey(organization, { title: 'Terraform' })
  const reply = await harness.call(key, 'PATCH', `/workspaces/${workspaceId}?update_mask=title`, { title: 'Main' })
  expect(reply.status).toBe(200)
  expect(await list({ by: 'keys' })).toMatchObject([
    {
      action: 'workspaces.update',
      actor: {
        kind: 'key',
        name: `organizations/${organization.organizationId}/apiKeys/${id}`,
        title: 'Terraform',
        email: '',
      },
      on_behalf_of: null,
      changes: [{ field: 'title', before: 'Staging', after: 'Main' }],
    },
  ])
})

test('records are found by actor, action, object, and time; pattern characters in a search are literal', async () => {
  const { administrator, workspaceId } = organization
  const all = await count({})
  expect(await count({ actor: administrator.email.slice(4, 20) })).toBeGreaterThan(0)
  expect(await count({ actor: 'terraf' })).toBe(1)
  expect(await count({ actor: '%' })).toBe(0)
  expect(await count({ action: 'workspaces.update' })).toBe(2)
  expect((await list({ action: 'sources' })).every(({ action }) => action.startsWith('sources.'))).toBe(true)
  expect(await count({ action: 'source' })).toBe(0)
  expect(await count({ resource: `workspaces/${workspaceId}/destinations` })).toBeGreaterThan(0)
  const [newest] = await list({})
  expect(await count({ end_time: newest?.time ?? '' })).toBe(all - 1)
  expect(await count({ start_time: newest?.time ?? '' })).toBe(1)
})

test('pages contain each record once, and no records of another organization', async () => {
  const { administrator, organizationId, otherOrganizationId, outsider } = organization
  const seen: string[] = []
  let token = ''
  do {
    const query = { page_size: 3, page_token: token }
    const page = await administrator.ok(methods.auditRecords.list, { organization: organizationId }, { query })
    seen.push(...page.audit_records.map(({ id }) => id))
    token = page.next_page_token
  } while (token !== '')
  expect(seen).toEqual((await list({})).map(({ id }) => id))
  const { audit_records } = await outsider.ok(methods.auditRecords.list, { organization: otherOrganizationId })
  expect(audit_records.filter(({ id }) => seen.includes(id))).toEqual([])
})

test("records are kept for the time that the organization's plan defines", async () => {
  const before = await count({})
  await harness.clearExpired()
  expect(await count({})).toBe(before)
  harness.advance(91 * dayMs)
  organization.administrator = await harness.person({ [organization.organizationId]: 'ORG_ADMIN' })
  await harness.clearExpired()
  expect(await count({})).toBe(0)
})

test('the configured retention in days by plan is valid, and other formats are refused', () => {
  const read = readAuditRetention('plans/free=30, *=forever')
  expect([retentionOf(read, 'plans/free'), retentionOf(read, 'plans/team')]).toEqual([30, null])
  for (const text of ['', 'free=30', 'plans/free=0', 'plans/free=-1', 'plans/free', '*=soon'])
    expect(() => readAuditRetention(text)).toThrow('must be like')
})
