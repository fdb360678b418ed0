import { PaymentRefused, PaymentUnavailable } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'
import { idOf, type StripeSubscription, stripeSubscription, stripeSubscriptions } from './objects.ts'

const live: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due', 'unpaid'])

// The fields to expand. Stripe allows at most four levels (docs.stripe.com/api/expanding_objects).
const expand = ['items.data.price.product', 'schedule.phases.items.price', 'latest_invoice']

/** Reads a subscription with all expanded fields. */
export const readSubscription = async (api: StripeApi, id: string): Promise<StripeSubscription> =>
  stripeSubscription.parse(await api.get(`subscriptions/${idPath(id)}`, { expand }))

/** Cancels unconfirmed first payments, except that of this operation: only one can start a subscription. */
export const dropUnconfirmed = async (api: StripeApi, customer: string, key: string): Promise<void> => {
  const { data } = stripeSubscriptions.parse(await api.get('subscriptions', { customer, limit: 100 }))
  for (const { id, status, metadata } of data)
    if (status === 'incomplete' && metadata?.operation !== key) await api.delete(`subscriptions/${idPath(id)}`)
}

/** Cancels an upgrade that was left unconfirmed, with its invoice, unless it belongs to this operation. */
export const dropPending = async (
  api: StripeApi,
  { pending_update, latest_invoice }: StripeSubscription,
  key: string,
): Promise<void> => {
  const invoice = idOf(latest_invoice)
  if (!pending_update || pending_update.metadata?.operation === key || invoice === undefined) return
  try {
    await api.post(`invoices/${idPath(invoice)}/void`, {}, `${invoice}:void`)
  } catch (cause) {
    // The upgrade was confirmed or has expired meanwhile, so the current state must be read first.
    if (cause instanceof PaymentRefused) throw new PaymentUnavailable({ cause })
    throw cause
  }
}

/** Finds the oldest active subscription of a customer. */
export const findSubscription = async (api: StripeApi, customer: string): Promise<StripeSubscription | undefined> => {
  const { data } = stripeSubscriptions.parse(await api.get('subscriptions', { customer, limit: 100 }))
  const [first] = data.filter(({ status }) => live.has(status)).toSorted((a, b) => a.created - b.created)
  return first === undefined ? undefined : await readSubscription(api, first.id)
}
