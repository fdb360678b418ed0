import {
  amountText,
  type BillingFrequency,
  billingFrequencies,
  currentPlan,
  type Plan,
  planFeatures,
} from '@tributary/contract'
import { z } from 'zod'
import type { Price } from './provider.ts'

/** An amount in minor units of the currency; null if the price is negotiated with sales. */
const amount = z.number().int().min(0).nullable()

const catalogue = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters'),
  /** The price of each started block of profiles beyond those of a paid plan. If absent, these profiles are free. */
  extra_profiles: z.number().int().min(1).optional(),
  plans: z
    .array(
      z.strictObject({
        name: z.string().regex(/^plans\/[a-z0-9-]{1,50}$/, 'must be like plans/team'),
        title: z.string().min(1).max(100),
        description: z.string().max(500),
        /** The prices of a plan per period. Without one of them, the plan cannot be billed for that period. */
        monthly: amount.optional(),
        annually: amount.optional(),
        /** The defaults are for files from before these limits existed. They mean unlimited. */
        features: planFeatures.extend({
          syncs: planFeatures.shape.syncs.default(-1),
          workspaces: planFeatures.shape.workspaces.default(-1),
          members: planFeatures.shape.members.default(-1),
        }),
      }),
    )
    .min(1)
    .max(20)
    .refine((plans) => new Set(plans.map(({ name }) => name)).size === plans.length, 'names must differ'),
})

/** The plans that can be subscribed to, cheapest first. The first is the free plan. Amounts are minor units. */
export type PlanCatalogue = z.infer<typeof catalogue>
export type CataloguePlan = PlanCatalogue['plans'][number]

/** The catalog of plans that applies if no file is configured. */
export const defaultPlans: PlanCatalogue = {
  currency: 'USD',
  extra_profiles: 100_00,
  plans: [
    {
      name: 'plans/free',
      title: 'Free',
      description: 'To try it out',
      monthly: 0,
      features: {
        profiles: 10_000,
        events: 100_000,
        sources: 2,
        destinations: 2,
        audiences: 1,
        syncs: 2,
        workspaces: 2,
        members: 5,
        white_glove_onboarding: false,
        customer_success_manager: false,
      },
    },
    {
      name: 'plans/team',
      title: 'Team',
      description: 'For a first team',
      monthly: 120_00,
      annually: 1_200_00,
      features: {
        profiles: 10_000,
        events: 1_000_000,
        sources: 10,
        destinations: 10,
        audiences: 10,
        syncs: 20,
        workspaces: 5,
        members: 25,
        white_glove_onboarding: false,
        customer_success_manager: false,
      },
    },
    {
      name: 'plans/business',
      title: 'Business',
      description: 'For several teams',
      monthly: 600_00,
      annually: 6_000_00,
      features: {
        profiles: 50_000,
        events: 10_000_000,
        sources: -1,
        destinations: -1,
        audiences: 50,
        syncs: -1,
        workspaces: -1,
        members: -1,
        white_glove_onboarding: true,
        customer_success_manager: false,
      },
    },
    {
      name: 'plans/enterprise',
      title: 'Enterprise',
      description: 'For large organizations',
      monthly: null,
      features: {
        profiles: -1,
        events: -1,
        sources: -1,
        destinations: -1,
        audiences: -1,
        syncs: -1,
        workspaces: -1,
        members: -1,
        white_glove_onboarding: true,
        customer_success_manager: true,
      },
    },
  ],
}

/** Reads a catalog of plans from JSON text. Throws an Error that names the problem. */
export const readPlanCatalogue = (text: string): PlanCatalogue => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
  const parsed = catalogue.safeParse(json)
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error))
  return parsed.data
}

const amountOf = (plan: CataloguePlan, interval: BillingFrequency): number | null | undefined =>
  interval === 'MONTHLY' ? plan.monthly : plan.annually

/**
 * Whether events are held if usage exceeds the limits of a plan. A free plan holds events; any other plan bills the
 * usage.
 */
export const plansHold = ({ monthly }: CataloguePlan): boolean => monthly === 0

/** Returns the price of each started block of profiles beyond those of a plan; undefined if they are not billed. */
export const extraPrice = (
  { extra_profiles }: Pick<PlanCatalogue, 'extra_profiles'>,
  plan: CataloguePlan,
): number | undefined => (plansHold(plan) || plan.features.profiles < 0 ? undefined : extra_profiles)

/** Returns the plans as the API shows them: one entry for each plan and billing frequency. */
export const listedPlans = ({ currency, extra_profiles, plans }: PlanCatalogue): Plan[] =>
  plans.flatMap((plan) =>
    billingFrequencies.flatMap((interval) => {
      const minor = amountOf(plan, interval)
      if (minor === undefined) return []
      const { name, title, description, features } = plan
      const text = minor === null ? 'custom' : amountText(minor, currency)
      const extra = extraPrice({ extra_profiles }, plan)
      const extra_profiles_amount = extra === undefined ? null : amountText(extra, currency)
      return [{ name, title, description, amount: text, currency, interval, features, extra_profiles_amount }]
    }),
  )

/** Returns the price of a plan at a billing frequency; undefined if it cannot be bought. */
export const priceOf = (
  { currency, plans }: PlanCatalogue,
  name: string,
  interval: BillingFrequency,
): Price | undefined => {
  const plan = plans.find((each) => each.name === name)
  const minor = plan === undefined ? undefined : amountOf(plan, interval)
  if (plan === undefined || minor === undefined || minor === null) return undefined
  return { plan: name, title: plan.title, interval, amount: minor, currency }
}

/** Returns the plan with this name. Falls back to the first plan if there is no name, or the plan no longer exists. */
export const planOf = (catalogue: PlanCatalogue, name: string | undefined): CataloguePlan => {
  const plan = currentPlan(catalogue.plans, name ?? '')
  if (plan === undefined) throw new Error('A catalogue has no plans')
  return plan
}
