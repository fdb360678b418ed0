import type { Db } from '@tributary/api-kit'
import type { OrganizationsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** An organization with its plan; null stands for the free plan. */
export type OrganizationRow = Selectable<OrganizationsTable> & { plan: string | null }

/**
 * Selects organizations that are not deleted, with their plans. Conditions on the result must prefix columns with the
 * table name.
 */
export const selectOrganizations = (db: Db) =>
  db
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .selectAll('organizations')
    .select('subscriptions.plan')
    .where('organizations.delete_time', 'is', null)
