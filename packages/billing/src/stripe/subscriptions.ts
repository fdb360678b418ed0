import type { PaymentProvider, Price, PriceChange, ProviderSubscription } from '../provider.ts'
import { keepFirstText, PaymentConfirmation, PaymentDeclined, PaymentRefused } from '../provider.ts'
import { type FormValue, idPath, type StripeApi } from './api.ts'
import { dropPending, dropUnconfirmed, findSubscription, readSubscription } from './find-subscription.ts'
import { unpaidSince } from './invoices.ts'
import {
  fromStripe,
  priceData,
  priceOf,
  productOf,
  type StripeInvoice,
  type StripeSchedule,
  type StripeSubscription,
  stripeId,
  stripePreview,
  stripeSchedule,
  stripeSubscription,
} from './objects.ts'

const date = (seconds: number): Date => new Date(seconds * 1000)

const scheduleOf = ({ schedule }: StripeSubscription): StripeSchedule | undefined =>
  typeof schedule === 'object' && schedule !== null && ['active', 'not_started'].includes(schedule.status)
    ? schedule
    : undefined

const itemOf = ({ items }: StripeSubscription) => {
  const [item] = items.data
  if (item === undefined) throw new PaymentRefused('The subscription has no price')
  return item
}

const nextOf = (subscription: StripeSubscription): ProviderSubscription['next'] => {
  if (subscription.cancel_at_period_end) return null
  const item = itemOf(subscription)
  const phase = scheduleOf(subscription)?.phases.find(({ start_date }) => start_date >= item.current_period_end)
  const price = phase?.items[0]?.price
  return price === undefined || typeof price === 'string' ? undefined : priceOf(price)
}

/** Returns a subscription of Stripe in the form of the provider interface. */
export const presentSubscription = (subscription: StripeSubscription): ProviderSubscription => {
  const item = itemOf(subscription)
  const late = subscription.status === 'past_due' || subscription.status === 'unpaid'
  const latest = typeof subscription.latest_invoice === 'object' ? subscription.latest_invoice : undefined
  // The open invoice of a pending upgrade does not make the subscription past due.
  const invoice = subscription.pending_update ? undefined : latest
  const since = invoice?.due_date ?? invoice?.created ?? item.current_period_start
  return {
    id: subscription.id,
    status: late ? 'past_due' : 'active',
    price: priceOf(item.price),
    next: nextOf(subscription),
    periodStart: date(item.current_period_start),
    periodEnd: date(item.current_period_end),
    pastDueSince: late ? date(since) : undefined,
  }
}

/** Creates the product of a plan if it does not exist. */
export const ensureProduct = async (api: StripeApi, { plan, title }: Price): Promise<void> => {
  const id = productOf(plan)
  if ((await api.find(`products/${idPath(id)}`)) !== undefined) return
  try {
    await api.post('products', { id, name: title, metadata: { plan } })
  } catch (cause) {
    // Another process created it first.
    if (!(cause instanceof PaymentRefused && cause.code === 'resource_already_exists')) throw cause
  }
}

const proration = ({ prorateTime }: PriceChange) =>
  prorateTime === undefined ? undefined : Math.floor(Date.parse(prorateTime) / 1000)

/** Removes the schedule of a subscription, which continues at its current price. */
const release = async (api: StripeApi, key: string, held: StripeSubscription): Promise<void> => {
  const schedule = scheduleOf(held)
  if (schedule !== undefined)
    await api.post(`subscription_schedules/${idPath(schedule.id)}/release`, {}, `${key}:release`)
}

/** Returns the secret with which the payer confirms the latest invoice, if the invoice is expanded. */
const secretOf = ({ latest_invoice: invoice }: Pick<StripeSubscription, 'latest_invoice'>): string | undefined =>
  (typeof invoice === 'object' ? (invoice as StripeInvoice | null) : null)?.confirmation_secret?.client_secret

