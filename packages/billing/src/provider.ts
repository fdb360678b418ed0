import type { BillingCompany, BillingFrequency, Invoice } from '@tributary/contract'
import { AppError } from '@tributary/kernel'

/** What a plan costs for each period, in minor units of its currency. */
export type Price = { plan: string; title: string; interval: BillingFrequency; amount: number; currency: string }

/** A line of an invoice, in minor units. */
export type Line = { description: string; amount: number }

/** A subscription as the provider holds it. */
export type ProviderSubscription = {
  id: string
  status: 'active' | 'past_due'
  price: Price
  /** The price from the end of the period; undefined when it stays, null when the subscription ends there. */
  next: Price | null | undefined
  periodStart: Date
  periodEnd: Date
  /** Since when its oldest invoice that could not be charged is open; undefined while none is. */
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
  /** Opens without a session: a path of the product, or an address of the provider. */
  url: string
}

/** A price that is to hold. `now` is prorated from `prorateTime` (ISO 8601), `period-end` is not. */
export type PriceChange = {
  kind: 'change'
  price: Price
  when: 'now' | 'period-end'
  prorateTime?: string | undefined
  /** Invoices are sent and due in so many days, instead of charged to a payment method. For a first subscription. */
  daysUntilDue?: number | undefined
}

/** A change of a subscription. `end` ends it now, whatever is paid for: nothing is paid back, and unpaid invoices stay due. */
export type SubscriptionChange = PriceChange | { kind: 'cancel' } | { kind: 'resume' } | { kind: 'end' }

/** The card, or the charge, was refused: nothing has changed. */
export class PaymentDeclined extends Error {
  /** The only reason is that the bank asks for a confirmation, and no user is there to give it. */
  readonly unconfirmed: boolean

  constructor(message = 'The card was declined', unconfirmed = false) {
    super(message)
    this.name = 'PaymentDeclined'
    this.unconfirmed = unconfirmed
  }
}

/** Why a charge is declined that the bank asks to confirm, where it cannot be confirmed in place. */
export const unconfirmedText = 'The bank asks to confirm this payment, which a saved card cannot. Add another card'

/** Why an upgrade that is to be confirmed is declined while another price waits for the end of the period. */
export const keepFirstText = 'The bank asks to confirm this payment. Keep your plan first, then upgrade it'

/** The bank asks the payer to confirm with this secret: nothing has changed, and nothing will without the confirmation. */
export class PaymentConfirmation extends Error {
  readonly clientSecret: string

  constructor(clientSecret: string) {
    super('The bank asks to confirm this payment. Nothing is changed until then.')
    this.name = 'PaymentConfirmation'
    this.clientSecret = clientSecret
  }
}

/** The provider refuses the request for good: nothing has changed. The message is the provider's own, without secrets. */
export class PaymentRefused extends Error {
  /** The provider's own word for why, '' where it has none. */
  readonly code: string
  /** The field of the billing details that is wrong. */
  readonly field: string | undefined

  constructor(message: string, code = '', field?: string) {
    super(message)
    this.name = 'PaymentRefused'
    this.code = code
    this.field = field
  }
}

/** The provider did not answer, or not as it should: the request may have been carried out or not. */
export class PaymentUnavailable extends AppError {
  constructor(options?: ErrorOptions) {
    super(503, 'PAYMENT_UNAVAILABLE', 'The payment provider cannot be reached. Try again in a minute.')
    this.cause = options?.cause
  }
}

/**
 * A provider of payments, shaped by Stripe's objects. A call with a key has one effect however often it is made, and gives the same
 * answer again. An object that a customer does not have is not found: undefined, or false. Each call throws PaymentUnavailable.
 */
export type PaymentProvider = {
  kind: 'sandbox' | 'stripe'
  /** The customer of an organization; undefined when there is none yet. */
  findCustomer(organizationId: string): Promise<string | undefined>
  /** The customer of an organization, made when there is none. */
  customerOf(organizationId: string): Promise<string>
  /** Sets the addressee of later invoices. Throws PaymentRefused for details that it does not take, such as an invalid tax ID. */
  updateCustomer(customer: string, company: BillingCompany): Promise<void>
  createSetupIntent(customer: string): Promise<{ clientSecret: string }>
  listPaymentMethods(customer: string): Promise<ProviderPaymentMethod[]>
  setDefaultPaymentMethod(customer: string, id: string): Promise<boolean>
  /** Removes a payment method; another one becomes the default. */
  detachPaymentMethod(customer: string, id: string): Promise<boolean>
  /** The subscription that is not over, as it is now. */
  getSubscription(customer: string): Promise<ProviderSubscription | undefined>
  /** What a change now would charge: lines that add up to it. */
  previewChange(customer: string, change: PriceChange): Promise<{ lines: Line[]; total: number; currency: string }>
  /**
   * Subscribes, or changes the subscription; undefined when it is over with that. Throws PaymentDeclined, PaymentRefused, and
   * PaymentConfirmation: then the subscription begins, or the upgrade holds, with the confirmation. The next change takes back an
   * open confirmation.
   */
  changeSubscription(
    key: string,
    customer: string,
    change: SubscriptionChange,
  ): Promise<ProviderSubscription | undefined>
  /**
   * Makes an invoice. With `daysUntilDue`, it is sent and due in so many days. Otherwise it is paid as those of the customer's
   * subscription are. These are sent, or charged to the default payment method; an invoice stays open where that is declined.
   * Throws PaymentRefused.
   */
  createInvoice(
    key: string,
    customer: string,
    invoice: { lines: readonly Line[]; currency: string; daysUntilDue: number | undefined },
  ): Promise<{ id: string; url: string }>
  /** Takes an invoice back that is not paid; one that is paid, or void already, stays as it is. */
  voidInvoice(customer: string, id: string): Promise<void>
  /**
   * Charges an open invoice to the default payment method, for a user who is there to confirm; a paid one stays paid. False for an
   * invoice that does not exist, or that cannot be paid any more. Throws PaymentDeclined and PaymentConfirmation.
   */
  payInvoice(customer: string, id: string): Promise<boolean>
  /** Newest first, 100 at most. */
  listInvoices(customer: string): Promise<ProviderInvoice[]>
}
