import { type Announce, displayName, notify, type Tx } from '@tributary/api-kit'
import { newId, type Role, roleTitles } from '@tributary/kernel'
import { sql } from 'kysely'

export type Joining = {
  organizationId: string
  userId: string
  role: Role
  /** How the user joined, as the end of a sentence: 'accepted an invitation'. */
  how: string
  /** Epoch ms. */
  now: number
}

/** The error message if the organization already has as many members as its plan allows. */
export const noSeatText =
  'This organization has as many members as its plan allows. Ask one of its administrators to upgrade the plan'

/** Whether the user is currently a member of the organization. */
export const isMember = async (tx: Tx, organizationId: string, userId: string): Promise<boolean> => {
  const row = await tx
    .selectFrom('memberships')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

const notifyAdministrators = async (tx: Tx, joining: Joining, membershipId: string): Promise<Announce> => {
  const { organizationId, userId, role, how, now } = joining
  const user = await tx
    .selectFrom('users')
    .select(['email', 'first_name', 'last_name'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const organization = await tx
    .selectFrom('organizations')
    .select('title')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const workspace = await tx
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('delete_time', 'is', null)
    .orderBy('create_time')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const administrators = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'ORG_ADMIN')
    .where('user_id', '<>', userId)
    .execute()
  const name = displayName(user)
  return await notify(
    tx,
    administrators.map((each) => each.user_id),
    {
      organizationId,
      kind: 'invitation_accepted',
      title: `${name} joined ${organization.title}`,
      body: `${name === user.email ? name : `${name} (${user.email})`} ${how} and is now ${role === 'ORG_ADMIN' ? 'an' : 'a'} ${roleTitles[role]}.`,
      link: workspace === undefined ? '' : `/workspaces/${workspace.id}/settings/organization/members`,
      cause: `memberships/${membershipId}`,
      now,
    },
  )
}

/**
 * Makes the user a member, notifies the administrators, and uses up open invitations to the user's address. The
 * organization must be locked. Returns undefined for a user who is already a member; the role then stays.
 */
export const join = async (tx: Tx, joining: Joining): Promise<Announce | undefined> => {
  const { organizationId, userId, role, now } = joining
  const made = await tx
    .insertInto('memberships')
    .values({ id: newId(), organization_id: organizationId, user_id: userId, role, create_time: new Date(now) })
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return undefined
  await tx
    .deleteFrom('former_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
  await tx
    .updateTable('invitations')
    .set({ accept_time: new Date(now), accepted_by: userId })
    .where('organization_id', '=', organizationId)
    .where('accept_time', 'is', null)
    .where('revoke_time', 'is', null)
    .where(sql<string>`lower(invitee_email)`, '=', (query) =>
      query.selectFrom('users').select(sql<string>`lower(email)`.as('email')).where('users.id', '=', userId),
    )
    .execute()
  return await notifyAdministrators(tx, joining, made.id)
}
