import { methodList, methods } from '@tributary/contract'
import { type Caller, type Harness, idIn, type Organization } from './control-harness.ts'

/** A red pixel, as base64. */
const tinyPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** The path parameters, query, and body of a call that succeeds for each caller with permission. */
type Situation = { params: Record<string, string>; query?: Record<string, string>; body?: unknown }

type Make = (harness: Harness, organization: Organization, caller: Caller | undefined) => Promise<Situation>

const fixed =
  (body?: unknown): Make =>
  async (_, { organizationId, workspaceId, administrator }) => ({
    params: { organization: organizationId, workspace: workspaceId, user: administrator.userId },
    body,
  })

/** Adds a guest whose membership the call changes or removes. */
const aMember =
  (body?: unknown): Make =>
  async (harness, { organizationId, administrator }) => {
    const person = await harness.person({ [organizationId]: 'ORG_GUEST' })
    const { memberships } = await administrator.ok(
      methods.memberships.listByOrganization,
      { organization: organizationId },
      { query: { page_size: 1000 } },
    )
    const name = memberships.find(({ user }) => user === `users/${person.userId}`)?.name ?? ''
    return { params: { organization: organizationId, membership: idIn(name) }, body }
  }

const aLink = async (administrator: Caller, organization: string): Promise<Situation> => {
  const link = await administrator.ok(methods.invitationLinks.create, { organization }, { body: { role: 1 } })
  return { params: { organization, invitation_link: idIn(link.name) } }
}

/** Creates an organization to which the caller does not belong. Resolves to its ID and administrator. */
const anotherOrganization = async (harness: Harness): Promise<{ id: string; owner: Caller }> => {
  const owner = await harness.person()
  const made = await owner.ok(
    methods.organizations.create,
    {},
    { body: { title: 'Another Inc', industry: 'other', workspace_title: 'Main' } },
  )
  return { id: idIn(made.organization.name), owner }
}

const newAddress = (): string => `${crypto.randomUUID()}@example.com`

/** Creates an open invitation that was mailed a while ago. */
const anInvitation = async (
  harness: Harness,
  administrator: Caller,
  organization: string,
  email: string,
): Promise<Situation> => {
  const { invitations } = await administrator.ok(
    methods.invitations.batchCreate,
    { organization },
    { body: { emails: [email], role: 1 } },
  )
  const invitation = idIn(invitations[0]?.name ?? '')
  await harness.db
    .updateTable('invitations')
    .set({ send_time: new Date(harness.now() - 3_600_000) })
    .where('id', '=', invitation)
    .execute()
  return { params: { organization, invitation }, body: {} }
}

/** Returns the token in the newest link that was mailed to an address. */
export const mailedToken = async (harness: Harness, email: string): Promise<string> => {
  const mail = await harness.db
    .selectFrom('mails')
    .select('body_text')
    .where('recipient', '=', email)
    .where('kind', '=', 'invitation')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return /[?]token=([\w-]+)/.exec(mail?.body_text ?? '')?.[1] ?? ''
}

/** Creates a notification in the inbox of the administrator. */
const aNotification: Make = async (harness, { administrator }) => {
  const id = crypto.randomUUID()
  await harness.db
    .insertInto('notifications')
    .values({ id, user_id: administrator.userId, kind: 'delivery_failing', title: 'Receiver is failing' })
    .execute()
  return { params: { user: administrator.userId, notification: id }, body: {} }
}

/** Opens an organization to all addresses of this domain, and verifies the caller's address. */
export const openToDomain = async (
  harness: Harness,
  organizationId: string,
  domain: string,
  caller: Caller | undefined,
): Promise<void> => {
  await harness.db
    .updateTable('organizations')
    .set({ auto_join_domain: domain })
    .where('id', '=', organizationId)
    .execute()
  if (caller === undefined) return
  await harness.db
    .updateTable('users')
    .set({ email_verified_at: new Date(harness.now()) })
    .where('id', '=', caller.userId)
    .execute()
}

const situations: Readonly<Record<string, Make>> = {
  'memberships.listByOrganization': fixed(),
  'memberships.update': aMember({ role: 1 }),
  'memberships.delete': aMember(),
  'organizations.update': fixed({ title: 'Acme Incorporated' }),
  'organizations.uploadLogo': fixed({ content: tinyPng }),
  'organizations.removeLogo': fixed({}),
  'users.uploadPhoto': fixed({ content: tinyPng }),
  'users.removePhoto': fixed({}),
  'organizations.getUsage': fixed(),
  'organizations.listJoinable': fixed(),
  async 'organizations.join'(harness, _, caller) {
    const { id } = await anotherOrganization(harness)
    await openToDomain(harness, id, 'example.com', caller)
    return { params: { organization: id }, body: { user: `users/${caller?.userId ?? ''}` } }
  },
  'workspaces.update': fixed({ title: 'Live' }),
  'notifications.list': fixed(),
  'notifications.markRead': aNotification,
  'notifications.markAllRead': fixed({}),
  'invitations.list': fixed(),
  async 'invitations.batchCreate'(_, { organizationId }) {
    return { params: { organization: organizationId }, body: { emails: [newAddress()], role: 2 } }
  },
  async 'invitations.resend'(harness, { administrator, organizationId }) {
    return await anInvitation(harness, administrator, organizationId, newAddress())
  },
  async 'invitations.delete'(harness, { administrator, organizationId }) {
    return await anInvitation(harness, administrator, organizationId, newAddress())
  },
  async 'invitations.get'(harness, { administrator, organizationId }) {
    const email = newAddress()
    const { params } = await anInvitation(harness, administrator, organizationId, email)
    return { params, query: { token: await mailedToken(harness, email) } }
  },
  async 'invitations.accept'(harness, _, caller) {
    const { id, owner } = await anotherOrganization(harness)
    const email = caller?.email ?? newAddress()
    const { params } = await anInvitation(harness, owner, id, email)
    return { params, body: { token: await mailedToken(harness, email) } }
  },
  'invitationLinks.create': fixed({ role: 1 }),
  'invitationLinks.list': fixed(),
  'invitationLinks.delete': (_, { administrator, organizationId }) => aLink(administrator, organizationId),
  'invitationLinks.get': (_, { administrator, organizationId }) => aLink(administrator, organizationId),
  async 'invitationLinks.accept'(harness, _, caller) {
    const { id, owner } = await anotherOrganization(harness)
    return { ...(await aLink(owner, id)), body: { user: `users/${caller?.userId ?? ''}` } }
  },
}

/**
 * Makes the path and body of a call about organizations and their people, with the resources that it needs. The call
 * then succeeds for each caller with permission. Resolves to undefined for methods of other resources.
 */
export const peopleRequest = async (
  harness: Harness,
  organization: Organization,
  name: string,
  caller: Caller | undefined,
): Promise<{ path: string; body?: unknown } | undefined> => {
  const make = situations[name]
  const method = methodList.find((each) => each.name === name)
  if (make === undefined || method === undefined) return undefined
  const { params, query, body } = await make(harness, organization, caller)
  const path = method.path.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
  return { path: query === undefined ? path : `${path}?${new URLSearchParams(query)}`, body }
}
