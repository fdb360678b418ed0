import { amountText } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { PaymentConfirmation, PaymentDeclined, type PaymentProvider, PaymentRefused } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'
import { findSubscription } from './find-subscription.ts'
import { fromStripe, idOf, type StripeInvoice, stripeInvoice, stripeInvoices, toStripe } from './objects.ts'

type NewInvoice = Parameters<PaymentProvider['createInvoice']>[2]

const statuses = { open: 'open', uncollectible: 'open', paid: 'paid', void: 'void' } as const

/** Number of days until a sent invoice is due, if the subscription does not set it. */
const daysOfSent = 30

/** Tries to pay an open invoice with a card, or with the default card. A declined invoice stays open and is shown. */
const tryToPay = async (api: StripeApi, invoice: string, card: string | undefined): Promise<void> => {
  try {
    await api.post(`invoices/${idPath(invoice)}/pay`, { payment_method: card }, `${invoice}:${card ?? 'first'}`)
  } catch (cause) {
    if (!(cause instanceof PaymentRefused || cause instanceof PaymentDeclined)) throw cause
  }
}

const openInvoices = async (api: StripeApi, customer: string): Promise<StripeInvoice[]> =>
  stripeInvoices.parse(await api.get('invoices', { customer, status: 'open', limit: 100 })).data

const ofOurs = ({ collection_method, metadata }: StripeInvoice): boolean =>
  collection_method === 'charge_automatically' && metadata?.operation !== undefined

/**
 * Returns when the oldest unpaid invoice that this product created was opened. Stripe itself tracks the invoices of
 * subscriptions.
 */
export const unpaidSince = async (api: StripeApi, customer: string): Promise<Date | undefined> => {
  const times = (await openInvoices(api, customer)).filter(ofOurs).map(({ created }) => created)
  return times.length === 0 ? undefined : new Date(Math.min(...times) * 1000)
}

/**
 * Whether an invoice belongs to a first payment or an upgrade that is not confirmed. It does not count before the
 * subscription starts or the upgrade takes effect.
 */
const isUnconfirmed = ({ billing_reason, collection_method, status }: StripeInvoice): boolean =>
  (billing_reason === 'subscription_create' || billing_reason === 'subscription_update') &&
  collection_method === 'charge_automatically' &&
  status !== 'paid'

/** Charges unpaid invoices again after the customer has added another card. */
export const payLate = async (api: StripeApi, customer: string, card: string): Promise<void> => {
  const held = await findSubscription(api, customer)
  const due = (await openInvoices(api, customer)).filter((invoice) => !isUnconfirmed(invoice))
  // While an upgrade waits for a confirmation, its invoice is the latest one.
  const renewal = due.find(({ billing_reason }) => billing_reason === 'subscription_cycle')
  const latest = held?.pending_update ? renewal?.id : idOf(held?.latest_invoice)
  for (const invoice of due)
    if (ofOurs(invoice) || (held?.status === 'past_due' && invoice.id === latest)) await tryToPay(api, invoice.id, card)
}

/**
 * Returns the due days of an invoice that has none of its own: those of the invoices of the subscription. Returns
 * undefined if these are charged.
 */
const likeSubscription = async (api: StripeApi, customer: string): Promise<number | undefined> => {
  const held = await findSubscription(api, customer)
  return held?.collection_method === 'send_invoice' ? (held.days_until_due ?? daysOfSent) : undefined
}

const begin = async (
  api: StripeApi,
  key: string,
  customer: string,
  { currency, daysUntilDue }: { currency: string; daysUntilDue: number | undefined },
): Promise<StripeInvoice> => {
  const days = daysUntilDue ?? (await likeSubscription(api, customer))
  const collected =
    days === undefined
      ? { collection_method: 'charge_automatically' }
      : { collection_method: 'send_invoice', days_until_due: days }
  const values = {
    customer,
    currency: currency.toLowerCase(),
    ...collected,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    metadata: { operation: key },
  }
  return stripeInvoice.parse(await api.post('invoices', values, `${key}:invoice`))
}

