import type { Tx } from '@tributary/api-kit'
import type { Database } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { extraPrice } from '../catalogue.ts'
import type { PaymentProvider, ProviderSubscription } from '../provider.ts'
import type { BillingServices, BillingSettings } from '../services.ts'
import { usageMonthEnd, usagePeriod } from '../usage/period.ts'
import type { OverageTerms } from './amount.ts'

export type TrackedPeriod = Selectable<Database['usage_periods']>

/** Returns the terms for billing the profiles of a plan that is paid for in this currency. */
export const overageTerms = (
  { plans, limits }: Pick<BillingSettings, 'plans' | 'limits'>,
  { plan, currency }: { plan: string; currency: string },
): OverageTerms => {
  const listed = plans.plans.find(({ name }) => name === plan)
  const price = listed === undefined || !limits ? undefined : extraPrice(plans, listed)
  return price === undefined || listed === undefined || currency !== plans.currency
    ? { included: -1, price: 0, currency }
    : { included: listed.features.profiles, price, currency }
}

/**
 * Returns the terms that are better for the customer: after an upgrade during a period, its profiles are included for
 * the whole period.
 */
const bestTerms = (before: OverageTerms, after: OverageTerms): OverageTerms => {
  if (before.included < 0 || after.included < 0) return { ...after, included: -1 }
  return before.included > after.included ? before : after
}

/** Returns the terms of a stored period. */
export const termsOf = ({ included, price, currency }: TrackedPeriod): OverageTerms => ({
  included: Number(included),
  price: Number(price),
  currency,
})

/** Reads the latest stored period of an organization. */
const latestPeriod = (tx: Tx, organizationId: string): Promise<TrackedPeriod | undefined> =>
  tx
    .selectFrom('usage_periods')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('start_time', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Maximum number of missed renewals to catch up on: ten years. */
const maxUnseen = 120

/**
 * Returns the starts and ends of periods, from the last stored one to the current one. Includes months that were
 * renewed while the provider was unavailable.
 */
const periodsUpTo = (
  current: { start: Date; end: Date },
  held: ProviderSubscription,
  last: TrackedPeriod | undefined,
): { start: Date; end: Date }[] => {
  const periods: { start: Date; end: Date }[] = []
  let start = last?.subscription === held.id && last.end_time < current.start ? last.end_time : current.start
  while (start < current.start && periods.length < maxUnseen) {
    const end =
      start < held.periodStart
        ? usageMonthEnd(last?.anchor_time ?? start, start, held.periodStart)
        : usagePeriod({ start: held.periodStart, end: held.periodEnd, interval: held.price.interval }, start.getTime())
            .end
    periods.push({ start, end })
    start = end
  }
  return [...periods, current]
}

/**
 * Stores the periods that an organization pays for, and the prices of their profiles, from the subscription at the
 * provider. Runs in the transaction that stores the subscription. An earlier period ends at the start of the current
 * period, or now if the subscription has ended.
 */
export const trackPeriods = async (
  tx: Tx,
  { billing, clock }: Pick<BillingServices, 'billing' | 'clock'>,
  { organizationId, provider }: { organizationId: string; provider: PaymentProvider['kind'] },
  held: ProviderSubscription | undefined,
): Promise<void> => {
  const now = clock()
  const current =
    held === undefined
      ? undefined
      : usagePeriod({ start: held.periodStart, end: held.periodEnd, interval: held.price.interval }, now)
  let last = await latestPeriod(tx, organizationId)
  const cut = current?.start ?? new Date(now)
  const isCut = last !== undefined && last.close_time === null && last.start_time < cut && last.end_time > cut
  if (last !== undefined && isCut) {
    await tx
      .updateTable('usage_periods')
      .set({ end_time: cut })
      .where('organization_id', '=', organizationId)
      .where('start_time', '=', last.start_time)
      .execute()
    last = { ...last, end_time: cut }
  }
  // If the clock was set back, the stored period is later than the current one, and is kept.
  if (held === undefined || current === undefined || (last !== undefined && last.start_time > current.start)) return
  const terms = overageTerms(billing, held.price)
  const goesOn = !isCut && last?.subscription === held.id
  const row = { provider, subscription: held.id, plan: held.price.plan }
  for (const { start, end } of periodsUpTo(current, held, last)) {
    const known = last?.start_time.getTime() === start.getTime() ? last : undefined
    const values = { ...row, ...(known === undefined ? terms : bestTerms(termsOf(known), terms)), end_time: end }
    await tx
      .insertInto('usage_periods')
      .values({
        organization_id: organizationId,
        start_time: start,
        anchor_time: goesOn && last !== undefined ? last.anchor_time : start,
        ...values,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'start_time'])
          .doUpdateSet(values)
          .where('usage_periods.close_time', 'is', null),
      )
      .execute()
  }
}
