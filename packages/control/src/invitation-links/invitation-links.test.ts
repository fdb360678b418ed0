import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

const day = 24 * 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = async (role: 1 | 2 = 1) =>
  await organization.administrator.ok(
    methods.invitationLinks.create,
    { organization: organization.organizationId },
    { body: { role } },
  )

describe('an invitation link', () => {
  test('API-40: an invitation link adds each holder to the organization with its role, and notifies the administrators', async () => {
    const { administrator, organizationId, workspaceId } = organization
    const link = await make(2)
    expect(link).toMatchObject({ role: { value: 'ORG_GUEST' } })
    expect(link.name).toMatch(new RegExp(`^organizations/${organizationId}/invitationlinks/[0-9a-f-]{36}$`))
    expect(Date.parse(link.expire_time) - Date.parse(link.create_time)).toBe(7 * day)
    expect((await harness.call('', 'GET', `/${link.name}`)).body).toEqual({
      organization: { name: `organizations/${organizationId}`, display_name: 'Acme Inc', logo: '' },
      inviter: administrator.email,
      role: { value: 'ORG_GUEST' },
      invitee_email: '',
      has_account: false,
    })
    for (const user of ['name', 'id']) {
      const person = await harness.person()
      const reply = await person.call('POST', `/${link.name}:accept`, {
        user: user === 'name' ? `users/${person.userId}` : person.userId,
      })
      expect(reply).toMatchObject({
        status: 200,
        body: { organization: { name: `organizations/${organizationId}`, title: 'Acme Inc' } },
      })
      expect((await person.ok(methods.memberships.list, { user: person.userId })).memberships).toMatchObject([
        { role: { value: 'ORG_GUEST' } },
      ])
      expect((await person.call('GET', `/workspaces/${workspaceId}`)).status).toBe(200)
      const announced = harness.published.filter(({ channel }) => channel === `#server-to-user-${administrator.userId}`)
      expect(announced.at(-1)).toMatchObject({
        event: 'notification',
        data: {
          kind: 'invitation_accepted',
          title: `${person.email} joined Acme Inc`,
          body: `${person.email} joined by an invitation link and is now a Guest.`,
          link: `/workspaces/${workspaceId}/settings/organization/members`,
          read_time: null,
        },
      })
    }
  })

  test('an invitation link does not change the role of a member, in either direction', async () => {
    const { collaborator, guest, organizationId } = organization
    for (const [who, role] of [
      [collaborator, 2],
      [guest, 1],
    ] as const) {
      const link = await make(role)
      expect((await who.call('POST', `/${link.name}:accept`, { user: who.userId })).status).toBe(200)
    }
    const { memberships } = await guest.ok(methods.memberships.listByOrganization, { organization: organizationId })
    const roleOf = (userId: string) => memberships.find(({ user }) => user === `users/${userId}`)?.role.value
    expect([roleOf(collaborator.userId), roleOf(guest.userId)]).toEqual(['ORG_COLLABORATOR', 'ORG_GUEST'])
  })

  test('an invitation link that is opened twice at once makes one membership', async () => {
    const link = await make()
    const person = await harness.person()
    const replies = await Promise.all(
      [1, 2, 3].map(() => person.call('POST', `/${link.name}:accept`, { user: person.userId })),
    )
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200])
    expect((await person.ok(methods.memberships.list, { user: person.userId })).memberships).toHaveLength(1)
  })

  test('an invitation link does not admit a removed user, but admits a user who left', async () => {
    const { administrator, organization: name } = organization
    const link = await make()
    const person = await harness.person()
    const accept = () => person.call('POST', `/${link.name}:accept`, { user: person.userId })
    const end = async (by: Caller): Promise<number> => {
      const { memberships } = await person.ok(methods.memberships.list, { user: person.userId })
      return (await by.call('DELETE', `/${memberships.find((each) => each.organization.name === name)?.name}`)).status
    }
    expect([(await accept()).status, await end(person)]).toEqual([200, 200])
    expect([(await accept()).status, await end(administrator)]).toEqual([200, 200])
    expect(await accept()).toMatchObject({
      status: 403,
      body: { message: 'You were removed from this organization. Ask an administrator to invite you by email' },
    })
    expect((await person.ok(methods.memberships.list, { user: person.userId })).memberships).toEqual([])
  })

  test('an invitation link cannot have the role Administrator', async () => {
    const { administrator } = organization
    const reply = await administrator.call('POST', `/${organization.organization}/invitationlinks`, { role: 0 })
    expect(reply).toMatchObject({
      status: 400,
      body: { metadata: { role: "A link can't invite administrators. Invite them by email" } },
    })
    expect((await administrator.call('POST', `/${organization.organization}/invitationlinks`, {})).body).toMatchObject({
      code: 400,
      metadata: { role: expect.any(String) },
    })
  })

  test('a revoked or 7 days old invitation link answers 410, also to members, and is no longer listed', async () => {
    const { administrator, organizationId } = organization
    const list = async () =>
      (await administrator.ok(methods.invitationLinks.list, { organization: organizationId })).invitation_links
    const [revoked, old] = [await make(), await make()]
    expect(await list()).toEqual(expect.arrayContaining([revoked, old]))
    expect((await administrator.call('DELETE', `/${revoked.name}`)).status).toBe(200)
    expect((await administrator.call('DELETE', `/${revoked.name}`)).status).toBe(404)
    const person = await harness.person()
    const gone = (message: string) => ({ status: 410, body: { reason: 'INVITATION_GONE', message } })
    const tries = async (name: string) => [
      await harness.call('', 'GET', `/${name}`),
      await person.call('POST', `/${name}:accept`, { user: person.userId }),
    ]
    for (const reply of await tries(revoked.name))
      expect(reply).toMatchObject(gone('This invitation was revoked; ask for a new one'))
    expect((await list()).map(({ name }) => name)).toContain(old.name)
    await harness.db
      .updateTable('invitation_links')
      .set({ expire_time: new Date(harness.now()) })
      .where('id', '=', idIn(old.name))
      .execute()
    for (const reply of await tries(old.name))
      expect(reply).toMatchObject(gone('This invitation has expired; ask for a new one'))
    expect((await list()).map(({ name }) => name)).not.toContain(old.name)
    expect((await person.ok(methods.memberships.list, { user: person.userId })).memberships).toEqual([])
  })

  test('an invitation link of another or no organization is not found, and opens no other organization', async () => {
    const { otherOrganizationId, guest, outsider } = organization
    const link = await make()
    for (const path of [
      `/organizations/${otherOrganizationId}/invitationlinks/${idIn(link.name)}`,
      `/${organization.organization}/invitationlinks/${newId()}`,
      `/${organization.organization}/invitationlinks/x`,
    ]) {
      expect((await harness.call('', 'GET', path)).status).toBe(404)
      expect((await outsider.call('POST', `${path}:accept`, { user: outsider.userId })).status).toBe(404)
    }
    expect((await outsider.call('POST', `/${link.name}:accept`, { user: guest.userId })).status).toBe(403)
    expect((await harness.call('', 'POST', `/${link.name}:accept`, { user: guest.userId })).status).toBe(401)
  })

  test('only administrators create, list, and delete invitation links, and no audit record contains their addresses', async () => {
    const { guest, collaborator, outsider, organization: name } = organization
    const link = await make()
    for (const [who, status] of [
      [guest, 403],
      [collaborator, 403],
      [outsider, 404],
    ] as const) {
      expect((await who.call('POST', `/${name}/invitationlinks`, { role: 2 })).status).toBe(status)
      expect((await who.call('GET', `/${name}/invitationlinks`)).status).toBe(status)
      expect((await who.call('DELETE', `/${link.name}`)).status).toBe(status)
    }
    expect(JSON.stringify(await harness.audits())).not.toContain(idIn(link.name))
  })
})
