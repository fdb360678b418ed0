import type { PeerCard, PeerCustomer, PeerInvoice, PeerPrice, PeerSubscription, StripeState } from './state.ts'

const list = (data: readonly unknown[]) => ({ object: 'list', has_more: false, data })

const priceOf = ({ id, product, currency, unit_amount, interval }: PeerPrice, expanded?: string) => ({
  id,
  object: 'price',
  currency,
  unit_amount,
  recurring: { interval, interval_count: 1 },
  product: expanded === undefined ? product : { id: product, object: 'product', name: expanded },
})

export const customerOf = ({ id, default: card }: PeerCustomer) => ({
  id,
  object: 'customer',
  invoice_settings: { default_payment_method: card },
})

export const cardOf = ({ id, customer, last4, created }: PeerCard) => ({
  id,
  object: 'payment_method',
  type: 'card',
  customer,
  created,
  card: { brand: 'visa', last4, exp_month: 12, exp_year: 2090 },
})

/** Returns an invoice as Stripe does. With `confirmable`, it contains the secret that confirms the payment. */
export const invoiceOf = (invoice: PeerInvoice, url: string, confirmable = false) => {
  const {
    id,
    customer,
    number,
    status,
    created,
    due_date,
    collection_method,
    billing_reason,
    currency,
    lines,
    metadata,
  } = invoice
  return {
    id,
    object: 'invoice',
    customer,
    number,
    status,
    created,
    due_date,
    collection_method,
    billing_reason,
    currency,
    total: lines.reduce((sum, { amount }) => sum + amount, 0),
    lines: list(lines),
    hosted_invoice_url: status === 'draft' ? null : `${url}/i/${id}`,
    invoice_pdf: null,
    ...(confirmable && status === 'open'
      ? { confirmation_secret: { type: 'payment_intent', client_secret: `${id.replace(/^in_/, 'pi_')}_secret` } }
      : {}),
    metadata,
  }
}

/**
 * A subscription as Stripe returns it: expanded objects are whole, others are IDs
 * (docs.stripe.com/api/expanding_objects).
 */
export const subscriptionOf = (
  state: StripeState,
  held: PeerSubscription,
  { url, expand }: { url: string; expand: ReadonlySet<string> },
) => {
  const invoice = state.invoices.get(held.latest_invoice ?? '')
  const expandedSchedule = expand.has('schedule') || expand.has('schedule.phases.items.price')
  const { schedule } = held
  return {
    id: held.id,
    object: 'subscription',
    customer: held.customer,
    status: held.status,
    created: held.created,
    collection_method: held.collection_method,
    days_until_due: held.collection_method === 'send_invoice' ? held.days_until_due : null,
    cancel_at_period_end: held.cancel_at_period_end,
    items: list([
      {
        id: held.item,
        object: 'subscription_item',
        price: priceOf(
          held.price,
          expand.has('items.data.price.product') ? state.products.get(held.price.product) : undefined,
        ),
        current_period_start: held.start,
        current_period_end: held.end,
      },
    ]),
    schedule: schedule === null ? null : expandedSchedule ? scheduleOf(held, expand) : schedule.id,
    latest_invoice:
      invoice === undefined
        ? null
        : expand.has('latest_invoice') || expand.has('latest_invoice.confirmation_secret')
          ? invoiceOf(invoice, url, expand.has('latest_invoice.confirmation_secret'))
          : held.latest_invoice,
    pending_update:
      held.pending === null
        ? null
        : { expires_at: held.pending.expires, subscription_items: [], metadata: held.pending.metadata },
    metadata: held.metadata,
  }
}

export const scheduleOf = (held: PeerSubscription, expand: ReadonlySet<string>) => {
  const next = held.schedule?.next ?? null
  const shown = (price: PeerPrice) => (expand.has('schedule.phases.items.price') ? priceOf(price) : price.id)
  return {
    id: held.schedule?.id,
    object: 'subscription_schedule',
    status: 'active',
    current_phase: { start_date: held.start, end_date: held.end },
    phases: [
      { start_date: held.start, end_date: held.end, items: [{ price: shown(held.price) }] },
      ...(next === null ? [] : [{ start_date: held.end, items: [{ price: shown(next) }] }]),
    ],
    metadata: held.schedule?.metadata ?? {},
  }
}

export const listOf = list
