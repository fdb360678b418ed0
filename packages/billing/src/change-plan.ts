import type { BillingFrequency, methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { priceOf } from './catalogue.ts'
import type { Price, ProviderSubscription, SubscriptionChange } from './provider.ts'
import { type BillingDeps, changeSubscription, requirePayment } from './subscription.ts'

/**
 * Returns when a price takes effect: immediately for a plan that costs more, and for a change of the same plan to
 * annual billing. Any other price takes effect at the end of the period. The prices per month of both plans are in
 * `ranks`; undefined for a plan that is no longer in the catalog.
 */
export const whenOf = (
  held: Price,
  price: Price,
  ranks: { held: number | undefined; price: number | undefined },
): 'now' | 'period-end' => {
  if (held.plan === price.plan) return price.interval === 'ANNUALLY' ? 'now' : 'period-end'
  return (ranks.price ?? 0) > (ranks.held ?? 0) ? 'now' : 'period-end'
}

/** Returns the price of a plan per month, for comparisons. A plan with a custom price costs more than any other. */
const rankOf = (deps: Pick<BillingDeps, 'billing'>, plan: string): number | undefined => {
  const listed = deps.billing.plans.plans.find(({ name }) => name === plan)
  if (listed?.monthly === null || listed?.annually === null) return Number.POSITIVE_INFINITY
  const monthly = priceOf(deps.billing.plans, plan, 'MONTHLY')?.amount
  const annually = priceOf(deps.billing.plans, plan, 'ANNUALLY')?.amount
  return monthly ?? (annually === undefined ? undefined : annually / 12)
}

/**
 * Returns the change to request from the provider for a price; undefined if the subscription already has that price.
 */
export const changeTo = (
  deps: Pick<BillingDeps, 'billing'>,
  held: ProviderSubscription | undefined,
  price: Price,
): SubscriptionChange | undefined => {
  if (held === undefined) return price.amount === 0 ? undefined : { kind: 'change', price, when: 'now' }
  if (price.amount === 0) return held.next === null ? undefined : { kind: 'cancel' }
  if (held.price.plan === price.plan && held.price.interval === price.interval)
    return held.next === undefined ? undefined : { kind: 'resume' }
  if (held.next?.plan === price.plan && held.next.interval === price.interval) return undefined
  const ranks = { held: rankOf(deps, held.price.plan), price: rankOf(deps, price.plan) }
  return { kind: 'change', price, when: whenOf(held.price, price, ranks) }
}

/** Returns the price of a plan at a billing frequency. Throws 400 if it cannot be bought. */
export const requirePrice = (
  { billing: { plans } }: Pick<BillingDeps, 'billing'>,
  { plan, recurring_interval }: { plan: string; recurring_interval: BillingFrequency },
): Price => {
  const listed = priceOf(plans, plan, recurring_interval)
  // A free plan is free at every billing frequency.
  const free = priceOf(plans, plan, 'MONTHLY')
  const price = listed ?? (free?.amount === 0 ? free : undefined)
  if (price !== undefined) return price
  const text = 'This plan cannot be bought at this billing frequency'
  throw badRequest('VALIDATION', text, { plan: text })
}

/** Time for which a shown total can be accepted, ms. */
const previewLifeMs = 3_600_000

/**
 * Changes the plan or its billing frequency. Throws 400 for a plan that cannot be bought, or without a payment method.
 */
export const updateSubscription =
  (deps: BillingDeps): Handler<typeof methods.subscriptions.update> =>
  async ({ actor, organization: { id }, body }) => {
    const payment = requirePayment(deps)
    const price = requirePrice(deps, body)
    const { prorate_time: prorateTime } = body
    const age = prorateTime === undefined ? 0 : deps.clock() - Date.parse(prorateTime)
    if (age < 0 || age > previewLifeMs) {
      const text = 'The price that was shown is no longer valid. Look at it again.'
      throw badRequest('VALIDATION', text, { prorate_time: text })
    }
    return await changeSubscription(
      deps,
      { organizationId: id, userId: actor.userId, action: 'subscriptions.update' },
      async (held) => {
        const change = changeTo(deps, held, price)
        if (change?.kind !== 'change') return change
        const methods = await payment.listPaymentMethods(await payment.customerOf(id))
        if (methods.length === 0) throw badRequest('PAYMENT_METHOD_REQUIRED', 'Please setup a payment method first')
        return change.when === 'now' && held !== undefined ? { ...change, prorateTime } : change
      },
    )
  }

/** Cancels the subscription at the end of the period. */
export const cancelSubscription =
  (deps: BillingDeps): Handler<typeof methods.subscriptions.cancel> =>
  ({ actor, organization: { id } }) =>
    changeSubscription(
      deps,
      { organizationId: id, userId: actor.userId, action: 'subscriptions.cancel' },
      async (held) => {
        if (held === undefined) throw badRequest('NO_SUBSCRIPTION', 'There is no subscription to cancel')
        return held.next === null ? undefined : { kind: 'cancel' }
      },
    )

/** Cancels the change that is scheduled for the end of the period. */
export const resumeSubscription =
  (deps: BillingDeps): Handler<typeof methods.subscriptions.resume> =>
  ({ actor, organization: { id } }) =>
    changeSubscription(
      deps,
      { organizationId: id, userId: actor.userId, action: 'subscriptions.resume' },
      async (held) => {
        if (held === undefined) throw badRequest('NO_SUBSCRIPTION', 'The subscription has ended. Choose a plan.')
        return held.next === undefined ? undefined : { kind: 'resume' }
      },
    )
