import { type Form, formAt, textAt } from './form.ts'

/** An error response, as described in docs.stripe.com/api/errors. */
export class StripeError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined

  constructor(status: number, type: string, message: string, code?: string) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
  }
}

export const invalid = (message: string, code?: string): StripeError =>
  new StripeError(400, 'invalid_request_error', message, code)
export const missing = (what: string, id: string): StripeError =>
  new StripeError(404, 'invalid_request_error', `No such ${what}: '${id}'`, 'resource_missing')
const declined = (): StripeError => new StripeError(402, 'card_error', 'Your card was declined.', 'card_declined')
const toConfirm = (what: 'subscription' | 'invoice'): StripeError =>
  new StripeError(
    402,
    'card_error',
    'This payment requires additional user action.',
    `${what}_payment_intent_requires_action`,
  )

export type PeerPrice = {
  id: string
  product: string
  currency: string
  unit_amount: number
  interval: 'month' | 'year'
}
export type PeerCard = {
  id: string
  customer: string | null
  last4: string
  declines: boolean
  /** Whether the bank requires a confirmation of each payment. */
  confirms: boolean
  created: number
}
export type PeerCustomer = {
  id: string
  default: string | null
  company: Form
  tax: { id: string; type: string; value: string }[]
}
export type PeerSubscription = {
  id: string
  customer: string
  status: 'active' | 'past_due' | 'canceled' | 'incomplete'
  created: number
  collection_method: 'charge_automatically' | 'send_invoice'
  days_until_due: number
  cancel_at_period_end: boolean
  price: PeerPrice
  item: string
  anchor: number
  start: number
  end: number
  schedule: PeerSchedule | null
  latest_invoice: string | null
  /** An update that applies as soon as the latest invoice is paid. */
  pending: PeerPending | null
  metadata: Record<string, string>
}
export type PeerPending = { price: PeerPrice; time: number; expires: number; metadata: Record<string, string> }
export type PeerSchedule = { id: string; next: PeerPrice | null; metadata: Record<string, string> }
export type PeerInvoice = {
  id: string
  customer: string
  subscription: string | null
  number: string | null
  status: 'draft' | 'open' | 'paid' | 'void'
  created: number
  due_date: number | null
  collection_method: 'charge_automatically' | 'send_invoice'
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'manual'
  currency: string
  lines: { description: string; amount: number }[]
  metadata: Record<string, string>
}

/**
 * The end of the period after `start`, on the day of the anchor (docs.stripe.com/billing/subscriptions/billing-cycle).
 */
export const periodEnd = (anchor: number, start: number, interval: 'month' | 'year'): number => {
  const first = new Date(anchor * 1000)
  for (let count = 1; ; count++) {
    const months = interval === 'year' ? count * 12 : count
    const day = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + months + 1, 0)).getUTCDate()
    const end =
      Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + months, Math.min(day, first.getUTCDate())) / 1000 +
      (anchor % 86_400)
    if (end > start) return end
  }
}

/** The state of the account, and the rules by which it changes. `now` is in seconds. */
export class StripeState {
  readonly customers = new Map<string, PeerCustomer>()
  readonly cards = new Map<string, PeerCard>()
  readonly intents = new Map<string, string>()
  readonly products = new Map<string, string>()
  readonly subscriptions = new Map<string, PeerSubscription>()
  readonly invoices = new Map<string, PeerInvoice>()
  readonly prices = new Map<string, PeerPrice>()
  now: number
  #count = 0

  constructor(now: number) {
    this.now = now
  }

  id(prefix: string): string {
    this.#count += 1
    return `${prefix}_${String(this.#count).padStart(6, '0')}`
  }

  customer(id: string): PeerCustomer {
    const found = this.customers.get(id)
    if (found === undefined) throw missing('customer', id)
    return found
  }

  subscription(id: string): PeerSubscription {
    const found = this.subscriptions.get(id)
    if (found === undefined || found.status === 'canceled') throw missing('subscription', id)
    return found
  }

  invoice(id: string): PeerInvoice {
    const found = this.invoices.get(id)
    if (found === undefined) throw missing('invoice', id)
    return found
  }

