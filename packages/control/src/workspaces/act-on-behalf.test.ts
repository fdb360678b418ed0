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

const act = (workspaceId: string) => organization.platformAdmin.call('POST', '/workspaces:actOnBehalf', { workspaceId })

test('API-39: a platform admin gets any workspace with its organization by ID or name, and this is recorded', async () => {
  const { platformAdmin, workspace, workspaceId, organizationId } = organization
  const expected = await platformAdmin.ok(methods.workspaces.get, { workspace: workspaceId })
  for (const given of [workspaceId, workspace, ` ${workspaceId} `]) {
    const reply = await act(given)
    expect(reply.body).toEqual({ workspace: expected })
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'workspaces.actOnBehalf',
      actor_id: platformAdmin.userId,
      organization_id: organizationId,
      workspace_id: workspaceId,
      resource: workspace,
    })
  }
})

test.each([newId(), 'acme-workspace', `organizations/${newId()}`, 'workspaces/acme'])(
  'acting on behalf of the unknown workspace %s gives 404',
  async (workspaceId) => {
    expect(await act(workspaceId)).toMatchObject({ status: 404, body: { message: 'workspace not found' } })
  },
)

test('a platform admin cannot act on behalf of any workspace of an organization that they belong to, in any role (STF-18, AMB-20)', async () => {
  const { workspaceId, workspace, organizationId } = organization
  for (const role of ['ORG_ADMIN', 'ORG_GUEST'] as const) {
    const own = await harness.person({ [organizationId]: role }, { platformAdmin: true })
    const before = (await harness.audits()).length
    for (const given of [workspaceId, workspace, ` ${workspaceId} `])
      expect(await own.call('POST', '/workspaces:actOnBehalf', { workspaceId: given })).toMatchObject({
        status: 400,
        body: { metadata: { workspaceId: 'You cannot act on behalf of your own organization' } },
      })
    expect((await harness.audits()).length).toBe(before)
  }
})

test('a reference with fewer than 5 characters is refused', async () => {
  expect(await act('abcd')).toMatchObject({ status: 400, body: { metadata: { workspaceId: 'At least 5 characters' } } })
})

test('other users cannot act on behalf of a workspace, not even in their own organization, and the response reveals nothing', async () => {
  const { administrator, outsider, workspaceId } = organization
  for (const caller of [administrator, outsider])
    for (const id of [workspaceId, newId()])
      expect((await caller.call('POST', '/workspaces:actOnBehalf', { workspaceId: id })).status).toBe(403)
  expect((await harness.call('', 'POST', '/workspaces:actOnBehalf', { workspaceId })).status).toBe(401)
})
