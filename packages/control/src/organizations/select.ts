import type { Db } from '@tributary/api-kit'
import type { OrganizationsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** An organisation with the plan that it subscribes to; null is the free one. */
export type OrganizationRow = Selectable<OrganizationsTable> & { plan: string | null }

/** Organisations that are not deleted, with their plans. Columns are named with their table. */
export const selectOrganizations = (db: Db) =>
  db
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .selectAll('organizations')
    .select('subscriptions.plan')
    .where('organizations.delete_time', 'is', null)
