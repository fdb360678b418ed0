import type { Tx } from '@tributary/api-kit'
import { AppError } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { lockOrganization } from '../organizations/lock.ts'
import { planOf } from './catalogue.ts'

/** What is counted toward a plan's limits when it is created. */
type Limited = 'sources' | 'destinations' | 'audiences'

/** How many an organization has, in all its workspaces; deleted ones do not count. */
export const countLimited = async (db: Tx, organizationId: string, what: Limited): Promise<number> => {
  const alive = what === 'audiences' ? sql`` : sql` and ${sql.ref(`${what}.delete_time`)} is null`
  const { rows } = await sql<{ count: number }>`
select count(*)::int as count from ${sql.table(what)}
join workspaces on workspaces.id = ${sql.ref(`${what}.workspace_id`)}
where workspaces.organization_id = ${organizationId}${alive}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * The name of the plan whose limits hold for a row of `subscriptions`: undefined, for the first plan, without one, and when an
 * invoice has been unpaid for longer than it may.
 */
export const planNow = (
  held: { plan: string; past_due_time: Date | null } | undefined,
  { unpaidDays }: Pick<ControlDeps['billing'], 'unpaidDays'>,
  now: number,
): string | undefined =>
  held === undefined || (held.past_due_time !== null && held.past_due_time.getTime() + unpaidDays * 86_400_000 <= now)
    ? undefined
    : held.plan

/**
 * Refuses what a transaction has just created when it is more than the organization's plan has: 402, which undoes it. Creations of an
 * organization wait for each other here, so that two do not go beyond the limit. What there is already stays as it is, also
 * when it is more than the plan has.
 */
export const withinPlan = async (
  tx: Tx,
  { billing, clock }: Pick<ControlDeps, 'billing' | 'clock'>,
  organizationId: string,
  what: Limited,
): Promise<void> => {
  if (!billing.limits) return
  await lockOrganization(tx, organizationId)
  const subscription = await tx
    .selectFrom('subscriptions')
    .select(['plan', 'past_due_time'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const limit = planOf(billing.plans, planNow(subscription, billing, clock())).features[what]
  if (limit >= 0 && (await countLimited(tx, organizationId, what)) > limit)
    throw new AppError(402, 'UPGRADE_REQUIRED', 'upgrade required')
}