const subscribe = async (
  api: StripeApi,
  key: string,
  customer: string,
  { price, daysUntilDue }: PriceChange,
): Promise<StripeSubscription> => {
  await ensureProduct(api, price)
  await dropUnconfirmed(api, customer, key)
  const values = { customer, items: [{ price_data: priceData(price) }], metadata: { operation: key } }
  const begin = async (collected: Record<string, FormValue>, step: string) =>
    stripeSubscription.parse(await api.post('subscriptions', { ...values, ...collected }, step))
  if (daysUntilDue !== undefined) {
    const { id } = await begin({ collection_method: 'send_invoice', days_until_due: daysUntilDue }, key)
    return await readSubscription(api, id)
  }
  try {
    // If the charge fails, no subscription is created.
    const { id } = await begin({ payment_behavior: 'error_if_incomplete', off_session: true }, key)
    return await readSubscription(api, id)
  } catch (cause) {
    if (!(cause instanceof PaymentDeclined && cause.unconfirmed)) throw cause
  }
  const made = await begin(
    { payment_behavior: 'allow_incomplete', expand: ['latest_invoice.confirmation_secret'] },
    `${key}:confirm`,
  )
  const secret = secretOf(made)
  // The charge may succeed once the user has confirmed it.
  if (made.status !== 'incomplete' || secret === undefined) return await readSubscription(api, made.id)
  throw new PaymentConfirmation(secret)
}

/**
 * Makes an upgrade that takes effect once the payer has confirmed it. Stripe discards it if this takes more than 23
 * hours. It is a pending update, with the fields that docs.stripe.com/billing/subscriptions/pending-updates-reference
 * allows.
 */
const upgradeOnceConfirmed = async (
  api: StripeApi,
  key: string,
  held: StripeSubscription,
  change: PriceChange,
): Promise<void> => {
  const { recurring, ...price } = priceData(change.price)
  const { id } = stripeId.parse(await api.post('prices', { ...price, recurring }, `${key}:price`))
  const pending = stripeSubscription.parse(
    await api.post(
      `subscriptions/${idPath(held.id)}`,
      {
        items: [{ id: itemOf(held).id, price: id }],
        proration_behavior: 'always_invoice',
        proration_date: proration(change),
        payment_behavior: 'pending_if_incomplete',
        cancel_at_period_end: false,
        metadata: { operation: key },
        expand: ['latest_invoice.confirmation_secret'],
      },
      `${key}:confirm`,
    ),
  )
  const secret = secretOf(pending)
  // The charge may succeed once the user has confirmed it.
  if (pending.pending_update && secret !== undefined) throw new PaymentConfirmation(secret)
}

const changeNow = async (api: StripeApi, key: string, held: StripeSubscription, change: PriceChange): Promise<void> => {
  await ensureProduct(api, change.price)
  await release(api, key, held)
  const updated = api.post(
    `subscriptions/${idPath(held.id)}`,
    {
      items: [{ id: itemOf(held).id, price_data: priceData(change.price) }],
      proration_behavior: 'always_invoice',
      proration_date: proration(change),
      payment_behavior: 'error_if_incomplete',
      cancel_at_period_end: false,
      collection_method: held.collection_method === 'send_invoice' ? 'charge_automatically' : undefined,
      off_session: true,
      metadata: { operation: key },
    },
    key,
  )
  await updated.catch(async (cause: unknown) => {
    if (!(cause instanceof PaymentDeclined)) throw cause
    const later = nextOf(held)
    if (later !== undefined && later !== null) {
      // Restores the change that was scheduled for the end of the period.
      const restored = { ...held, schedule: null }
      await changeLater(api, `${key}:restore`, restored, { kind: 'change', price: later, when: 'period-end' })
      // A subscription with a schedule cannot have pending updates.
      throw cause.unconfirmed ? new PaymentDeclined(keepFirstText) : cause
    }
    // A subscription that is billed by sent invoices cannot have a pending update, either.
    if (!cause.unconfirmed || held.collection_method === 'send_invoice') throw cause
    await upgradeOnceConfirmed(api, key, held, change)
  })
}

/**
 * Schedules two phases: the current price up to the end of the period, then the other price, which continues without a
 * schedule.
 */
