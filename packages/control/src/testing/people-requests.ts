import { methodList, methods } from '@tributary/contract'
import { type Caller, type Harness, idIn, type Organization } from './control-harness.ts'

/** A call that succeeds for whoever may make it: the parameters of its path, its query and body. */
type Situation = { params: Record<string, string>; query?: Record<string, string>; body?: unknown }

type Make = (harness: Harness, organization: Organization, caller: Caller | undefined) => Promise<Situation>

const fixed =
  (body?: unknown): Make =>
  async (_, { organizationId, workspaceId, administrator }) => ({
    params: { organization: organizationId, workspace: workspaceId, user: administrator.userId },
    body,
  })

/** A guest to be changed or removed. */
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

/** An organisation that the caller does not belong to, with its administrator. */
const anotherOrganization = async (harness: Harness): Promise<{ id: string; owner: Caller }> => {
  const owner = await harness.person()
  const made = await owner.ok(
    methods.organizations.create,
    {},
    { body: { title: 'Another Inc', industry: 'other', workspace_title: 'W' } },
  )
  return { id: idIn(made.organization.name), owner }
}

const situations: Readonly<Record<string, Make>> = {
  'memberships.listByOrganization': fixed(),
  'memberships.update': aMember({ role: 1 }),
  'memberships.delete': aMember(),
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
 * Path and body of a call about organisations and their people, in a situation made for it in which whoever may make the
 * call succeeds. Undefined for methods of other resources.
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
