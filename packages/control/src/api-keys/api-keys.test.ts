import { keyAreaNames, maxApiKeys, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApiKey } from '../testing/api-keys.ts'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

const hourMs = 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const sources = (key: string, { workspaceId }: Pick<Organization, 'workspaceId'> = organization) =>
  harness.call(key, 'GET', `/workspaces/${workspaceId}/sources`)

const refusal = async (key: string) => {
  const { status, body } = await sources(key)
  return [status, body.reason]
}

const list = async () =>
  (
    await organization.administrator.ok(
      methods.apiKeys.list,
      { organization: organization.organizationId },
      { query: { page_size: 1000 } },
    )
  ).api_keys

const at = (id: string) => ({ organization: organization.organizationId, api_key: id })

test('a key is shown once, is kept as a hash, and its use is seen', async () => {
  const { id, key } = await makeApiKey(organization, { title: 'Terraform' })
  const listed = async () => (await list()).find(({ name }) => name.endsWith(id))
  expect(await listed()).toMatchObject({
    title: 'Terraform',
    role: 'ORG_ADMIN',
    areas: keyAreaNames,
    workspace: null,
    hint: key.slice(-4),
    creator: organization.administrator.email,
    last_used_time: null,
  })
  expect((await sources(key)).status).toBe(200)
  expect((await listed())?.last_used_time).not.toBeNull()
  expect(JSON.stringify(await list())).not.toContain(key)
  expect(JSON.stringify(await harness.audits())).not.toContain(key)
  const { rows } = await harness.database.pool.query<{ text: string }>('select t::text as text from api_keys t')
  expect(rows.some(({ text }) => text.includes(key))).toBe(false)
})

test('a key after its revocation is refused at once, and says so', async () => {
  const { id, key } = await makeApiKey(organization)
  expect((await sources(key)).status).toBe(200)
  await organization.administrator.ok(methods.apiKeys.delete, at(id))
  expect(await refusal(key)).toEqual([401, 'KEY_REVOKED'])
  expect((await organization.administrator.call('DELETE', `/${(await list())[0]?.name ?? ''}x`)).status).toBe(404)
})

test('a key after its end is refused, says so, and cannot be rotated', async () => {
  const end = new Date(harness.now() + 48 * hourMs).toISOString()
  const { id, key } = await makeApiKey(organization, { expire_time: end })
  expect((await sources(key)).status).toBe(200)
  harness.advance(49 * hourMs)
  organization.administrator = await harness.person({ [organization.organizationId]: 'ORG_ADMIN' })
  expect(await refusal(key)).toEqual([401, 'KEY_EXPIRED'])
  const path = `/organizations/${organization.organizationId}/apiKeys/${id}`
  expect((await organization.administrator.call('POST', `${path}:rotate`, {})).body.reason).toBe('KEY_EXPIRED')
})

test('the secret before a rotation goes on for the overlap, and no longer; that before it ends at once', async () => {
  const { administrator } = organization
  const first = await makeApiKey(organization)
  const second = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 2 } })
  expect([(await sources(first.key)).status, (await sources(second.key)).status]).toEqual([200, 200])
  const third = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 2 } })
  expect(await refusal(first.key)).toEqual([401, 'INVALID_KEY'])
  expect((await sources(second.key)).status).toBe(200)
  harness.advance(3 * hourMs)
  expect(await refusal(second.key)).toEqual([401, 'KEY_REVOKED'])
  expect((await sources(third.key)).status).toBe(200)
  const last = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 0 } })
  expect(last.previous_expire_time).toBeNull()
  expect(await refusal(third.key)).toEqual([401, 'INVALID_KEY'])
})

