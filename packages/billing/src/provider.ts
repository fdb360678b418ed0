import type { BillingCompany, BillingFrequency, Invoice } from '@tributary/contract'
import { AppError } from '@tributary/kernel'

/** The price of a plan for a period, in minor units of its currency. */
export type Price = { plan: string; title: string; interval: BillingFrequency; amount: number; currency: string }

/** A line of an invoice, in minor units. */
export type Line = { description: string; amount: number }

/** A subscription at the provider. */
export type ProviderSubscription = {
  id: string
  status: 'active' | 'past_due'
  price: Price
  /** The price after the end of the period; undefined if the price stays, null if the subscription ends. */
  next: Price | null | undefined
  periodStart: Date
  periodEnd: Date
  /** The creation time of the oldest invoice that could not be charged; undefined if there is none. */
  pastDueSince: Date | undefined
}

export type ProviderPaymentMethod = {
  id: string
  brand: string
  last4: string
  expMonth: number
  expYear: number
  default: boolean
}

export type ProviderInvoice = Omit<Invoice, 'organization' | 'company' | 'lines' | 'payment'> & {
  id: string
  /** An address that can be opened without a session: a path of the product, or a URL of the provider. */
  url: string
}

/**
 * A change to a price. If it takes effect `now`, it is prorated from `prorateTime` (ISO 8601); at `period-end`, it is
 * not prorated.
 */
export type PriceChange = {
  kind: 'change'
  price: Price
  when: 'now' | 'period-end'
  prorateTime?: string | undefined
  /**
   * Days until a sent invoice is due. If set, invoices are sent instead of charged to a payment method. Only for a
   * first subscription.
   */
  daysUntilDue?: number | undefined
}

/** A change of a subscription. `end` ends it now without a refund, and unpaid invoices stay due. */
export type SubscriptionChange = PriceChange | { kind: 'cancel' } | { kind: 'resume' } | { kind: 'end' }

/** The error if the card or the charge was declined. Nothing has changed. */
export class PaymentDeclined extends Error {
  /** Whether the only reason is that the bank asks for a confirmation, and no user is present to give it. */
  readonly unconfirmed: boolean

  constructor(message = 'The card was declined', unconfirmed = false) {
    super(message)
    this.name = 'PaymentDeclined'
    this.unconfirmed = unconfirmed
  }
}

/** The message for a charge that the bank asks to confirm, if the user cannot confirm it there. */
export const unconfirmedText = 'The bank asks to confirm this payment, which a saved card cannot. Add another card'

/** The message for an upgrade that needs a confirmation while another price is scheduled for the end of the period. */
export const keepFirstText = 'The bank asks to confirm this payment. Keep your plan first, then upgrade it'

/**
 * The error if the bank asks the payer to confirm, which requires this secret. Nothing changes without the
 * confirmation.
 */
export class PaymentConfirmation extends Error {
  readonly clientSecret: string

  constructor(clientSecret: string) {
    super('The bank asks to confirm this payment. Nothing is changed until then.')
    this.name = 'PaymentConfirmation'
    this.clientSecret = clientSecret
  }
}

/**
 * The error if the provider rejects the request permanently. Nothing has changed. The message comes from the provider,
 * without secrets.
 */
export class PaymentRefused extends Error {
  /** The provider's error code; '' if there is none. */
  readonly code: string
  /** The invalid field of the billing details. */
  readonly field: string | undefined

  constructor(message: string, code = '', field?: string) {
    super(message)
    this.name = 'PaymentRefused'
    this.code = code
    this.field = field
  }
}

/**
 * The error if the provider did not respond, or its response was invalid. The request may or may not have taken effect.
 */
export class PaymentUnavailable extends AppError {
  constructor(options?: ErrorOptions) {
    super(503, 'PAYMENT_UNAVAILABLE', 'The payment provider cannot be reached. Try again in a minute.')
    this.cause = options?.cause
  }
}

/**
 * A payment provider, modeled on Stripe's objects. A call with a key takes effect once, however often it is repeated,
 * and always returns the same result. An object of another customer counts as not found: the result is undefined or
 * false. Each call may throw PaymentUnavailable.
 */
export type PaymentProvider = {
  kind: 'sandbox' | 'stripe'
  /** Returns the customer of an organization; undefined if it does not exist yet. */
  findCustomer(organizationId: string): Promise<string | undefined>
  /** Returns the customer of an organization. Creates it if it does not exist. */
  customerOf(organizationId: string): Promise<string>
  /**
   * Sets the billing details of later invoices. Throws PaymentRefused for details that the provider rejects, such as an
   * invalid tax ID.
   */
  updateCustomer(customer: string, company: BillingCompany): Promise<void>
  createSetupIntent(customer: string): Promise<{ clientSecret: string }>
  listPaymentMethods(customer: string): Promise<ProviderPaymentMethod[]>
  setDefaultPaymentMethod(customer: string, id: string): Promise<boolean>
  /** Removes a payment method. Another one becomes the default. */
  detachPaymentMethod(customer: string, id: string): Promise<boolean>
  /** Returns the current subscription; undefined if none is active. */
  getSubscription(customer: string): Promise<ProviderSubscription | undefined>
  /** Returns what a change would charge now: invoice lines and their total. */
  previewChange(customer: string, change: PriceChange): Promise<{ lines: Line[]; total: number; currency: string }>
  /**
   * Starts or changes the subscription; resolves to undefined if the change ends it. Throws PaymentDeclined,
   * PaymentRefused, and PaymentConfirmation. After PaymentConfirmation, the subscription starts or the upgrade takes
   * effect once the payer has confirmed. The next change cancels an open confirmation.
   */
  changeSubscription(
    key: string,
    customer: string,
    change: SubscriptionChange,
  ): Promise<ProviderSubscription | undefined>
  /**
   * Creates an invoice. With `daysUntilDue`, it is sent and due after this number of days. Otherwise it is collected
   * like the invoices of the customer's subscription: sent, or charged to the default payment method. A declined
   * invoice stays open. Throws PaymentRefused.
   */
  createInvoice(
    key: string,
    customer: string,
    invoice: { lines: readonly Line[]; currency: string; daysUntilDue: number | undefined },
  ): Promise<{ id: string; url: string }>
  /** Voids an unpaid invoice. A paid or void invoice is unchanged. */
  voidInvoice(customer: string, id: string): Promise<void>
  /**
   * Charges an open invoice to the default payment method, while the user is present to confirm. Does not change a paid
   * invoice. Resolves to false if the invoice does not exist, or can no longer be paid. Throws PaymentDeclined and
   * PaymentConfirmation.
   */
  payInvoice(customer: string, id: string): Promise<boolean>
  /** Lists the newest invoices first, at most 100. */
  listInvoices(customer: string): Promise<ProviderInvoice[]>
}
