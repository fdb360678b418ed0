import type { BillingCompany, BillingFrequency, Invoice } from '@tributary/contract'

/** What a plan costs for each period, in minor units of its currency. */
export type Price = { plan: string; title: string; interval: BillingFrequency; amount: number; currency: string }

/** A subscription as the provider holds it. */
export type ProviderSubscription = {
  id: string
  status: 'active' | 'past_due'
  price: Price
  /** What is charged from the end of the period; undefined when that is the same, null when it ends there. */
  next: Price | null | undefined
  periodStart: Date
  periodEnd: Date
}

export type ProviderPaymentMethod = {
  id: string
  brand: string
  last4: string
  expMonth: number
  expYear: number
  default: boolean
}

/** What changes a subscription. `now` is prorated, `period-end` is not. */
export type SubscriptionChange =
  | { kind: 'change'; price: Price; when: 'now' | 'period-end' }
  | { kind: 'cancel' }
  | { kind: 'resume' }

/** The card, or the charge, was refused: nothing has changed. */
export class PaymentDeclined extends Error {
  constructor(message = 'The card was declined') {
    super(message)
    this.name = 'PaymentDeclined'
  }
}

/**
 * Who takes payments, shaped by Stripe's objects. A call with a key has one effect however often it is made, and gives the
 * same answer again. What a customer does not have is not found: undefined, or false.
 */
export type PaymentProvider = {
  kind: 'sandbox'
  /** The customer of an organization, made when there is none. */
  customerOf(organizationId: string): Promise<string>
  /** Whom later invoices are addressed to. */
  updateCustomer(customer: string, company: BillingCompany): Promise<void>
  createSetupIntent(customer: string): Promise<{ clientSecret: string }>
  listPaymentMethods(customer: string): Promise<ProviderPaymentMethod[]>
  setDefaultPaymentMethod(customer: string, id: string): Promise<boolean>
  /** Removes a payment method; another one becomes the default. */
  detachPaymentMethod(customer: string, id: string): Promise<boolean>
  /** The subscription that is not over, as it is now. */
  getSubscription(customer: string): Promise<ProviderSubscription | undefined>
  /** Subscribes, or changes the subscription that there is; undefined when it is over with that. Throws PaymentDeclined. */
  changeSubscription(
    key: string,
    customer: string,
    change: SubscriptionChange,
  ): Promise<ProviderSubscription | undefined>
  /** Newest first, 100 at most. `path` is of the product and opens without a session. */
  listInvoices(
    customer: string,
  ): Promise<(Omit<Invoice, 'organization' | 'company' | 'lines' | 'payment'> & { path: string })[]>
  getInvoice(secret: string): Promise<Invoice | undefined>
}
