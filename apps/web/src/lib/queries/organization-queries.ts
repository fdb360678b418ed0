import { methods } from '@tributary/contract'
import { organizationIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** An organisation by resource name. */
export const organizationQuery = (organization: string) =>
  query(methods.organizations.get, { params: organizationIds(organization) })

/** Who belongs to an organisation. */
export const membersQuery = (organization: string) =>
  rowsQuery(
    methods.memberships.listByOrganization,
    { params: organizationIds(organization) },
    ({ memberships }) => memberships,
  )

/** Workspaces that are found at once; typing on narrows them. */
const foundLimit = 20

/** Workspaces of all organizations that a search fits, for staff. */
export const foundWorkspacesQuery = (text: string) =>
  query(methods.workspaces.find, { query: { search: text, page_size: foundLimit } }, { gcTime: 60_000, wait: 300 })

/** Invitations that wait for an answer, expired ones included. */
export const invitationsQuery = (organization: string) =>
  rowsQuery(methods.invitations.list, { params: organizationIds(organization) }, ({ invitations }) => invitations)

/** The invitation links that still work. */
export const invitationLinksQuery = (organization: string) =>
  rowsQuery(
    methods.invitationLinks.list,
    { params: organizationIds(organization) },
    ({ invitation_links }) => invitation_links,
  )

/** How much an organisation has of what plans count. */
export const usageQuery = (organization: string) =>
  query(methods.organizations.getUsage, { params: organizationIds(organization) }, { staleTime: 0 })
