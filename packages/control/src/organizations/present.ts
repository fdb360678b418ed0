import { mediaPath } from '@tributary/api-kit'
import { industries, type Organization, resourceNames, type Workspace } from '@tributary/contract'
import type { WorkspacesTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import type { OrganizationRow } from './select.ts'

/** The plan of an organization without a subscription. */
const freePlan = 'plans/free'

/** An organization as the API returns it. */
export const presentOrganization = (row: OrganizationRow): Organization => ({
  name: resourceNames.organization.format({ organization: row.id }),
  title: row.title,
  display_name: row.title,
  industry: industries.find((industry) => industry === row.industry) ?? 'other',
  extra: { logo: mediaPath(row.logo) },
  auto_join_domain: row.auto_join_domain,
  subscription: {
    name: resourceNames.subscription.format({ organization: row.id }),
    extra: { plan_name: row.plan ?? freePlan },
  },
  create_time: row.create_time.toISOString(),
})

/** A workspace with its organization as the API returns it. */
export const presentWorkspace = (row: Selectable<WorkspacesTable>, organization: OrganizationRow): Workspace => ({
  name: resourceNames.workspace.format({ workspace: row.id }),
  title: row.title,
  organization: presentOrganization(organization),
  create_time: row.create_time.toISOString(),
})
