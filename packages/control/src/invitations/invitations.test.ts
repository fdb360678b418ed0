import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  publicUrl,
  type Reply,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { mailedToken } from '../testing/people-requests.ts'
import { invitationsPerHour, invitationsPerPersonAndHour } from './send-limit.ts'

const day = 24 * 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  organization = await startOrganization(harness)
})

const newAddress = (): string => `${newId()}@example.com`
const send = (body: unknown, by: Caller = organization.administrator) =>
  by.call('POST', `/${organization.organization}/invitations:batchCreate`, body)
const invite = async (email: string, role: 0 | 1 | 2 = 1) => {
  const { invitations } = await organization.administrator.ok(
    methods.invitations.batchCreate,
    { organization: organization.organizationId },
    { body: { emails: [email], role } },
  )
  const invitation = invitations[0]
  if (invitation === undefined) throw new Error('none')
  const token = await mailedToken(harness, email)
  return { ...invitation, id: idIn(invitation.name), token }
}
const open = async () =>
  (await organization.administrator.ok(methods.invitations.list, { organization: organization.organizationId }))
    .invitations
const accept = (by: Caller, { id, token }: { id: string; token: string }) =>
  by.call('POST', `/invitations/${id}:accept`, { token })
const look = (id: string, token: string) => harness.call('', 'GET', `/invitations/${id}?token=${token}`)
const roleOf = async (who: Caller) =>
  (await who.ok(methods.memberships.list, { user: who.userId })).memberships.find(
    (each) => each.organization.name === organization.organization,
  )?.role.value
const mailsTo = (email: string) =>
  harness.db.selectFrom('mails').selectAll().where('recipient', '=', email).orderBy('id').execute()

