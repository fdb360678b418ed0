import type { Access } from '@tributary/contract'
import { type Actor, AppError, administrators, editors, everyRole, newId, type Role } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthorize } from './authorize.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
const organization = newId()
const workspace = newId()
const user = newId()

beforeAll(async () => {
  database = await createTestDatabase()
  const create_time = new Date()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme', create_time }).execute()
  await database.db
    .insertInto('workspaces')
    .values({ id: workspace, organization_id: organization, title: 'Main', create_time })
    .execute()
})
afterAll(() => database.close())

const actor = (given: Partial<Actor>): Actor => ({
  userId: newId(),
  email: 'ann@example.com',
  isPlatformAdmin: false,
  sessionId: newId(),
  memberships: [],
  ...given,
})
const member = (role: Role, organizationId = organization): Actor => actor({ memberships: [{ organizationId, role }] })

const callers = {
  outsider: member('ORG_ADMIN', newId()),
  guest: member('ORG_GUEST'),
  collaborator: member('ORG_COLLABORATOR'),
  administrator: member('ORG_ADMIN'),
  themselves: actor({ userId: user }),
  staff: actor({ isPlatformAdmin: true }),
}

const params = { workspace, organization, user }

/** Returns the status of the call: 200, or the status of the refusal. */
const ask = async (access: Access, caller: Actor | undefined, given: Record<string, string> = params) => {
  try {
    await createAuthorize(database)({ name: 'sources.list', access }, caller, given)
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

const inWorkspace = (roles: readonly Role[]): Access => ({ scope: 'workspace', roles })
const inOrganization = (roles: readonly Role[]): Access => ({ scope: 'organization', roles })

/** The status for each caller above, in their order. */
const table: [string, Access, number[]][] = [
  ['anybody', { scope: 'anybody' }, [200, 200, 200, 200, 200, 200]],
  ['everybody', { scope: 'everybody' }, [200, 200, 200, 200, 200, 200]],
  ['staff', { scope: 'staff' }, [403, 403, 403, 403, 403, 200]],
  ['oneself', { scope: 'oneself' }, [404, 404, 404, 404, 200, 403]],
  ['oneself or staff', { scope: 'oneselfOrStaff' }, [404, 404, 404, 404, 200, 200]],
  ['every role in a workspace', inWorkspace(everyRole), [404, 200, 200, 200, 404, 200]],
  ['editors in a workspace', inWorkspace(editors), [404, 403, 200, 200, 404, 200]],
  ['administrators in a workspace', inWorkspace(administrators), [404, 403, 403, 200, 404, 200]],
  ['every role in an organization', inOrganization(everyRole), [404, 200, 200, 200, 404, 200]],
  ['administrators in an organization', inOrganization(administrators), [404, 403, 403, 200, 404, 200]],
]

describe('the access of a call', () => {
  test.each(table)(
    "a method with the access '%s' returns the expected status to each kind of caller",
    async (_, access, statuses) => {
      const found = await Promise.all(Object.values(callers).map((caller) => ask(access, caller)))
      expect(found).toEqual(statuses)
    },
  )
})

test('a missing ID and a malformed ID give 404, also to staff', async () => {
  for (const id of [newId(), 'x', '']) {
    const given = { workspace: id, organization: id, user: id }
    expect(await ask(inWorkspace(everyRole), callers.staff, given)).toBe(404)
    expect(await ask(inOrganization(everyRole), callers.staff, given)).toBe(404)
  }
  expect(await ask({ scope: 'oneselfOrStaff' }, callers.staff, { user: 'x' })).toBe(404)
})

test('the handler receives the workspace or organization of the call', async () => {
  const authorize = createAuthorize(database)
  expect(
    await authorize({ name: 'sources.create', access: inWorkspace(editors) }, callers.collaborator, params),
  ).toEqual({
    workspace: { id: workspace, organizationId: organization, roles: editors },
  })
  expect(
    await authorize({ name: 'organizations.get', access: inOrganization(everyRole) }, callers.guest, params),
  ).toEqual({
    organization: { id: organization, roles: everyRole },
  })
})

test('a method that is not public throws an error for a call without a caller', async () => {
  for (const [, access] of table.slice(1)) await expect(ask(access, undefined)).rejects.toThrow('without its caller')
})
