import { maxProfileKeys, methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = (title: string, { administrator, workspaceId }: Organization = organization) =>
  administrator.ok(methods.profileKeys.create, { workspace: workspaceId }, { body: { kind: 'secret', title } })
const list = async ({ administrator, workspaceId }: Organization = organization) =>
  (await administrator.ok(methods.profileKeys.list, { workspace: workspaceId })).profile_keys

test('a key is shown once at its creation; the list, the database, and the audit log do not contain it', async () => {
  const { key, ...made } = await make('Shop')
  expect(key).toMatch(/^profile_secret_[\w-]{32}$/)
  expect(made.hint).toBe(key.slice(-4))
  expect(await list()).toEqual([made])
  const stored = await harness.db.selectFrom('profile_keys').selectAll().execute()
  const audited = await harness.db.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify([stored, audited, await list()])).not.toContain(key.slice(15))
})

test('a rotated key has a new secret and the same permissions, and the previous secret no longer works', async () => {
  const { administrator, workspaceId: workspace } = organization
  const body = { kind: 'public' as const, title: 'Web', traits: ['plan'] }
  const former = await administrator.ok(methods.profileKeys.create, { workspace }, { body })
  const params = { workspace, profile_key: idIn(former.name) }
  const made = await administrator.ok(methods.profileKeys.rotate, params, { body: {} })
  expect(made).toMatchObject(body)
  expect(made.key).not.toBe(former.key)
  const names = (await list()).map(({ name }) => name)
  expect(names).toContain(made.name)
  expect(names).not.toContain(former.name)
  for (const verb of ['update', 'rotate'] as const)
    expect(
      (
        await administrator.call(
          verb === 'update' ? 'PATCH' : 'POST',
          `/${former.name}${verb === 'update' ? '' : ':rotate'}`,
          {},
        )
      ).status,
    ).toBe(404)
})

test.each([
  [{ kind: 'public', title: 'Web', traits: [] }, 'traits'],
  [{ kind: 'secret', title: '' }, 'title'],
])('a key cannot be created from %j', async (body, field) => {
  const { administrator, workspaceId } = organization
  const reply = await administrator.call('POST', `/workspaces/${workspaceId}/profileKeys`, body)
  expect(reply.status).toBe(400)
  expect(Object.keys(reply.body.metadata as object)).toEqual([field])
})

test('a secret key always reads everything, and the permissions of a public key can be changed', async () => {
  const { administrator, workspaceId: workspace } = organization
  const secret = await make('All')
  expect((await administrator.call('PATCH', `/${secret.name}`, { traits: ['plan'] })).status).toBe(400)
  const body = { kind: 'public' as const, title: 'Web', traits: ['plan'] }
  const open = await administrator.ok(methods.profileKeys.create, { workspace }, { body })
  const params = { workspace, profile_key: idIn(open.name) }
  const changed = await administrator.ok(methods.profileKeys.update, params, { body: { traits: ['city'] } })
  expect(changed).toMatchObject({ title: 'Web', traits: ['city'] })
})

test(`a workspace can have at most ${maxProfileKeys} keys without the revoked ones`, async () => {
  const other = await startOrganization(harness)
  const keys = []
  for (let n = 0; n < maxProfileKeys; n++) keys.push(await make(`Key ${n}`, other))
  const path = `/workspaces/${other.workspaceId}/profileKeys`
  expect((await other.administrator.call('POST', path, { kind: 'secret', title: 'More' })).status).toBe(400)
  await other.administrator.call('DELETE', `/${keys[0]?.name}`)
  await make('More', other)
})
