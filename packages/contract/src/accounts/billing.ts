import { z } from 'zod'
import { anybody, organizationAdministrators } from '../api/access.ts'
import { empty, errors, line, storableText, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { billingFrequencies } from './plans.ts'

const noPayment = {
  code: 409,
  reason: 'PAYMENT_NOT_CONFIGURED',
  when: 'This installation has no payment provider.',
} as const
const away = {
  code: 503,
  reason: 'PAYMENT_UNAVAILABLE',
  when: 'The payment provider cannot be reached.',
} as const
const refused = { code: 409, reason: 'PAYMENT_REFUSED', when: 'The payment provider refused the request.' } as const
const declined = { code: 402, reason: 'CARD_DECLINED', when: 'The card was declined. Nothing was changed.' } as const

const unconfirmed = {
  code: 402,
  reason: 'PAYMENT_CONFIRMATION',
  when: 'The bank asks to confirm the payment, with `client_secret` of the metadata. Nothing is changed until then.',
} as const

/**
 * The time when the data was last read from the payment provider, if the provider cannot be reached; null when the data
 * is current.
 */
const asOf = time.nullable()

/** The subscription of an organization, as the payment provider has it. */
export const subscription = z.object({
  /** `organizations/{id}/subscription`. */
  name: z.string(),
  /** Name of the plan, such as `plans/team`. */
  plan: z.string(),
  recurring_interval: z.enum(billingFrequencies),
  /** `past_due` while an invoice is not paid. */
  status: z.enum(['active', 'past_due']),
  /** The amount per period, as decimal text. */
  amount: z.string(),
  currency: z.string(),
  /** The current period; null on a plan that costs nothing. */
  period_start_time: time.nullable(),
  period_end_time: time.nullable(),
  /** The plan from the end of the period on; null if the present plan continues. */
  next: z.object({ plan: z.string(), recurring_interval: z.enum(billingFrequencies) }).nullable(),
  /**
   * The time since which an invoice is unpaid, and the time at which the limits of the first plan apply; null when all
   * is paid.
   */
  past_due_time: time.nullable(),
  limits_time: time.nullable(),
  /** The payment provider: `sandbox` moves no money; `none` where plans cannot be bought. */
  payment: z.enum(['none', 'sandbox', 'stripe']),
  as_of_time: asOf,
})
export type Subscription = z.infer<typeof subscription>

export const paymentMethod = z.object({
  /** `organizations/{id}/paymentMethods/{id}`. */
  name: z.string(),
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number().int(),
  exp_year: z.number().int(),
  default: z.boolean(),
})
export type PaymentMethod = z.infer<typeof paymentMethod>

const atLeastTwo = (max: number) => line(max).min(2, 'At least 2 characters')

/** The addressee of invoices. */
export const billingCompany = z.object({
  company: atLeastTwo(200),
  email: z.email('Invalid email').max(320, 'At most 320 characters'),
  line1: atLeastTwo(200),
  line2: line(200).default(''),
  city: atLeastTwo(100),
  state: line(100).default(''),
  postal_code: atLeastTwo(20),
  country: atLeastTwo(100),
  tax_type: line(50).default(''),
  tax_id: line(50).default(''),
})
export type BillingCompany = z.infer<typeof billingCompany>

/** An invoice as it opens without a session, by the secret in its URL. */
export const invoice = z.object({
  number: z.string(),
  organization: z.string(),
  /** The addressee when the invoice was made; null when none was entered. */
  company: billingCompany.nullable(),
  status: z.enum(['paid', 'open', 'void']),
  create_time: time,
  currency: z.string(),
  /** The amounts of the lines add up to the total; amounts are decimal text. */
  lines: z.array(z.object({ description: z.string(), amount: z.string() })),
  total: z.string(),
  payment: z.enum(['sandbox']),
})
export type Invoice = z.infer<typeof invoice>

/** An invoice of a list. */
export const listedInvoice = invoice
  .pick({ number: true, status: true, create_time: true, currency: true, total: true })
  .extend({
    /** `organizations/{id}/invoices/{id}`. */
    name: z.string(),
    /** URL that opens the invoice without signing in: a path of the product, or an address of the payment provider. */
    invoice_url: z.string(),
  })
export type ListedInvoice = z.infer<typeof listedInvoice>

/** A preview of a change of plan. */
export const planPreview = z.object({
  /** `none` when the plan is already in force. */
  takes_effect: z.enum(['now', 'period_end', 'none']),
  /** The time when the change takes effect, if that is the end of the period; otherwise null. */
  effect_time: time.nullable(),
  /** The amounts that are charged now, as decimal text; they add up to the total. Empty when nothing is charged. */
  lines: z.array(z.object({ description: z.string(), amount: z.string() })),
  total: z.string(),
  currency: z.string(),
  /**
   * The time from which unused time is counted. The call that changes the plan must send this time, so that exactly the
   * total is charged.
   */
  prorate_time: time.nullable(),
})
export type PlanPreview = z.infer<typeof planPreview>

/** A requested change of the plan. */
export const planChange = z.object({
  change: z.enum(['change', 'cancel', 'resume']),
  /** Null when the plan stays the same. */
  plan: z.string().nullable(),
  recurring_interval: z.enum(billingFrequencies).nullable(),
  takes_effect: z.enum(['now', 'period_end']).nullable(),
  create_time: time,
  /** `pending` until the payment provider has answered; `unconfirmed` until the payment is confirmed, or forever. */
  outcome: z.enum(['pending', 'done', 'declined', 'refused', 'unconfirmed']),
  /** The user who requested the change; empty when the product requested it. */
  actor: z.string(),
})
export type PlanChange = z.infer<typeof planChange>

/** The form of the sandbox. It accepts only test numbers and stores none. */
export const sandboxCard = z.object({
  client_secret: storableText(200),
  number: z
    .string()
    .trim()
    .max(30, 'Enter a test card number')
    .transform((text) => text.replace(/[ -]/g, '')),
  exp_month: z.number().int().min(1, 'Enter a month from 1 to 12').max(12, 'Enter a month from 1 to 12'),
  exp_year: z.number().int().min(2000, 'Enter a year of four digits').max(2100, 'Enter a year of four digits'),
  cvc: z.string().regex(/^\d{3,4}$/, 'Enter three or four digits'),
  /** Whether the user confirmed the payment in the dialog that imitates the bank's. */
  confirmed: z.boolean().default(false),
})

const organizationPath = '/organizations/{organization}'

const planRequest = z.object({
  plan: line(100).min(1, 'Required'),
  recurring_interval: z.enum(billingFrequencies),
})

export const subscriptions = {
  get: defineMethod({
    name: 'subscriptions.get',
    verb: 'GET',
    path: `${organizationPath}/subscription`,
    access: organizationAdministrators,
    summary: "Gets an organization's subscription, as the payment provider holds it now.",
    response: subscription,
    errors: [errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'subscriptions.update',
    verb: 'PATCH',
    path: `${organizationPath}/subscription`,
    access: organizationAdministrators,
    places: 'payment',
    summary:
      'Changes the plan or its billing frequency. An upgrade takes effect immediately and is prorated; a downgrade takes effect at the end of the period.',
    request: planRequest.extend({
      /** The proration time of a preview that is at most an hour old. */
      prorate_time: time.optional(),
    }),
    response: subscription,
    errors: [errors.invalid, declined, unconfirmed, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  preview: defineMethod({
    name: 'subscriptions.preview',
    verb: 'POST',
    path: `${organizationPath}/subscription:preview`,
    access: organizationAdministrators,
    places: 'payment',
    reads: true,
    summary: 'Says what a change of plan would charge and when it takes effect, without changing anything.',
    request: planRequest,
    response: planPreview,
    errors: [errors.invalid, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  listChanges: defineMethod({
    name: 'subscriptions.listChanges',
    verb: 'GET',
    path: `${organizationPath}/subscription/changes`,
    access: organizationAdministrators,
    summary: 'Lists the changes of plan that were asked for, newest first, 100 at most.',
    response: z.object({ changes: z.array(planChange) }),
    errors: [errors.forbidden, errors.notFound],
  }),
  cancel: defineMethod({
    name: 'subscriptions.cancel',
    verb: 'POST',
    path: `${organizationPath}/subscription:cancel`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Cancels the subscription at the end of its period.',
    request: empty,
    response: subscription,
    errors: [errors.invalid, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  resume: defineMethod({
    name: 'subscriptions.resume',
    verb: 'POST',
    path: `${organizationPath}/subscription:resume`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Takes back a cancellation or a downgrade that has not taken effect.',
    request: empty,
    response: subscription,
    errors: [errors.invalid, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
}

export const paymentMethods = {
  list: defineMethod({
    name: 'paymentMethods.list',
    verb: 'GET',
    path: `${organizationPath}/paymentMethods`,
    access: organizationAdministrators,
    places: 'payment',
    summary: "Lists an organization's payment methods, oldest first.",
    response: z.object({ payment_methods: z.array(paymentMethod), as_of_time: asOf }),
    errors: [errors.forbidden, errors.notFound],
  }),
  setup: defineMethod({
    name: 'paymentMethods.setup',
    verb: 'POST',
    path: `${organizationPath}:billingSetupIntent`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Begins adding a payment method: the secret is for the card form of the payment provider.',
    request: empty,
    response: z.object({ client_secret: z.string() }),
    errors: [errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  confirmSandbox: defineMethod({
    name: 'paymentMethods.confirmSandbox',
    verb: 'POST',
    path: `${organizationPath}:confirmSandboxCard`,
    access: organizationAdministrators,
    summary: 'Adds a test card in the sandbox, in place of the card form of a payment provider. Test numbers only.',
    request: sandboxCard,
    response: paymentMethod,
    errors: [errors.invalid, declined, unconfirmed, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  setDefault: defineMethod({
    name: 'paymentMethods.setDefault',
    verb: 'POST',
    path: `${organizationPath}/paymentMethods/{payment_method}:setDefault`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Makes a payment method the one that invoices are charged to.',
    request: empty,
    response: empty,
    errors: [errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  delete: defineMethod({
    name: 'paymentMethods.delete',
    verb: 'DELETE',
    path: `${organizationPath}/paymentMethods/{payment_method}`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Removes a payment method. The last one of a subscription that renews cannot be removed.',
    response: empty,
    errors: [errors.invalid, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
}

export const billingCompanies = {
  get: defineMethod({
    name: 'billingCompanies.get',
    verb: 'GET',
    path: `${organizationPath}/billingCompany`,
    access: organizationAdministrators,
    summary: 'Gets whom invoices are addressed to; null when nobody was entered.',
    response: z.object({ company: billingCompany.nullable() }),
    errors: [errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'billingCompanies.update',
    verb: 'PUT',
    path: `${organizationPath}/billingCompany`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Changes whom later invoices are addressed to.',
    request: billingCompany,
    response: billingCompany,
    errors: [errors.invalid, errors.forbidden, errors.notFound, away],
  }),
}

export const invoices = {
  list: defineMethod({
    name: 'invoices.list',
    verb: 'GET',
    path: `${organizationPath}/invoices`,
    access: organizationAdministrators,
    places: 'payment',
    summary: "Lists an organization's invoices, newest first, 100 at most.",
    response: z.object({ invoices: z.array(listedInvoice), as_of_time: asOf }),
    errors: [errors.forbidden, errors.notFound],
  }),
  pay: defineMethod({
    name: 'invoices.pay',
    verb: 'POST',
    path: `${organizationPath}/invoices/{invoice}:pay`,
    access: organizationAdministrators,
    places: 'payment',
    summary: 'Pays an open invoice with the default payment method. One that is paid stays so.',
    request: empty,
    response: empty,
    errors: [errors.invalid, declined, unconfirmed, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  confirmSandbox: defineMethod({
    name: 'invoices.confirmSandbox',
    verb: 'POST',
    path: `${organizationPath}:confirmSandboxPayment`,
    access: organizationAdministrators,
    summary: 'Confirms a payment in the sandbox, in the place of a bank.',
    request: z.object({ client_secret: storableText(200) }),
    response: empty,
    errors: [errors.invalid, declined, errors.forbidden, errors.notFound, noPayment, refused, away],
  }),
  get: defineMethod({
    name: 'invoices.get',
    verb: 'GET',
    path: '/invoices/{invoice}',
    access: anybody,
    summary: 'Gets an invoice by the secret of its URL.',
    response: invoice,
    errors: [errors.notFound],
  }),
}