  /**
   * Creates a price from `price_data`: the product must exist, the amount must be a whole number
   * (docs.stripe.com/api/subscriptions/create).
   */
  price(form: Form | undefined): PeerPrice {
    const product = textAt(form ?? {}, 'product') ?? ''
    if (!this.products.has(product)) throw missing('product', product)
    const amount = textAt(form ?? {}, 'unit_amount') ?? ''
    const currency = textAt(form ?? {}, 'currency') ?? ''
    const interval = textAt(form ?? {}, 'recurring', 'interval')
    if (!/^\d+$/.test(amount)) throw invalid('Invalid integer: unit_amount', 'parameter_invalid_integer')
    if (!/^[a-z]{3}$/.test(currency)) throw invalid('Invalid currency')
    if (interval !== 'month' && interval !== 'year') throw invalid('Invalid recurring[interval]')
    return { id: this.id('price'), product, currency, unit_amount: Number(amount), interval }
  }

  chargeable(customer: string): boolean {
    const card = this.cards.get(this.customer(customer).default ?? '')
    return card !== undefined && card.customer === customer && !card.declines && !card.confirms
  }

  /** Whether a charge only needs the bank's confirmation. */
  confirmable(customer: string): boolean {
    const card = this.cards.get(this.customer(customer).default ?? '')
    return card !== undefined && card.customer === customer && !card.declines && card.confirms
  }

  /** Confirms a payment by its secret, as Stripe.js does for the payer. */
  confirmPayment(secret: string): void {
    const invoice = this.invoice(secret.replace(/_secret$/, '').replace(/^pi_/, 'in_'))
    if (invoice.status !== 'open') throw invalid('The payment is over')
    invoice.status = 'paid'
    const held = this.subscriptions.get(invoice.subscription ?? '')
    if (held?.status === 'incomplete') held.status = 'active'
    if (held?.pending && held.latest_invoice === invoice.id) this.#apply(held, held.pending)
    if (held !== undefined) this.#isPaid(held)
  }

  bill(
    customer: string,
    given: Pick<PeerInvoice, 'currency' | 'lines' | 'status'> & {
      subscription?: string
      reason?: 'subscription_create' | 'subscription_update'
      due?: number
      metadata?: Record<string, string>
    },
  ): PeerInvoice {
    const id = this.id('in')
    const made: PeerInvoice = {
      id,
      customer,
      subscription: given.subscription ?? null,
      number: given.status === 'draft' ? null : id.toUpperCase(),
      status: given.status,
      created: this.now,
      due_date: given.due ?? null,
      // An invoice that is sent has a due date.
      collection_method: given.due === undefined ? 'charge_automatically' : 'send_invoice',
      billing_reason: given.reason ?? (given.subscription === undefined ? 'manual' : 'subscription_cycle'),
      currency: given.currency,
      lines: given.lines,
      metadata: given.metadata ?? {},
    }
    this.invoices.set(id, made)
    return made
  }

  subscribe(customer: string, form: Form): PeerSubscription {
    this.customer(customer)
    const price = this.price(formAt(form, 'items', '0', 'price_data'))
    const sent = textAt(form, 'collection_method') === 'send_invoice'
    const days = Number(textAt(form, 'days_until_due') ?? 0)
    if (sent && days < 1) throw invalid('days_until_due is required with send_invoice')
    const behavior = textAt(form, 'payment_behavior')
    const waits = !sent && behavior === 'allow_incomplete' && this.confirmable(customer)
    if (!sent && !waits && !this.chargeable(customer)) {
      if (behavior !== 'error_if_incomplete')
        throw invalid('The peer knows error_if_incomplete, and incomplete for a confirmation')
      throw this.confirmable(customer) ? toConfirm('subscription') : declined()
    }
    const id = this.id('sub')
    const invoice = this.bill(customer, {
      subscription: id,
      reason: 'subscription_create',
      currency: price.currency,
      lines: [{ description: `1 × ${price.product}`, amount: price.unit_amount }],
      status: sent || waits ? 'open' : 'paid',
      ...(sent ? { due: this.now + days * 86_400 } : {}),
    })
    const made: PeerSubscription = {
      id,
      customer,
      status: waits ? 'incomplete' : 'active',
      created: this.now,
      collection_method: sent ? 'send_invoice' : 'charge_automatically',
      days_until_due: days,
      cancel_at_period_end: false,
      price,
      item: this.id('si'),
      anchor: this.now,
      start: this.now,
      end: periodEnd(this.now, this.now, price.interval),
      schedule: null,
      latest_invoice: invoice.id,
      pending: null,
      metadata: metadataOf(form),
    }
    this.subscriptions.set(id, made)
    return made
  }

