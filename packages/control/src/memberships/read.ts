import { type Db, isId, type Tx } from '@tributary/api-kit'
import { conflict, notFound } from '@tributary/kernel'
import type { MemberRow } from './present.ts'

/** Selects the members of an organization with their users. */
export const membersOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'memberships.id',
      'memberships.organization_id',
      'memberships.user_id',
      'memberships.role',
      'memberships.create_time',
      'organizations.title',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.photo_url',
    ])
    .where('memberships.organization_id', '=', organizationId)

/**
 * Reads a member of this organization. Throws 404 for a membership that does not exist or belongs to another
 * organization.
 */
export const readMember = async (db: Db, organizationId: string, membershipId: string): Promise<MemberRow> => {
  const row = isId(membershipId)
    ? await membersOf(db, organizationId).where('memberships.id', '=', membershipId).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('membership not found')
  return row
}

/**
 * Throws 409 if this member is the only administrator of the organization. The organization must be locked, so that two
 * administrators cannot leave or demote each other at the same time.
 */
export const requireAnotherAdministrator = async (
  tx: Tx,
  member: Pick<MemberRow, 'id' | 'organization_id'>,
): Promise<void> => {
  const other = await tx
    .selectFrom('memberships')
    .select('id')
    .where('organization_id', '=', member.organization_id)
    .where('role', '=', 'ORG_ADMIN')
    .where('id', '<>', member.id)
    .limit(1)
    .executeTakeFirst()
  if (other === undefined)
    throw conflict(
      'LAST_ADMINISTRATOR',
      'An organization needs an administrator. Make someone else an administrator first',
    )
}