describe('inviting', () => {
  test('API-12, MEM-11: inviting emails with one role, or lines of invitee_email and role, returns such lines and sends mails', async () => {
    const { administrator, organizationId } = organization
    const [a, b, c] = [newAddress(), newAddress(), newAddress()]
    const first = await send({ emails: [` ${a} `, b, a.toUpperCase()], role: 2 })
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      invitations: [a, b].map((invitee_email) => ({
        name: expect.stringMatching(new RegExp(`^organizations/${organizationId}/invitations/[0-9a-f-]{36}$`)),
        invitee_email,
        role: { value: 'ORG_GUEST' },
        inviter: administrator.email,
        create_time: expect.any(String),
        send_time: expect.any(String),
        expire_time: expect.any(String),
      })),
    })
    expect(await send({ requests: [{ invitee_email: c, role: 'ORG_ADMIN' }] })).toMatchObject({
      status: 200,
      body: { invitations: [{ invitee_email: c, role: { value: 'ORG_ADMIN' } }] },
    })
    const listed = await open()
    expect(listed.map((each) => each.invitee_email).toSorted()).toEqual([a, b, c].toSorted())
    for (const { expire_time, send_time } of listed)
      expect(Date.parse(expire_time) - Date.parse(send_time)).toBe(7 * day)
    const [mail] = await mailsTo(b)
    expect(mail).toMatchObject({ kind: 'invitation', subject: expect.stringContaining('Acme Inc') })
    expect(mail?.body_text).toContain(
      `${publicUrl}/invitations/${idIn(listed.find((each) => each.invitee_email === b)?.name ?? '')}?token=`,
    )
    expect(mail?.body_text).toContain('Guest')
  })

  test('inviting stores only a hash of the link, and no audit record contains the link', async () => {
    const made = await invite(newAddress())
    expect(made.token).toMatch(/^[\w-]{43}$/)
    const row = await harness.db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow()
    expect(Buffer.from(row.token_hash)).toHaveLength(32)
    expect(JSON.stringify([row, await harness.audits()])).not.toContain(made.token)
  })

  test('inviting a member is refused at the field, and then no address in the batch is invited', async () => {
    const { guest, collaborator } = organization
    const stranger = newAddress()
    const text = `Already a member: ${guest.email}`
    expect(await send({ emails: [stranger, guest.email.toUpperCase()], role: 2 })).toMatchObject({
      status: 409,
      body: { reason: 'ALREADY_EXISTS', message: text, metadata: { emails: text } },
    })
    expect(await send({ emails: [guest.email, collaborator.email], role: 2 })).toMatchObject({
      status: 409,
      body: { metadata: { emails: expect.stringContaining('Already members: ') } },
    })
    expect(await open()).toEqual([])
    expect(await mailsTo(stranger)).toEqual([])
  })

  test('inviting an invited address again sends a new link and role, and the old link ends', async () => {
    const email = newAddress()
    const first = await invite(email, 2)
    const second = await invite(email.toUpperCase(), 0)
    const token = await mailedToken(harness, email.toUpperCase())
    expect(second.name).toBe(first.name)
    expect(await open()).toMatchObject([{ name: first.name, role: { value: 'ORG_ADMIN' } }])
    expect((await look(first.id, first.token)).status).toBe(404)
    expect((await look(first.id, token)).status).toBe(200)
  })

  test('inviting the same address twice at once makes one invitation', async () => {
    const emails = [newAddress(), newAddress()]
    const replies = await Promise.all([
      send({ emails, role: 2 }),
      send({ emails: emails.toReversed(), role: 2 }),
      send({ emails, role: 1 }),
    ])
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200])
    expect(await open()).toHaveLength(2)
  })

  test.each([
    [{ emails: ['a@b.co'] }, 'role', 'Choose a role'],
    [{ emails: ['a@b.co'], role: 7 }, 'role', expect.any(String)],
    [{ emails: [], role: 1 }, 'emails', 'Please enter at least 1 email'],
    [{ emails: ['a@b.co', 'abc'], role: 1 }, 'emails', 'One of the emails is invalid'],
    [
      { emails: Array.from({ length: 11 }, (_, n) => `a${n}@b.co`), role: 1 },
      'emails',
      "You can't invite more than 10 emails at once",
    ],
  ])('the invitation of %j is refused', async (body, field, text) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { metadata: { [field]: text } } })
  })

  test('only administrators and platform admins can invite', async () => {
    const { collaborator, guest, outsider, platformAdmin } = organization
    const body = { emails: [newAddress()], role: 2 }
    expect((await send(body, collaborator)).status).toBe(403)
    expect((await send(body, guest)).status).toBe(403)
    expect((await send(body, outsider)).status).toBe(404)
    expect((await harness.call('', 'POST', `/${organization.organization}/invitations:batchCreate`, body)).status).toBe(
      401,
    )
    expect((await send(body, platformAdmin)).status).toBe(200)
  })

  test(`inviting stops at ${invitationsPerHour} an hour, and refused invitations do not count`, async () => {
    const batch = () => send({ emails: Array.from({ length: 10 }, newAddress), role: 2 })
    await send({ emails: [organization.guest.email], role: 2 })
    for (let sent = 0; sent < invitationsPerHour; sent += 10) expect((await batch()).status).toBe(200)
    expect(await batch()).toMatchObject({
      status: 429,
      body: { reason: 'RATE_LIMITED' },
      headers: { 'retry-after': '3600' },
    })
  })

  test(`inviting stops at ${invitationsPerPersonAndHour} an hour for one person across all organizations`, async () => {
    const person = await harness.person()
    const sent = async (): Promise<Reply[]> => {
      const { organization } = await person.ok(
        methods.organizations.create,
        {},
        { body: { title: 'Acme', industry: 'other', workspace_title: 'Main' } },
      )
      const replies: Reply[] = []
      for (let count = 0; count < invitationsPerHour; count += 10)
        replies.push(
          await person.call('POST', `/${organization.name}/invitations:batchCreate`, {
            emails: Array.from({ length: 10 }, newAddress),
            role: 2,
          }),
        )
      return replies
    }
    for (let count = 0; count < invitationsPerPersonAndHour; count += invitationsPerHour)
      for (const reply of await sent()) expect(reply.status).toBe(200)
    for (const reply of await sent())
      expect(reply).toMatchObject({ status: 429, body: { message: expect.stringMatching(/^One person/) } })
  })
})

