import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())
// The organization has the administrator who created it, and one person of each role.
beforeEach(async () => {
  organization = await startOrganization(harness)
})

const members = async (by: Caller) =>
  (await by.ok(methods.memberships.listByOrganization, { organization: organization.organizationId })).memberships

const nameOf = async (whom: Caller): Promise<string> =>
  (await members(organization.platformAdmin)).find(({ user }) => user === `users/${whom.userId}`)?.name ?? ''

/** Removes the first administrator, who is no caller of the test. */
const removeFounder = async (): Promise<void> => {
  const known = Object.values(organization).flatMap((each) => (typeof each === 'string' ? [] : [each.userId]))
  await harness.db
    .deleteFrom('memberships')
    .where('organization_id', '=', organization.organizationId)
    .where('user_id', 'not in', known)
    .execute()
}

describe('the members of an organization', () => {
  test('API-25: members of an organization see their own role in it, and the other members', async () => {
    const { guest, organizationId } = organization
    const { memberships } = await guest.ok(methods.memberships.list, { user: guest.userId })
    expect(memberships).toEqual([
      {
        name: await nameOf(guest),
        user: `users/${guest.userId}`,
        role: { value: 'ORG_GUEST' },
        organization: { name: `organizations/${organizationId}`, title: 'Acme Inc', display_name: 'Acme Inc' },
        create_time: expect.stringMatching(/Z$/),
      },
    ])
    const all = await members(guest)
    expect(all.map(({ role }) => role.value).toSorted()).toEqual([
      'ORG_ADMIN',
      'ORG_ADMIN',
      'ORG_COLLABORATOR',
      'ORG_GUEST',
    ])
    expect(all.find(({ user }) => user === `users/${guest.userId}`)).toMatchObject({
      profile: { email: guest.email, first_name: '', last_name: '', photo_url: '' },
    })
  })

  test('the members of an organization are listed in pages, the oldest first', async () => {
    const { guest, organizationId } = organization
    const all = await members(guest)
    const page = (page_token: string) =>
      guest.ok(
        methods.memberships.listByOrganization,
        { organization: organizationId },
        { query: { page_size: 3, page_token } },
      )
    const first = await page('')
    const second = await page(first.next_page_token)
    expect([...first.memberships, ...second.memberships]).toEqual(all)
    expect(second.next_page_token).toBe('')
  })

  test('the members of an organization are hidden from outsiders and from callers without a session', async () => {
    const path = `/${organization.organization}/memberships`
    expect((await organization.outsider.call('GET', path)).status).toBe(404)
    expect((await harness.call('', 'GET', path)).status).toBe(401)
  })
})

describe('a role', () => {
  test('a role that an administrator gives applies immediately', async () => {
    const { administrator, guest, workspace } = organization
    const create = () =>
      guest.call('POST', `/${workspace}/sources`, { title: 'S', app: { name: 'catalogSources/http' } })
    expect((await create()).status).toBe(403)
    const name = await nameOf(guest)
    const reply = await administrator.call('PATCH', `/${name}?update_mask=role`, { role: 1 })
    expect(reply).toMatchObject({
      status: 200,
      body: { name, role: { value: 'ORG_COLLABORATOR' }, profile: { email: guest.email } },
    })
    expect((await create()).status).toBe(200)
    await administrator.call('PATCH', `/${name}`, { role: 'ORG_GUEST' })
    // Their realtime connections are closed, and must be authorized again.
    expect(harness.accessChanges.at(-1)).toBe(guest.userId)
    expect((await create()).status).toBe(403)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'memberships.update',
      resource: name,
      detail: { user: guest.userId, role: 'ORG_GUEST', previous_role: 'ORG_COLLABORATOR' },
    })
  })

  test('setting the same role again succeeds without an audit record', async () => {
    const { administrator, guest } = organization
    const name = await nameOf(guest)
    const before = (await harness.audits()).length
    expect((await administrator.call('PATCH', `/${name}`, { role: 2 })).status).toBe(200)
    expect(await harness.audits()).toHaveLength(before)
  })

  test.each([[{}], [{ role: 3 }], [{ role: 'OWNER' }], [{ role: null }]])('the role %j is refused', async (body) => {
    const reply = await organization.administrator.call('PATCH', `/${await nameOf(organization.guest)}`, body)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { role: expect.any(String) } } })
  })

  test('only administrators and platform admins can change a role', async () => {
    const { collaborator, guest, outsider, platformAdmin } = organization
    const name = await nameOf(guest)
    const change = async (token: string) => (await harness.call(token, 'PATCH', `/${name}`, { role: 0 })).status
    expect(await change(collaborator.token)).toBe(403)
    expect(await change(guest.token)).toBe(403)
    expect(await change(outsider.token)).toBe(404)
    expect(await change('')).toBe(401)
    expect(await change(platformAdmin.token)).toBe(200)
  })

  test('a role in a membership of another or no organization is not found', async () => {
    const { administrator, outsider, organizationId, otherOrganizationId } = organization
    const { memberships } = await outsider.ok(methods.memberships.listByOrganization, {
      organization: otherOrganizationId,
    })
    const id = memberships[0]?.name.split('/').at(-1)
    for (const each of [id, newId(), 'x'])
      for (const verb of ['PATCH', 'DELETE'] as const)
        expect(
          (
            await administrator.call(
              verb,
              `/organizations/${organizationId}/memberships/${each}`,
              verb === 'PATCH' ? { role: 2 } : undefined,
            )
          ).status,
        ).toBe(404)
  })
})

