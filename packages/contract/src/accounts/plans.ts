import { z } from 'zod'
import { everybody } from '../api/access.ts'
import { defineMethod } from '../api/method.ts'
import { minorUnits } from './money.ts'

/** How often a plan is billed. */
export const billingFrequencies = ['MONTHLY', 'ANNUALLY'] as const
export type BillingFrequency = (typeof billingFrequencies)[number]

/** Profiles beyond those of a plan are billed by so many, each that is begun. */
export const profileBlock = 10_000

/** How much of what a plan gives; -1 is without a limit. */
const limit = z.number().int().min(-1)

export const planFeatures = z.object({
  profiles: limit,
  events: limit,
  sources: limit,
  destinations: limit,
  audiences: limit,
  syncs: limit,
  workspaces: limit,
  members: limit,
  white_glove_onboarding: z.boolean(),
  customer_success_manager: z.boolean(),
})

/** Of a plan, what is counted. */
export const planLimits = planFeatures.pick({
  profiles: true,
  events: true,
  sources: true,
  destinations: true,
  audiences: true,
  syncs: true,
  workspaces: true,
  members: true,
})
export type PlanLimits = z.infer<typeof planLimits>
export type PlanFeatures = z.infer<typeof planFeatures>

/** A plan at one billing frequency: one that can be billed both ways is listed twice. */
export const plan = z.object({
  /** Such as `plans/free`. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** Decimal text such as `120.00`; anything else is a custom price. */
  amount: z.string(),
  /** ISO 4217, in upper case. */
  currency: z.string(),
  interval: z.enum(billingFrequencies),
  features: planFeatures,
  /** What each started 10,000 profiles beyond those of the plan cost in a period, as decimal text; null where none are billed. */
  extra_profiles_amount: z.string().nullable(),
})
export type Plan = z.infer<typeof plan>

/** The plan of a subscription: the one of that name, otherwise the first. Undefined when there are no plans. */
export const currentPlan = <P extends { name: string }>(plans: readonly P[], planName: string): P | undefined =>
  plans.find(({ name }) => name === planName) ?? plans[0]

/** What choosing a plan's card does, in the order of the checks. */
export type PlanChoice = { label: string; does: 'contact-sales' | 'nothing' | 'change' }

/** The label of a plan's button and what it does, with the plan that is current. */
export const planChoice = (
  { name, amount, currency }: Pick<Plan, 'name' | 'amount' | 'currency'>,
  current: Pick<Plan, 'name' | 'amount' | 'currency'> | undefined,
): PlanChoice => {
  if (name === current?.name) return { label: 'Current Plan', does: 'nothing' }
  if (name === 'plans/enterprise') return { label: 'Contact Sales', does: 'contact-sales' }
  const price = minorUnits(amount, currency)
  if (price === undefined) return { label: 'Contact Sales', does: 'nothing' }
  // A custom price is above every price that is listed.
  const now = current === undefined ? 0 : (minorUnits(current.amount, current.currency) ?? Number.POSITIVE_INFINITY)
  return { label: price < now ? 'Downgrade' : 'Buy plan', does: 'change' }
}

export const plans = {
  list: defineMethod({
    name: 'plans.list',
    verb: 'GET',
    path: '/plans',
    access: everybody,
    summary:
      'Lists the plans that can be subscribed to, cheapest first; a plan is listed once for each billing frequency.',
    response: z.object({ plans: z.array(plan) }),
    errors: [],
  }),
}