describe('an open invitation', () => {
  test('an open invitation can be mailed again with a new link, at most every 30 seconds', async () => {
    const email = newAddress()
    const made = await invite(email)
    const again = () => organization.administrator.call('POST', `/${made.name}:resend`, {})
    const soon = await again()
    expect(soon).toMatchObject({ status: 429, body: { reason: 'RATE_LIMITED' } })
    expect(Number(soon.headers['retry-after'])).toBeLessThanOrEqual(30)
    harness.advance(30_000)
    const reply = await again()
    expect(reply).toMatchObject({ status: 200, body: { name: made.name, create_time: made.create_time } })
    expect(Date.parse(String(reply.body.expire_time))).toBeGreaterThan(Date.parse(made.expire_time))
    expect(await mailsTo(email)).toHaveLength(2)
    expect((await look(made.id, made.token)).status).toBe(404)
    expect((await look(made.id, await mailedToken(harness, email))).status).toBe(200)
  })

  test('an expired invitation stays listed, and works again after it is mailed again', async () => {
    const person = await harness.person()
    const made = await invite(person.email)
    await harness.db
      .updateTable('invitations')
      .set({ send_time: new Date(harness.now() - 7 * day), expire_time: new Date(harness.now()) })
      .where('id', '=', made.id)
      .execute()
    expect(await open()).toMatchObject([{ name: made.name }])
    const gone = {
      status: 410,
      body: { reason: 'INVITATION_GONE', message: 'This invitation has expired; ask for a new one' },
    }
    expect(await look(made.id, made.token)).toMatchObject(gone)
    expect(await accept(person, made)).toMatchObject(gone)
    expect((await organization.administrator.call('POST', `/${made.name}:resend`, {})).status).toBe(200)
    expect((await accept(person, { ...made, token: await mailedToken(harness, person.email) })).status).toBe(200)
  })

  test('a revoked invitation leaves the list and frees its seat', async () => {
    const person = await harness.person()
    const made = await invite(person.email)
    expect((await organization.administrator.call('DELETE', `/${made.name}`)).status).toBe(200)
    expect((await organization.administrator.call('DELETE', `/${made.name}`)).status).toBe(404)
    expect((await organization.administrator.call('POST', `/${made.name}:resend`, {})).status).toBe(404)
    expect(await open()).toEqual([])
    const gone = { status: 410, body: { message: 'This invitation was revoked; ask for a new one' } }
    expect(await look(made.id, made.token)).toMatchObject(gone)
    expect(await accept(person, made)).toMatchObject(gone)
    expect((await accept(person, await invite(person.email))).status).toBe(200)
  })

  test('only administrators of the organization see, resend, and revoke an invitation', async () => {
    const { collaborator, guest, outsider, otherOrganizationId, organizationId } = organization
    const made = await invite(newAddress())
    for (const [who, status] of [
      [collaborator, 403],
      [guest, 403],
      [outsider, 404],
    ] as const) {
      expect((await who.call('GET', `/${organization.organization}/invitations`)).status).toBe(status)
      expect((await who.call('POST', `/${made.name}:resend`, {})).status).toBe(status)
      expect((await who.call('DELETE', `/${made.name}`)).status).toBe(status)
    }
    for (const path of [
      `/organizations/${otherOrganizationId}/invitations/${made.id}`,
      `/organizations/${organizationId}/invitations/${newId()}`,
      `/organizations/${organizationId}/invitations/x`,
    ]) {
      const by = path.includes(otherOrganizationId) ? outsider : organization.administrator
      expect((await by.call('DELETE', path)).status).toBe(404)
      expect((await by.call('POST', `${path}:resend`, {})).status).toBe(404)
    }
  })
})

describe('the holder of the link', () => {
  test('the holder of an invitation link sees the organization and role, and whether the address has an account', async () => {
    const { organizationId } = organization
    const person = await harness.person()
    const [known, unknown] = [await invite(person.email.toUpperCase(), 0), await invite(newAddress(), 2)]
    const token = await mailedToken(harness, person.email.toUpperCase())
    expect((await look(known.id, token)).body).toEqual({
      organization: { name: `organizations/${organizationId}`, display_name: 'Acme Inc', logo: '' },
      inviter: organization.administrator.email,
      role: { value: 'ORG_ADMIN' },
      invitee_email: person.email.toUpperCase(),
      has_account: true,
    })
    expect((await look(unknown.id, unknown.token)).body).toMatchObject({ has_account: false })
  })

  test('only the holder of an invitation link sees the organization and role', async () => {
    const [made, other] = [await invite(newAddress()), await invite(newAddress())]
    for (const [id, token] of [
      [made.id, ''],
      [made.id, other.token],
      [made.id, `${made.token.slice(0, -1)}${made.token.endsWith('A') ? 'B' : 'A'}`],
      [newId(), made.token],
      ['x', made.token],
    ] as const)
      expect((await look(id, token)).status).toBe(404)
  })
})