const changeLater = async (
  api: StripeApi,
  key: string,
  held: StripeSubscription,
  { price }: PriceChange,
): Promise<void> => {
  await ensureProduct(api, price)
  if (held.cancel_at_period_end)
    await api.post(`subscriptions/${idPath(held.id)}`, { cancel_at_period_end: false }, `${key}:keep`)
  const schedule =
    scheduleOf(held) ??
    stripeSchedule.parse(await api.post('subscription_schedules', { from_subscription: held.id }, `${key}:schedule`))
  const item = itemOf(held)
  const { start_date, end_date } = schedule.current_phase ?? {
    start_date: item.current_period_start,
    end_date: item.current_period_end,
  }
  const data = priceData(price)
  await api.post(
    `subscription_schedules/${idPath(schedule.id)}`,
    {
      end_behavior: 'release',
      proration_behavior: 'none',
      phases: [
        { items: [{ price: item.price.id, quantity: 1 }], start_date, end_date, proration_behavior: 'none' },
        {
          items: [{ price_data: data, quantity: 1 }],
          duration: { interval: data.recurring.interval, interval_count: 1 },
          proration_behavior: 'none',
        },
      ],
      metadata: { operation: key },
    },
    key,
  )
}

/** Whether the last change of a subscription was the operation with this key. Stripe forgets keys after a day. */
const isDone = (held: StripeSubscription, key: string): boolean =>
  held.metadata?.operation === key || scheduleOf(held)?.metadata?.operation === key

/**
 * Ends every subscription of a customer. A deletion needs no key: a repeated call finds nothing, and Stripe ignores the
 * key (docs.stripe.com/api/idempotent_requests).
 */
const endAll = async (api: StripeApi, customer: string, first: StripeSubscription | undefined): Promise<undefined> => {
  for (let held = first; held !== undefined; held = await findSubscription(api, customer))
    try {
      await api.delete(`subscriptions/${idPath(held.id)}`)
    } catch (cause) {
      // The subscription has ended meanwhile.
      if (!(cause instanceof PaymentRefused && cause.code === 'resource_missing')) throw cause
    }
}

/** Reads and changes subscriptions at Stripe. */
export const subscriptionsOf = (
  api: StripeApi,
): Pick<PaymentProvider, 'getSubscription' | 'previewChange' | 'changeSubscription'> => ({
  async getSubscription(customer) {
    const held = await findSubscription(api, customer)
    if (held === undefined) return undefined
    const shown = presentSubscription(held)
    const since = await unpaidSince(api, customer)
    if (since === undefined) return shown
    const oldest = shown.pastDueSince !== undefined && shown.pastDueSince < since ? shown.pastDueSince : since
    return { ...shown, status: 'past_due', pastDueSince: oldest }
  },
  async previewChange(customer, change) {
    await ensureProduct(api, change.price)
    const held = await findSubscription(api, customer)
    const items = [{ id: held === undefined ? undefined : itemOf(held).id, price_data: priceData(change.price) }]
    const details =
      held === undefined
        ? { items }
        : {
            items,
            proration_behavior: 'always_invoice',
            proration_date: proration(change),
            cancel_at_period_end: false,
          }
    const values = { customer, subscription: held?.id, subscription_details: details }
    const found = stripePreview.parse(await api.post('invoices/create_preview', values))
    const currency = found.currency.toUpperCase()
    const lines = found.lines.data.map(({ description, amount }) => ({
      description: description ?? '',
      amount: fromStripe(amount, currency),
    }))
    const total = fromStripe(found.total, currency)
    const rest = total - lines.reduce((sum, { amount }) => sum + amount, 0)
    return {
      lines: rest === 0 ? lines : [...lines, { description: 'Taxes and discounts', amount: rest }],
      total,
      currency,
    }
  },
  async changeSubscription(key, customer, change) {
    const held = await findSubscription(api, customer)
    if (change.kind === 'end') return await endAll(api, customer, held)
    if (held === undefined)
      return change.kind === 'change' ? presentSubscription(await subscribe(api, key, customer, change)) : undefined
    if (isDone(held, key)) return presentSubscription(held)
    await dropPending(api, held, key)
    if (change.kind === 'change' && change.when === 'now') await changeNow(api, key, held, change)
    else if (change.kind === 'change') await changeLater(api, key, held, change)
    else {
      await release(api, key, held)
      const cancel_at_period_end = change.kind === 'cancel'
      await api.post(`subscriptions/${idPath(held.id)}`, { cancel_at_period_end, metadata: { operation: key } }, key)
    }
    return await this.getSubscription(customer)
  },
})