/** Adds the lines to a draft invoice that has none, and finalizes it. */
const finalize = async (
  api: StripeApi,
  key: string,
  draft: StripeInvoice,
  { customer, lines, currency }: { customer: string } & Pick<NewInvoice, 'lines' | 'currency'>,
): Promise<StripeInvoice> => {
  if (draft.total === 0)
    for (const [index, { description, amount }] of lines.entries()) {
      const values = { customer, invoice: draft.id, currency: currency.toLowerCase(), description }
      await api.post('invoiceitems', { ...values, amount: toStripe(amount, currency) }, `${key}:line-${index}`)
    }
  // Stripe's rules retry a charge that fails the first time.
  const auto_advance = draft.collection_method === 'charge_automatically'
  return stripeInvoice.parse(
    await api.post(`invoices/${idPath(draft.id)}/finalize`, { auto_advance }, `${key}:finalize`),
  )
}

/** Returns an invoice as the list shows it. Returns none for a draft, which has no number and no address. */
const shown = (invoice: StripeInvoice) => {
  const { status, number, id, created, hosted_invoice_url, invoice_pdf } = invoice
  if (status === null || status === 'draft' || isUnconfirmed(invoice)) return []
  const currency = invoice.currency.toUpperCase()
  return [
    {
      id,
      number: number ?? id,
      status: statuses[status],
      create_time: new Date(created * 1000).toISOString(),
      currency,
      total: amountText(fromStripe(invoice.total, currency), currency),
      url: hosted_invoice_url ?? invoice_pdf ?? '',
    },
  ]
}

/** Reads, creates, and pays invoices at Stripe. */
export const invoicesOf = (
  api: StripeApi,
): Pick<PaymentProvider, 'createInvoice' | 'voidInvoice' | 'payInvoice' | 'listInvoices'> => {
  const list = async (customer: string) =>
    stripeInvoices.parse(await api.get('invoices', { customer, limit: 100 })).data
  return {
    async createInvoice(key, customer, { lines, currency, daysUntilDue }) {
      // Stripe forgets keys after a day. An older invoice is found by the operation in its metadata.
      const begun = (await list(customer)).find(({ metadata }) => metadata?.operation === key)
      let made = begun ?? (await begin(api, key, customer, { currency, daysUntilDue }))
      const charged = made.collection_method === 'charge_automatically'
      if (made.status === 'draft') made = await finalize(api, key, made, { customer, lines, currency })
      if (charged && made.status === 'open') await tryToPay(api, made.id, undefined)
      const url = made.hosted_invoice_url ?? made.invoice_pdf
      if (url === null || url === undefined) throw new PaymentRefused('The invoice has no address')
      return { id: made.id, url }
    },
    async voidInvoice(_customer, id) {
      const found = await api.find(`invoices/${idPath(id)}`)
      const status = found === undefined ? undefined : stripeInvoice.parse(found).status
      if (status === 'draft') await api.delete(`invoices/${idPath(id)}`)
      if (status === 'open' || status === 'uncollectible')
        await api.post(`invoices/${idPath(id)}/void`, {}, `${id}:void`)
    },
    async payInvoice(customer, id) {
      const found = await api.find(`invoices/${idPath(id)}`, { expand: ['confirmation_secret'] })
      const known = found === undefined ? undefined : stripeInvoice.parse(found)
      if (known === undefined || idOf(known.customer) !== customer) return false
      if (known.status === 'paid') return true
      if (known.status !== 'open' && known.status !== 'uncollectible') return false
      try {
        // An invoice can be paid only once, so each call of a user is a new attempt.
        await api.post(`invoices/${idPath(id)}/pay`, { off_session: false }, newId())
      } catch (cause) {
        const secret = known.confirmation_secret?.client_secret
        if (cause instanceof PaymentDeclined && cause.unconfirmed && secret !== undefined)
          throw new PaymentConfirmation(secret)
        throw cause
      }
      return true
    },
    async listInvoices(customer) {
      return (await list(customer)).flatMap(shown)
    },
  }
}
