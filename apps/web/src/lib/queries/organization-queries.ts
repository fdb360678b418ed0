import { type MethodQuery, methods } from '@tributary/contract'
import { organizationIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

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

/** Reads the invitations that were not accepted, including expired ones. */
export const invitationsQuery = (organization: string) =>
  rowsQuery(methods.invitations.list, { params: organizationIds(organization) }, ({ invitations }) => invitations)

/** The filters of the audit log. */
export type AuditFilters = Omit<MethodQuery<typeof methods.auditRecords.list>, 'page_size' | 'page_token'>

/** The usage of an organization. */
export const usageQuery = (organization: string) =>
  query(methods.organizations.getUsage, { params: organizationIds(organization) }, { staleTime: 0 })