describe('accepting an invitation', () => {
  test('API-40: accepting an invitation makes the caller a member, verifies the address, notifies administrators, and returns the organization', async () => {
    const { administrator, organizationId, workspaceId } = organization
    const person = await harness.person()
    const made = await invite(person.email.toUpperCase(), 0)
    const reply = await accept(person, { ...made, token: await mailedToken(harness, person.email.toUpperCase()) })
    expect(reply).toMatchObject({
      status: 200,
      body: { organization: { name: `organizations/${organizationId}`, display_name: 'Acme Inc' } },
    })
    expect(await roleOf(person)).toBe('ORG_ADMIN')
    expect((await person.call('GET', `/workspaces/${workspaceId}`)).status).toBe(200)
    const user = await harness.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', person.userId)
      .executeTakeFirstOrThrow()
    expect(user.email_verified_at).not.toBeNull()
    const notices = await harness.db
      .selectFrom('notifications')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .execute()
    // The notice goes to the creator and the other administrator, but neither to the new member nor to lower roles.
    expect(notices).toHaveLength(2)
    expect(notices.find((each) => each.user_id === administrator.userId)).toMatchObject({
      kind: 'invitation_accepted',
      title: `${person.email} joined Acme Inc`,
      body: `${person.email} accepted the invitation and is now an Administrator.`,
      link: `/workspaces/${workspaceId}/settings/organization/members`,
    })
    expect(await open()).toEqual([])
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'invitations.accept',
      actor_id: person.userId,
      resource: made.name,
    })
  })

  test('accepting an invitation twice or concurrently gives the same response and one membership', async () => {
    const person = await harness.person()
    const made = await invite(person.email)
    const replies = await Promise.all([accept(person, made), accept(person, made), accept(person, made)])
    expect([...replies, await accept(person, made)].map((reply) => reply.status)).toEqual([200, 200, 200, 200])
    const notices = harness.published.filter(
      ({ channel }) => channel === `#server-to-user-${organization.administrator.userId}`,
    )
    expect(notices).toHaveLength(1)
    expect(await look(made.id, made.token)).toMatchObject({
      status: 410,
      body: { message: 'This invitation was already used' },
    })
  })

  test('accepting an invitation with another address is refused with a message that names both', async () => {
    const [person, other] = [await harness.person(), await harness.person()]
    const made = await invite(person.email)
    const reply = await accept(other, made)
    expect(reply).toMatchObject({
      status: 403,
      body: {
        message: `This invitation is for ${person.email}, but you are signed in as ${other.email}. Sign in with the invited email to accept it`,
      },
    })
    expect(await roleOf(other)).toBeUndefined()
    expect((await accept(person, made)).status).toBe(200)
    expect(await accept(other, made)).toMatchObject({ status: 410 })
  })

  test('accepting an invitation does not bring back a removed user', async () => {
    const person = await harness.person()
    const made = await invite(person.email)
    await accept(person, made)
    await harness.db.deleteFrom('memberships').where('user_id', '=', person.userId).execute()
    expect(await accept(person, made)).toMatchObject({ status: 410 })
    expect(await roleOf(person)).toBeUndefined()
  })

  test('accepting an invitation as a member succeeds and does not change the role, in either direction', async () => {
    const person = await harness.person()
    const made = await invite(person.email, 0)
    const link = await organization.administrator.ok(
      methods.invitationLinks.create,
      { organization: organization.organizationId },
      { body: { role: 2 } },
    )
    await person.call('POST', `/${link.name}:accept`, { user: person.userId })
    // They are members, so no part of the invitation is open any longer.
    expect(await open()).toEqual([])
    expect((await accept(person, made)).status).toBe(200)
    expect(await roleOf(person)).toBe('ORG_GUEST')
    const foreign = await invite(newAddress(), 0)
    expect((await accept(person, foreign)).status).toBe(200)
    expect(await roleOf(person)).toBe('ORG_GUEST')
    expect(await open()).toHaveLength(1)
  })

  test('accepting and revoking an invitation at once has only one of the two effects', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await harness.person()
      const made = await invite(person.email)
      const [accepted, revoked] = await Promise.all([
        accept(person, made),
        organization.administrator.call('DELETE', `/${made.name}`),
      ])
      expect([
        [200, 404],
        [410, 200],
      ]).toContainEqual([accepted.status, revoked.status])
      expect((await roleOf(person)) !== undefined).toBe(accepted.status === 200)
    }
  })

  test('accepting an invitation needs a session and a token', async () => {
    const made = await invite(newAddress())
    expect((await harness.call('', 'POST', `/invitations/${made.id}:accept`, { token: made.token })).status).toBe(401)
    expect(await organization.guest.call('POST', `/invitations/${made.id}:accept`, {})).toMatchObject({
      status: 400,
      body: { metadata: { token: 'Required' } },
    })
  })
})
