import { industries, type Organization, resourceNames, type Workspace } from '@tributary/contract'
import type { OrganizationsTable, WorkspacesTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { mediaPath } from '../images/media-path.ts'

/** An organisation as the wire shows it. */
export const presentOrganization = (row: Selectable<OrganizationsTable>): Organization => ({
  name: resourceNames.organization.format({ organization: row.id }),
  title: row.title,
  display_name: row.title,
  industry: industries.find((industry) => industry === row.industry) ?? 'other',
  extra: { logo: mediaPath(row.logo) },
  auto_join_domain: row.auto_join_domain,
  subscription: {
    name: resourceNames.subscription.format({ organization: row.id }),
    extra: { plan_name: 'plans/free' },
  },
  create_time: row.create_time.toISOString(),
})

/** A workspace with its organisation as the wire shows it. */
export const presentWorkspace = (
  row: Selectable<WorkspacesTable>,
  organization: Selectable<OrganizationsTable>,
): Workspace => ({
  name: resourceNames.workspace.format({ workspace: row.id }),
  title: row.title,
  organization: presentOrganization(organization),
  create_time: row.create_time.toISOString(),
})