describe('a member', () => {
  test('a removed member loses access to the organization immediately', async () => {
    const { administrator, guest, workspace, organizationId } = organization
    await harness.db
      .insertInto('notifications')
      .values({
        id: newId(),
        user_id: guest.userId,
        organization_id: organizationId,
        kind: 'delivery_failing',
        title: 'T',
      })
      .execute()
    expect((await guest.call('GET', `/${workspace}`)).status).toBe(200)
    const name = await nameOf(guest)
    expect(await administrator.call('DELETE', `/${name}`)).toMatchObject({ status: 200, body: {} })
    expect(harness.accessChanges.at(-1)).toBe(guest.userId)
    expect((await guest.call('GET', `/${workspace}`)).status).toBe(404)
    expect((await guest.ok(methods.memberships.list, { user: guest.userId })).memberships).toEqual([])
    expect(
      await harness.db.selectFrom('notifications').select('id').where('user_id', '=', guest.userId).execute(),
    ).toEqual([])
    expect((await administrator.call('DELETE', `/${name}`)).status).toBe(404)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'memberships.delete',
      detail: { user: guest.userId },
    })
  })

  test('a member may leave, but cannot remove another member', async () => {
    const { collaborator, guest, outsider, workspace } = organization
    expect((await guest.call('DELETE', `/${await nameOf(collaborator)}`)).status).toBe(403)
    expect((await outsider.call('DELETE', `/${await nameOf(collaborator)}`)).status).toBe(404)
    expect((await guest.call('DELETE', `/${await nameOf(guest)}`)).status).toBe(200)
    expect((await guest.call('GET', `/${workspace}`)).status).toBe(404)
  })
})

describe('the last administrator', () => {
  const refused = {
    status: 409,
    body: {
      reason: 'LAST_ADMINISTRATOR',
      message: 'An organization needs an administrator. Make someone else an administrator first',
    },
  }

  test('the last administrator cannot leave, be removed, or be demoted, even by a platform admin', async () => {
    await removeFounder()
    const { administrator, platformAdmin, guest } = organization
    const name = await nameOf(administrator)
    for (const by of [administrator, platformAdmin]) {
      expect(await by.call('DELETE', `/${name}`)).toMatchObject(refused)
      expect(await by.call('PATCH', `/${name}`, { role: 1 })).toMatchObject(refused)
    }
    await administrator.call('PATCH', `/${await nameOf(guest)}`, { role: 0 })
    expect((await administrator.call('DELETE', `/${name}`)).status).toBe(200)
  })

  test.each(['demote each other', 'remove each other', 'step back', 'leave'])(
    'one administrator remains when two %s at the same moment',
    async (how) => {
      await removeFounder()
      const { administrator: a, collaborator: b } = organization
      await a.call('PATCH', `/${await nameOf(b)}`, { role: 0 })
      const [nameA, nameB] = [await nameOf(a), await nameOf(b)]
      const other = how.endsWith('each other')
      const verb = how.startsWith('demote') || how === 'step back' ? 'PATCH' : 'DELETE'
      const body = verb === 'PATCH' ? { role: 2 } : undefined
      const replies = await Promise.all([
        a.call(verb, `/${other ? nameB : nameA}`, body),
        b.call(verb, `/${other ? nameA : nameB}`, body),
      ])
      const statuses = replies.map((reply) => reply.status).toSorted()
      expect(statuses[0]).toBe(200)
      // The second call is refused because its target is the last administrator, or because the first call was faster.
      expect([403, 404, 409]).toContain(statuses[1])
      const left = await harness.db
        .selectFrom('memberships')
        .select('id')
        .where('organization_id', '=', organization.organizationId)
        .where('role', '=', 'ORG_ADMIN')
        .execute()
      expect(left).toHaveLength(1)
    },
  )
})
