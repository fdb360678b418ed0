import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const find = async (search: string) =>
  (await organization.platformAdmin.ok(methods.organizations.find, {}, { query: { search } })).organizations

test('organizations are found by words of their title or by ID, with plan, usage, and health', async () => {
  const { administrator, workspaceId, workspace, organizationId } = organization
  const { destination } = await makeResources(workspaceId, administrator)
  await harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      source_id: newId(),
      destination_id: idIn(destination.name),
      log_partition: 0,
      log_offset: 0,
      event_indexes: [0, 1],
      event_ids: ['0-1-0', '0-1-1'],
      event_count: 2,
      state: 'dead',
      attempts: 1,
      first_time: new Date(harness.now()),
      next_time: new Date(harness.now()),
      last_status: 500,
      last_reason: 'no',
    })
    .execute()
  const [found, ...more] = await find('inc acme')
  expect(more).toEqual([])
  expect(found).toMatchObject({
    name: organization.organization,
    display_name: 'Acme Inc',
    plan_name: 'plans/free',
    plan_title: 'Free',
    workspace,
    // The creator, and one of each role.
    usage: { members: 4, workspaces: 1, sources: 1, destinations: 1, audiences: 0, profiles: 0 },
    health: { dead_letters: 2, refused_requests: 0, failed_syncs: 0 },
  })
  for (const id of [organizationId, organization.organization]) expect(await find(id)).toEqual([found])
  expect((await find('')).map(({ display_name }) => display_name)).toEqual(['Other Inc', 'Acme Inc'])
  expect(await find('%')).toEqual([])
})
