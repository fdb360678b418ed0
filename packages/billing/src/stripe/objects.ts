import { z } from 'zod'
import type { Price } from '../provider.ts'

// The fields of Stripe's objects that are read, as documented at docs.stripe.com/api.

const metadata = z.record(z.string(), z.string()).nullish()

const price = z.object({
  id: z.string(),
  currency: z.string(),
  unit_amount: z.number().int().nullable(),
  recurring: z.object({ interval: z.string() }).nullable(),
  product: z.union([z.string(), z.object({ id: z.string(), name: z.string().optional() })]),
})
type StripePrice = z.infer<typeof price>

const invoice = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).nullable(),
  created: z.number(),
  due_date: z.number().nullish(),
  collection_method: z.string(),
  billing_reason: z.string().nullish(),
  currency: z.string(),
  total: z.number().int(),
  hosted_invoice_url: z.string().nullish(),
  invoice_pdf: z.string().nullish(),
  customer: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  /** The secret with which the payer confirms. It is present only if expanded. */
  confirmation_secret: z.object({ client_secret: z.string() }).nullish(),
  metadata,
})
export const stripeInvoice = invoice
export type StripeInvoice = z.infer<typeof invoice>

export const stripeInvoices = z.object({ data: z.array(invoice) })

const schedule = z.object({
  id: z.string(),
  status: z.string(),
  current_phase: z.object({ start_date: z.number(), end_date: z.number() }).nullable(),
  phases: z.array(
    z.object({ start_date: z.number(), items: z.array(z.object({ price: z.union([z.string(), price]) })) }),
  ),
  metadata,
})
export const stripeSchedule = schedule
export type StripeSchedule = z.infer<typeof schedule>

export const stripeSubscription = z.object({
  id: z.string(),
  customer: z.union([z.string(), z.object({ id: z.string() })]),
  status: z.string(),
  created: z.number(),
  collection_method: z.string(),
  days_until_due: z.number().nullish(),
  cancel_at_period_end: z.boolean(),
  items: z.object({
    data: z
      .array(z.object({ id: z.string(), price, current_period_start: z.number(), current_period_end: z.number() }))
      .min(1),
  }),
  schedule: z.union([z.string(), schedule]).nullish(),
  latest_invoice: z.union([z.string(), invoice]).nullish(),
  /**
   * An update that takes effect as soon as the latest invoice is paid
   * (docs.stripe.com/billing/subscriptions/pending-updates).
   */
  pending_update: z.object({ expires_at: z.number(), metadata }).nullish(),
  metadata,
})
export type StripeSubscription = z.infer<typeof stripeSubscription>

export const stripeSubscriptions = z.object({
  data: z.array(z.object({ id: z.string(), status: z.string(), created: z.number(), metadata })),
})

export const stripeId = z.object({ id: z.string() })

export const stripePreview = z.object({
  currency: z.string(),
  total: z.number().int(),
  lines: z.object({ data: z.array(z.object({ description: z.string().nullable(), amount: z.number().int() })) }),
})

export const stripeCustomer = z.object({
  id: z.string(),
  invoice_settings: z
    .object({ default_payment_method: z.union([z.string(), z.object({ id: z.string() })]).nullish() })
    .nullish(),
})

export const stripePaymentMethods = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      created: z.number(),
      card: z.object({ brand: z.string(), last4: z.string(), exp_month: z.number().int(), exp_year: z.number().int() }),
    }),
  ),
})

/** Returns the ID of an object that Stripe returns either as an ID or expanded. */
export const idOf = (value: string | { id: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.id

/**
 * The factors from minor units to Stripe's units. Two currencies have no decimals, but Stripe counts them as if they
 * had two (docs.stripe.com/currencies, "Special cases").
 */
const factors: Readonly<Record<string, number>> = { ISK: 100, UGX: 100 }

/** Converts minor units to Stripe's units. */
export const toStripe = (amount: number, currency: string): number => amount * (factors[currency.toUpperCase()] ?? 1)

/** Converts Stripe's units to minor units. */
export const fromStripe = (amount: number, currency: string): number =>
  Math.round(amount / (factors[currency.toUpperCase()] ?? 1))

const prefix = 'tributary_'

/**
 * Returns the product ID of a plan at Stripe, from which the plan also follows: `tributary_team` stands for
 * `plans/team`.
 */
export const productOf = (plan: string): string => `${prefix}${plan.replace(/^plans\//, '')}`

const planOf = (product: string): string =>
  product.startsWith(prefix) ? `plans/${product.slice(prefix.length)}` : `plans/${product}`

/**
 * Returns a price of Stripe in the form of the provider interface. `title` is used as its name if Stripe only returns
 * the ID of the product.
 */
export const priceOf = ({ product, recurring, unit_amount, currency }: StripePrice): Price => {
  const id = typeof product === 'string' ? product : product.id
  const plan = planOf(id)
  const tail = plan.replace(/^plans\//, '')
  return {
    plan,
    title: (typeof product === 'string' ? undefined : product.name) ?? tail.charAt(0).toUpperCase() + tail.slice(1),
    interval: recurring?.interval === 'year' ? 'ANNUALLY' : 'MONTHLY',
    amount: fromStripe(unit_amount ?? 0, currency),
    currency: currency.toUpperCase(),
  }
}

/** Returns a price in the form of a request to Stripe. */
export const priceData = ({ plan, interval, amount, currency }: Price) => ({
  currency: currency.toLowerCase(),
  product: productOf(plan),
  recurring: { interval: interval === 'ANNUALLY' ? 'year' : 'month' },
  unit_amount: toStripe(amount, currency),
})
