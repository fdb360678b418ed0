import { methods } from '@tributary/contract'
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
const get = (who: Caller) => who.ok(methods.signalDrafts.get, params())
const update = (who: Caller, entered: object) => who.ok(methods.signalDrafts.update, params(), { body: { entered } })

test('a draft of a signal belongs to one person in one workspace, and exists until it is discarded', async () => {
  const { administrator, collaborator } = organization
  expect(await get(administrator)).toMatchObject({ entered: {}, update_time: null })
  await update(administrator, { draft: { title: 'Orders' }, step: 'value' })
  await update(administrator, { draft: { title: 'Purchases' }, step: 'review' })
  await update(collaborator, { draft: { title: 'Leads' } })
  expect(await get(administrator)).toMatchObject({ entered: { draft: { title: 'Purchases' }, step: 'review' } })
  await administrator.ok(methods.signalDrafts.delete, params())
  expect(await get(administrator)).toMatchObject({ entered: {}, update_time: null })
  expect(await get(collaborator)).toMatchObject({ entered: { draft: { title: 'Leads' } } })
})

test('an API key has its own draft of a signal, which is deleted with the key', async () => {
  const { administrator, workspaceId } = organization
  await update(administrator, { mine: true })
  const { id, key } = await makeApiKey(organization)
  const path = `/workspaces/${workspaceId}/signalDraft`
  expect((await harness.call(key, 'GET', path)).body).toMatchObject({ entered: {} })
  expect((await harness.call(key, 'PATCH', `${path}?update_mask=entered`, { entered: { own: true } })).status).toBe(200)
  expect((await harness.call(key, 'GET', path)).body).toMatchObject({ entered: { own: true } })
  expect(await get(administrator)).toMatchObject({ entered: { mine: true } })
  await harness.db.deleteFrom('api_keys').where('id', '=', id).execute()
  expect(await harness.db.selectFrom('signal_drafts').select('draft').where('key_id', '=', id).execute()).toEqual([])
})

test('a draft that is too long is refused', async () => {
  const reply = await organization.administrator.call('PATCH', `/workspaces/${organization.workspaceId}/signalDraft`, {
    entered: { text: 'x'.repeat(200_000) },
  })
  expect(reply).toMatchObject({ status: 400, body: { metadata: { entered: expect.any(String) } } })
})