test('a key of one workspace reaches no other one, and not the organization', async () => {
  const { administrator, workspace, workspaceId, organizationId } = organization
  const body = { title: 'Staging', organization: organization.organization }
  const other = await administrator.ok(methods.workspaces.create, {}, { body })
  const { key } = await makeApiKey(organization, { workspace })
  expect((await sources(key)).status).toBe(200)
  expect((await harness.call(key, 'GET', `/${other.name}/sources`)).status).toBe(404)
  const { status, body: refused } = await harness.call(key, 'GET', `/organizations/${organizationId}`)
  expect([status, refused.reason]).toEqual([403, 'KEY_WORKSPACE'])
  const { body: listed } = await harness.call(key, 'GET', '/workspaces')
  expect(listed.workspaces).toMatchObject([{ name: `workspaces/${workspaceId}` }])
})

test('a key from another organization sees nothing of this one', async () => {
  const { otherOrganizationId, otherWorkspaceId } = organization
  const administrator = await harness.person({ [otherOrganizationId]: 'ORG_ADMIN' })
  const { key } = await makeApiKey({ administrator, organizationId: otherOrganizationId })
  expect((await sources(key)).status).toBe(404)
  expect((await sources(key, { workspaceId: otherWorkspaceId })).status).toBe(200)
})

test('a key beyond its scope is told what it lacks: area, role, or being a person', async () => {
  const { workspaceId, administrator } = organization
  const { key } = await makeApiKey(organization, { role: 'ORG_GUEST', areas: ['events'] })
  expect(await refusal(key)).toEqual([403, 'KEY_AREA'])
  const guest = await makeApiKey(organization, { role: 'ORG_GUEST' })
  const body = { title: 'S', app: { name: 'catalogSources/http' } }
  const made = await harness.call(guest.key, 'POST', `/workspaces/${workspaceId}/sources`, body)
  expect([made.status, made.body.reason]).toEqual([403, 'FORBIDDEN'])
  const user = await harness.call(guest.key, 'GET', `/users/${administrator.userId}`)
  expect([user.status, user.body.reason]).toEqual([403, 'NOT_FOR_KEYS'])
})

test('a key in an address is refused, also beside one in the header', async () => {
  const { key } = await makeApiKey(organization)
  for (const name of ['key', 'access_token', 'api_key'])
    for (const token of ['', key]) {
      const path = `/workspaces/${organization.workspaceId}/sources?${name}=${key}`
      const { status, body } = await harness.call(token, 'GET', path)
      expect([status, body.reason]).toEqual([400, 'KEY_IN_ADDRESS'])
      expect(JSON.stringify(body)).not.toContain(key)
    }
})

test('what is no key is refused without a look', async () => {
  for (const token of ['api_', `api_${'x'.repeat(32)}`, `api_${'x'.repeat(900)}`])
    expect(await refusal(token)).toEqual([401, 'INVALID_KEY'])
})

test('a key is not made without areas, with an end in the past, or for a workspace of others', async () => {
  const path = `/organizations/${organization.organizationId}/apiKeys`
  const bad = async (given: object) => {
    const body = { title: 'K', role: 0, areas: ['events'], ...given }
    const reply = await organization.administrator.call('POST', path, body)
    return [reply.status, Object.keys(reply.body.metadata ?? {})[0]]
  }
  expect(await bad({ areas: [] })).toEqual([400, 'areas'])
  expect(await bad({ areas: ['everything'] })).toEqual([400, 'areas.0'])
  expect(await bad({ role: 'OWNER' })).toEqual([400, 'role'])
  expect(await bad({ expire_time: '2020-01-01T00:00:00Z' })).toEqual([400, 'expire_time'])
  expect(await bad({ workspace: `workspaces/${organization.otherWorkspaceId}` })).toEqual([400, 'workspace'])
  expect(await bad({ workspace: `workspaces/${newId()}` })).toEqual([400, 'workspace'])
})

test('an organization has so many keys at most, however many are made at once', async () => {
  const { administrator, organizationId } = organization
  const room = maxApiKeys - (await list()).length
  const path = `/organizations/${organizationId}/apiKeys`
  const body = { title: 'K', role: 2, areas: ['events'] }
  const replies = await Promise.all(Array.from({ length: room + 3 }, () => administrator.call('POST', path, body)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(room)
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
})
