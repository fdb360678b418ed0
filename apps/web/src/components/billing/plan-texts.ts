import { type BillingFrequency, minorUnits, type Plan, type PlanFeatures, profileBlock } from '@tributary/contract'
import { ApiError } from '../../lib/api/errors.ts'
import { NotConfirmed } from './not-confirmed.ts'

/** Texts of billing; texts from the specification are verbatim. */
export const billingTexts = {
  pricingTitle: 'Pricing plans for teams of all sizes',
  changed: (plan: string, free: boolean) =>
    `Your plan has been successully ${free ? 'downgraded' : 'upgraded'} to ${plan}`,
  notChanged: (plan: string) => `Couldn't upgrade your plan to ${plan}, please try again`,
  plansFailed: 'Failed to load the plan',
  subscriptionFailed: 'Failed to load the organization subscription',
  noPaymentMethod: 'Please setup a payment method first',
  formFailed: 'Failed to initiate the payment method form',
  cardFailed: 'An error has occured while adding your payment method, please try again',
  notSold: 'Payment is not set up on this installation, so plans cannot be bought here.',
  extraProfiles: (price: string) =>
    `Additional profiles cost +${price} per extra ${profileBlock.toLocaleString('en-US')} profiles`,
} as const

export const frequencyTitles: Readonly<Record<BillingFrequency, string>> = { MONTHLY: 'Monthly', ANNUALLY: 'Annually' }

/**
 * Describes a frequency change of the current plan; '' if the plan is already billed like that. A plan without a title
 * is no longer listed.
 */
export const frequencyText = (
  title: string | undefined,
  current: BillingFrequency,
  chosen: BillingFrequency,
): string => {
  if (current === chosen) return ''
  const [billed, other] = current === 'MONTHLY' ? ['monthly', 'annual'] : ['annually', 'monthly']
  return `${title ?? 'Your plan'} stays billed ${billed}. To change that, choose Switch to ${other} billing on the Billing page.`
}

/** Formats an amount, such as `$120.00`. Returns undefined for an invalid amount. */
export const moneyText = (amount: string, currency: string): string | undefined =>
  /^-?\d+(\.\d+)?$/.test(amount)
    ? new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(Number(amount))
    : undefined

/** Formats an amount without zero decimals: `$100`. */
export const shortMoneyText = (amount: string, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(
    Number(amount),
  )

/** The price of a plan, such as `$120.00 a month`; a custom price when sales agrees on it. */
export const priceText = ({ amount, currency, interval }: Pick<Plan, 'amount' | 'currency' | 'interval'>): string => {
  const text = moneyText(amount, currency)
  if (text === undefined) return 'Custom price'
  return minorUnits(amount, currency) === 0 ? text : `${text} a ${interval === 'MONTHLY' ? 'month' : 'year'}`
}

/**
 * Returns one plan for each title, in the order of the list: the one with the given billing frequency if it exists,
 * otherwise the first one.
 */
export const plansAt = (plans: readonly Plan[], frequency: BillingFrequency): Plan[] => {
  const names = [...new Set(plans.map(({ name }) => name))]
  return names.flatMap((name) => {
    const listed = plans.filter((plan) => plan.name === name)
    const shown = listed.find(({ interval }) => interval === frequency) ?? listed[0]
    return shown === undefined ? [] : [shown]
  })
}

/** The payment provider's reason for a rejection, as a description; undefined if the reason is not for users. */
export const reasonOf = (error: unknown): { description: string } | undefined =>
  error instanceof NotConfirmed ||
  (error instanceof ApiError && ['CARD_DECLINED', 'PAYMENT_REFUSED'].includes(error.body.reason ?? ''))
    ? { description: error.message }
    : undefined

const limited = [
  'profiles',
  'events',
  'sources',
  'destinations',
  'audiences',
  'syncs',
  'workspaces',
  'members',
] as const
const included = {
  white_glove_onboarding: 'White-glove onboarding',
  customer_success_manager: 'Customer success manager',
} as const

/** The features of a plan, one per line; `has` is false for features that it does not include. */
export const featureLines = (features: PlanFeatures): { key: keyof PlanFeatures; text: string; has: boolean }[] => [
  ...limited.map((key) => ({
    key,
    text: `${features[key] < 0 ? 'Unlimited' : features[key].toLocaleString('en-US')} ${features[key] === 1 ? key.slice(0, -1) : key}`,
    has: true,
  })),
  ...(['white_glove_onboarding', 'customer_success_manager'] as const).map((key) => ({
    key,
    text: included[key],
    has: features[key],
  })),
]

/** A time in UTC, to the minute: `Mar 4, 2026, 05:06 UTC`. */
export const minuteText = (time: string): string =>
  `${new Date(time).toLocaleString('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })} UTC`

/** The UTC date of a time, by which periods are counted: `Mar 4, 2026`. */
export const dayText = (time: string): string =>
  new Date(time).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' })
