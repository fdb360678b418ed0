import { type Db, lockOrganization, type Tx } from '@tributary/api-kit'
import { AppError, conflict } from '@tributary/kernel'
import { sql } from 'kysely'
import { planOf } from './catalogue.ts'
import type { BillingServices, BillingSettings } from './services.ts'

/** Resources whose creation counts toward a plan's limits. */
type Limited = 'sources' | 'destinations' | 'audiences' | 'syncs' | 'workspaces' | 'members'

/** Counts the members and open invitations of an organization, because an open invitation reserves a seat. */
const seats = (organizationId: string, now: number) => sql<{ count: number }>`
select (select count(*) from memberships where organization_id = ${organizationId})::int
  + (select count(*) from invitations
     where organization_id = ${organizationId} and accept_time is null and revoke_time is null and expire_time > ${new Date(now)}
     and not exists (
       select from memberships join users on users.id = memberships.user_id
       where memberships.organization_id = ${organizationId} and lower(users.email) = lower(invitations.invitee_email)
     ))::int as count`

const inWorkspaces = (organizationId: string, what: 'sources' | 'destinations' | 'audiences' | 'syncs') => {
  const alive =
    what === 'sources' || what === 'destinations' ? sql` and ${sql.ref(`${what}.delete_time`)} is null` : sql``
  return sql<{ count: number }>`
select count(*)::int as count from ${sql.table(what)}
join workspaces on workspaces.id = ${sql.ref(`${what}.workspace_id`)}
where workspaces.organization_id = ${organizationId} and workspaces.delete_time is null${alive}`
}

/** Counts the resources of an organization, in all its workspaces, without deleted ones. `now` is epoch ms. */
export const countLimited = async (db: Db, organizationId: string, what: Limited, now: number): Promise<number> => {
  const counting =
    what === 'members'
      ? seats(organizationId, now)
      : what === 'workspaces'
        ? sql<{
            count: number
          }>`select count(*)::int as count from workspaces where organization_id = ${organizationId} and delete_time is null`
        : inWorkspaces(organizationId, what)
  const { rows } = await counting.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Returns the name of the plan whose limits apply to a row of `subscriptions`. Undefined stands for the first plan,
 * which applies if there is no row, or if an invoice has been unpaid for too long.
 */
export const planNow = (
  held: { plan: string; past_due_time: Date | null } | undefined,
  { unpaidDays }: Pick<BillingSettings, 'unpaidDays'>,
  now: number,
): string | undefined =>
  held === undefined || (held.past_due_time !== null && held.past_due_time.getTime() + unpaidDays * 86_400_000 <= now)
    ? undefined
    : held.plan

type LimitDeps = Pick<BillingServices, 'billing' | 'clock'>

/**
 * Throws 402, which undoes the transaction, if the transaction has created more than the organization's plan allows. A
 * lock makes creations in an organization run one after the other, so that two cannot exceed the limit together.
 * Existing resources stay, even beyond the limit. `message` is the text for members who cannot upgrade.
 */
export const withinPlan = async (
  tx: Tx,
  { billing, clock }: LimitDeps,
  organizationId: string,
  what: Limited,
  message = 'upgrade required',
): Promise<void> => {
  if (!billing.limits) return
  await lockOrganization(tx, organizationId)
  const subscription = await tx
    .selectFrom('subscriptions')
    .select(['plan', 'past_due_time'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const limit = planOf(billing.plans, planNow(subscription, billing, clock())).features[what]
  if (limit >= 0 && (await countLimited(tx, organizationId, what, clock())) > limit)
    throw new AppError(402, 'UPGRADE_REQUIRED', message)
}

/**
 * Throws 409, which undoes the transaction, if the creator of a new organization now has too many organizations on the
 * first plan. A lock makes creations by one person run one after the other. Deleted organizations, and those on another
 * plan, do not count.
 */
export const withinFreeOrganizations = async (
  tx: Tx,
  { billing, clock }: LimitDeps,
  creatorId: string,
): Promise<void> => {
  const { limits, freeOrganizations = 0 } = billing
  if (!limits || freeOrganizations === 0) return
  await tx.selectFrom('users').select('id').where('id', '=', creatorId).forNoKeyUpdate().executeTakeFirst()
  const rows = await tx
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .select(['subscriptions.plan', 'subscriptions.past_due_time'])
    .where('organizations.creator_id', '=', creatorId)
    .where('organizations.delete_time', 'is', null)
    .execute()
  const [first] = billing.plans.plans
  const free = rows.filter(({ plan, past_due_time }) => {
    const held = plan === null ? undefined : { plan, past_due_time }
    return planOf(billing.plans, planNow(held, billing, clock())).name === first?.name
  })
  if (free.length > freeOrganizations)
    throw conflict(
      'TOO_MANY_ORGANIZATIONS',
      `You have ${freeOrganizations} organizations on the ${first?.title} plan, and can't create more of them. Upgrade or delete one of them first.`,
    )
}

/**
 * Runs a task that may take seats. Refuses it as `withinPlan` does, but only if it took a seat: an invitation that is
 * sent again, or accepted, already has one. The organization must be locked.
 */
export const withinSeats = async <T>(
  tx: Tx,
  deps: LimitDeps,
  organizationId: string,
  change: () => Promise<T>,
  message?: string,
): Promise<T> => {
  if (!deps.billing.limits) return await change()
  const before = await countLimited(tx, organizationId, 'members', deps.clock())
  const done = await change()
  if ((await countLimited(tx, organizationId, 'members', deps.clock())) > before)
    await withinPlan(tx, deps, organizationId, 'members', message)
  return done
}
