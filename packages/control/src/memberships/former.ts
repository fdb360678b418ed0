import type { Db, Tx } from '@tributary/api-kit'
import type { Role } from '@tributary/kernel'
import type { MemberRow } from './present.ts'

/** How the last membership of a user ended: the role, and whether another user removed this user. */
export type FormerMembership = { role: Role; removed: boolean }

/**
 * Stores how a membership has ended, until the user joins again. A removed user needs a new invitation of an
 * administrator. A user who has left cannot get a higher role by joining again through a link or a domain.
 */
export const rememberFormer = async (
  tx: Tx,
  member: MemberRow,
  end: { removed: boolean; time: Date },
): Promise<void> => {
  const how = { role: member.role, removed: end.removed, end_time: end.time }
  await tx
    .insertInto('former_members')
    .values({ organization_id: member.organization_id, user_id: member.user_id, ...how })
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet(how))
    .execute()
}

/** Reads the ended membership of a user. Returns undefined if the user was never a member, or has joined again. */
export const readFormer = (db: Db, organizationId: string, userId: string): Promise<FormerMembership | undefined> =>
  db
    .selectFrom('former_members')
    .select(['role', 'removed'])
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
