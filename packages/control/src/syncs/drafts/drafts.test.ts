import { methods, type SyncDraft } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApiKey } from '../../testing/api-keys.ts'
import {
  type Caller,
  type Harness,
  type Organization,
  startControl,
  startOrganization,
} from '../../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const params = () => ({ workspace: organization.workspaceId })
const get = (who: Caller) => who.ok(methods.syncDrafts.get, params())
const update = (who: Caller, body: object) => who.ok(methods.syncDrafts.update, params(), { body })

const filled = {
  source: 'workspaces/a/models/b',
  audience: 'workspaces/a/audiences/b',
  catalog_destination: 'catalogDestinations/postgresql',
  destination: 'workspaces/a/destinations/b',
  target_object: 'table',
  sync_type: 'FULL_SYNC',
  settings: { fields: [{ column: 'id', target: 'id' }], guard: 20 },
  errors: { destination: 'Choose another one' },
}

test.each(Object.entries(filled))(
  'SYN-06: the %s of a draft is set and reset, and other fields stay',
  async (field, value) => {
    const { collaborator } = organization
    await collaborator.ok(methods.syncDrafts.delete, params())
    const blank = await get(collaborator)
    await update(collaborator, filled)
    const { [field as keyof SyncDraft]: reset, ...rest } = await update(collaborator, { [field]: null })
    expect(reset).toEqual(blank[field as keyof SyncDraft])
    const { [field as keyof typeof filled]: _, ...others } = filled
    expect(rest).toMatchObject(others)
    expect((await update(collaborator, { [field]: value }))[field as keyof SyncDraft]).toEqual(value)
  },
)

test('SYN-08: setting a status makes the current status the previous one', async () => {
  const { administrator } = organization
  const statusOf = async (configuration_status: string) =>
    (await update(administrator, { configuration_status })).configuration_status
  expect((await get(administrator)).configuration_status).toEqual({ previous: 'none', current: 'none' })
  expect(await statusOf('checking')).toEqual({ previous: 'none', current: 'checking' })
  expect(await statusOf('valid')).toEqual({ previous: 'checking', current: 'valid' })
  expect((await get(administrator)).configuration_status).toEqual({ previous: 'checking', current: 'valid' })
})

test('an API key has its own draft, apart from that of its creator, and both are deleted with the key', async () => {
  const { administrator, workspaceId } = organization
  await update(administrator, { target_object: 'mine' })
  const { id, key } = await makeApiKey(organization)
  const path = `/workspaces/${workspaceId}/syncDraft`
  expect((await harness.call(key, 'GET', path)).body).toMatchObject({ target_object: null })
  for (const target_object of ['first', 'its own'])
    expect((await harness.call(key, 'PATCH', `${path}?update_mask=target_object`, { target_object })).status).toBe(200)
  expect((await harness.call(key, 'GET', path)).body).toMatchObject({ target_object: 'its own' })
  expect(await get(administrator)).toMatchObject({ target_object: 'mine' })
  await harness.db.deleteFrom('api_keys').where('id', '=', id).execute()
  expect(await harness.db.selectFrom('sync_drafts').select('draft').where('key_id', '=', id).execute()).toEqual([])
  expect(await get(administrator)).toMatchObject({ target_object: 'mine' })
})

test('a draft belongs to one person in one workspace, and exists until it is discarded', async () => {
  const { administrator, collaborator } = organization
  await update(administrator, { ...filled, settings: { exact: 12345678901234567890n.toString() } })
  await update(collaborator, { target_object: 'contacts' })
  expect(await get(administrator)).toMatchObject({ target_object: 'table' })
  await administrator.ok(methods.syncDrafts.delete, params())
  expect(await get(administrator)).toMatchObject({ target_object: null, settings: {}, update_time: null })
  expect(await get(collaborator)).toMatchObject({ target_object: 'contacts' })
})

test('draft settings that are too long are refused', async () => {
  const reply = await organization.administrator.call('PATCH', `/workspaces/${organization.workspaceId}/syncDraft`, {
    settings: { text: 'x'.repeat(200_000) },
  })
  expect(reply).toMatchObject({ status: 400, body: { metadata: { settings: expect.any(String) } } })
})
