import { z } from 'zod'
import { everybody } from '../api/access.ts'
import { defineMethod } from '../api/method.ts'
import { minorUnits } from './money.ts'

/** How often a plan is billed. */
export const billingFrequencies = ['MONTHLY', 'ANNUALLY'] as const
export type BillingFrequency = (typeof billingFrequencies)[number]

/** Profiles above the included ones are billed in blocks of this size; a started block counts whole. */
export const profileBlock = 10_000

/** The amounts that a plan includes; -1 for unlimited. */
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

/** The limits of a plan that are counted. */
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

/** A plan at one billing frequency. A plan with two frequencies is listed twice. */
export const plan = z.object({
  /** Name of the plan, such as `plans/free`. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** Price per period as decimal text, such as `120.00`. Any other text means a custom price. */
  amount: z.string(),
  /** ISO 4217 code of the currency, in upper case. */
  currency: z.string(),
  interval: z.enum(billingFrequencies),
  features: planFeatures,
  /**
   * Price per period of each started block of 10,000 profiles above the included ones, as decimal text; null where none
   * are billed.
   */
  extra_profiles_amount: z.string().nullable(),
})
export type Plan = z.infer<typeof plan>

/** Returns the plan with this name, otherwise the first plan. Undefined if there are no plans. */
export const currentPlan = <P extends { name: string }>(plans: readonly P[], planName: string): P | undefined =>
  plans.find(({ name }) => name === planName) ?? plans[0]

/** The label of the button on a plan's card, and the action of the button. */
export type PlanChoice = { label: string; does: 'contact-sales' | 'nothing' | 'change' }

/** Returns the label and the action of the button of a plan, compared with the current plan. */
export const planChoice = (
  { name, amount, currency }: Pick<Plan, 'name' | 'amount' | 'currency'>,
  current: Pick<Plan, 'name' | 'amount' | 'currency'> | undefined,
): PlanChoice => {
  if (name === current?.name) return { label: 'Current Plan', does: 'nothing' }
  if (name === 'plans/enterprise') return { label: 'Contact Sales', does: 'contact-sales' }
  const price = minorUnits(amount, currency)
  if (price === undefined) return { label: 'Contact Sales', does: 'nothing' }
  // A custom price counts as higher than every listed price.
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