  /**
   * Credit for unused time and charge for remaining time (docs.stripe.com/billing/subscriptions/prorations), at `date`.
   */
  proration(held: PeerSubscription, price: PeerPrice, date: number): { description: string; amount: number }[] {
    if (date < held.start || date > this.now) throw invalid('The proration date is outside of the current period')
    const part = (held.end - date) / (held.end - held.start)
    const same = price.interval === held.price.interval
    return [
      { description: `Unused time on ${held.price.product}`, amount: -Math.round(held.price.unit_amount * part) },
      {
        description: `${same ? 'Remaining time on' : '1 ×'} ${price.product}`,
        amount: same ? Math.round(price.unit_amount * part) : price.unit_amount,
      },
    ]
  }

  update(id: string, form: Form): PeerSubscription {
    const held = this.subscription(id)
    const cancel = textAt(form, 'cancel_at_period_end')
    // docs.stripe.com/billing/subscriptions/subscription-schedules: a schedule manages the subscription from which it
    // was created.
    if (held.schedule !== null) throw invalid('The subscription is managed by the subscription schedule')
    // docs.stripe.com/billing/subscriptions/pending-updates: the caller must first resolve a conflicting pending
    // update.
    if (held.pending !== null) throw invalid('The peer knows no updates beside a pending one')
    const data = formAt(form, 'items', '0', 'price_data')
    const known = textAt(form, 'items', '0', 'price')
    if (textAt(form, 'payment_behavior') === 'pending_if_incomplete') checkPending(form, held)
    if (data !== undefined || known !== undefined) {
      if (textAt(form, 'items', '0', 'id') !== held.item) throw invalid('No such subscription item')
      if (textAt(form, 'proration_behavior') !== 'always_invoice') throw invalid('The peer knows always_invoice only')
      const price = known === undefined ? this.price(data) : this.prices.get(known)
      if (price === undefined) throw missing('price', known ?? '')
      if (price.currency !== held.price.currency) throw invalid('The price has another currency than the subscription')
      const lines = this.proration(held, price, Number(textAt(form, 'proration_date') ?? this.now))
      const waits = textAt(form, 'payment_behavior') === 'pending_if_incomplete' && !this.chargeable(held.customer)
      if (!waits && !this.chargeable(held.customer))
        throw this.confirmable(held.customer) ? toConfirm('subscription') : declined()
      const invoice = this.bill(held.customer, {
        subscription: id,
        reason: 'subscription_update',
        currency: price.currency,
        lines,
        status: waits ? 'open' : 'paid',
      })
      held.latest_invoice = invoice.id
      const expires = Math.min(this.now + 23 * 3600, held.end)
      const pending = { price, time: this.now, expires, metadata: metadataOf(form) }
      if (waits) {
        held.pending = pending
        return held
      }
      this.#apply(held, pending)
    }
    const collection = textAt(form, 'collection_method')
    if (collection === 'charge_automatically') held.collection_method = collection
    if (cancel !== undefined) held.cancel_at_period_end = cancel === 'true'
    held.metadata = { ...held.metadata, ...metadataOf(form) }
    return held
  }

