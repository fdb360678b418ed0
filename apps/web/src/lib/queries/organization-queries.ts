import { type MethodQuery, methods } from '@tributary/contract'
import { organizationIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query, rowsQuery } from './query.ts'

/** An organization by resource name. */
export const organizationQuery = (organization: string) =>
  query(methods.organizations.get, { params: organizationIds(organization) })

/** The configured capabilities of this installation. */
export const installationQuery = () => query(methods.installation.get, {})

/** The members of an organization. */
export const membersQuery = (organization: string) =>
  rowsQuery(
    methods.memberships.listByOrganization,
    { params: organizationIds(organization) },
    ({ memberships }) => memberships,
  )

/** Maximum workspaces of a search; further typing narrows them. */
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

/** The API keys of an organization that are not revoked, newest first. */
export const apiKeysQuery = (organization: string) =>
  rowsQuery(methods.apiKeys.list, { params: organizationIds(organization) }, ({ api_keys }) => api_keys, {
    // A user who returns wants the last use of a key.
    staleTime: 0,
  })

/** The filters of the audit log. */
export type AuditFilters = Omit<MethodQuery<typeof methods.auditRecords.list>, 'page_size' | 'page_token'>

/** The audit log of an organization, newest first, by pages of 50. */
export const auditRecordsQuery = (organization: string, filters: AuditFilters) =>
  pagesQuery(methods.auditRecords.list, {
    params: organizationIds(organization),
    query: { page_size: 50, ...filters },
  })

/** Organizations whose title a search fits, newest first, by pages of 50, for staff. */
export const foundOrganizationsQuery = (search: string) =>
  pagesQuery(methods.organizations.find, { query: { page_size: 50, search } })

/** The custom domain of a workspace; undefined for none. */
export const customDomainQuery = (workspace: string) =>
  query(
    methods.customDomains.list,
    { params: workspaceIds(workspace) },
    { read: ({ custom_domains }) => custom_domains[0] ?? null, staleTime: 0 },
  )

/** The usage of an organization. */
export const usageQuery = (organization: string) =>
  query(methods.organizations.getUsage, { params: organizationIds(organization) }, { staleTime: 0 })