  /** Applies a pending update. */
  #apply(held: PeerSubscription, { price, time, metadata }: PeerPending): void {
    if (price.interval !== held.price.interval)
      Object.assign(held, { anchor: time, start: time, end: periodEnd(time, time, price.interval) })
    held.metadata = { ...held.metadata, ...metadata }
    Object.assign(held, { price, pending: null, cancel_at_period_end: false })
  }

  /** Voids an open invoice; a pending update is discarded with its invoice. */
  voidInvoice(id: string): PeerInvoice {
    const invoice = this.invoice(id)
    if (invoice.status !== 'open') throw invalid('Only open invoices can be voided')
    invoice.status = 'void'
    const held = this.subscriptions.get(invoice.subscription ?? '')
    if (held?.pending && held.latest_invoice === id) held.pending = null
    return invoice
  }

  /** Discards expired pending updates, with their invoices. */
  #expire(to: number): void {
    for (const held of this.subscriptions.values())
      if (held.pending && held.pending.expires <= to && held.latest_invoice !== null)
        this.voidInvoice(held.latest_invoice)
  }

  /** Pays an invoice with a card; an overdue subscription becomes active when no invoice is open. */
  pay(id: string, card: PeerCard | undefined): PeerInvoice {
    const invoice = this.invoice(id)
    if (invoice.status !== 'open') throw invalid('The invoice is not open')
    if (card === undefined || card.customer !== invoice.customer || card.declines) throw declined()
    if (card.confirms) throw toConfirm('invoice')
    invoice.status = 'paid'
    const held = this.subscriptions.get(invoice.subscription ?? '')
    if (held !== undefined) this.#isPaid(held)
    return invoice
  }

  #isPaid(held: PeerSubscription): void {
    const open = [...this.invoices.values()].some((each) => each.subscription === held.id && each.status === 'open')
    if (held.status === 'past_due' && !open) held.status = 'active'
  }

  /** Cancels a subscription immediately, even before its first payment is confirmed, and voids its open invoices. */
  cancel(id: string): PeerSubscription {
    const held = this.subscription(id)
    held.status = 'canceled'
    held.pending = null
    for (const each of this.invoices.values())
      if (each.subscription === id && each.status === 'open') each.status = 'void'
    return held
  }

  /** Advances the time: periods that end are renewed or canceled, or continue at the price of their schedule. */
  advance(to: number): void {
    this.#expire(to)
    for (const held of this.subscriptions.values())
      while (held.status !== 'canceled' && held.status !== 'incomplete' && held.end <= to) {
        this.now = held.end
        this.#renew(held)
      }
    this.now = to
    for (const held of this.subscriptions.values()) {
      const late = [...this.invoices.values()].some(
        (each) => each.subscription === held.id && each.status === 'open' && (each.due_date ?? to) <= to,
      )
      if (late && held.status === 'active') held.status = 'past_due'
    }
  }

  #renew(held: PeerSubscription): void {
    if (held.cancel_at_period_end) {
      held.status = 'canceled'
      return
    }
    const next = held.schedule?.next
    if (next) {
      if (next.interval !== held.price.interval) held.anchor = held.end
      held.price = next
    }
    // `end_behavior` is `release`.
    if (held.schedule !== null) held.schedule = null
    held.start = held.end
    held.end = periodEnd(held.anchor, held.start, held.price.interval)
    const sent = held.collection_method === 'send_invoice'
    const paid = !sent && this.chargeable(held.customer)
    const invoice = this.bill(held.customer, {
      subscription: held.id,
      currency: held.price.currency,
      lines: [{ description: `1 × ${held.price.product}`, amount: held.price.unit_amount }],
      status: paid ? 'paid' : 'open',
      ...(sent ? { due: this.now + held.days_until_due * 86_400 } : {}),
    })
    held.latest_invoice = invoice.id
    if (!sent) held.status = paid ? 'active' : 'past_due'
  }
}

/**
 * Checks the fields of an update that may be pending (docs.stripe.com/billing/subscriptions/pending-updates-reference).
 */
const checkPending = (form: Form, held: PeerSubscription): void => {
  if (held.collection_method === 'send_invoice') throw invalid('Pending updates need charge_automatically')
  const supported = [
    'items',
    'expand',
    'payment_behavior',
    'proration_behavior',
    'proration_date',
    'cancel_at_period_end',
    'metadata',
  ]
  for (const name of Object.keys(form))
    if (!supported.includes(name)) throw invalid(`${name} is not supported with pending_if_incomplete`)
  if (textAt(form, 'items', '0', 'price') === undefined) throw invalid('The peer knows prices that are there only')
}

export const metadataOf = (form: Form): Record<string, string> => {
  const given = formAt(form, 'metadata') ?? {}
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
