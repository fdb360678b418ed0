import type { Tx } from '@tributary/api-kit'
import { newId, randomToken } from '@tributary/kernel'
import type { SandboxSubscriptionsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { periodEnd, remainderOf } from '../periods.ts'
import {
  keepFirstText,
  type Line,
  type Price,
  type PriceChange,
  type ProviderSubscription,
  type SubscriptionChange,
} from '../provider.ts'
import type { Outcome } from './answers.ts'
import { askToConfirm, chargeable, chargeOutcome, declinedAnswer } from './charges.ts'

type Row = Selectable<SandboxSubscriptionsTable>

const priceOf = (text: string): Price => JSON.parse(text) as Price
const perInterval = ({ title, interval }: Price): string =>
  `${title} (${interval === 'MONTHLY' ? 'monthly' : 'annually'})`

/** Returns a subscription of the sandbox in the form of the provider interface. */
export const presentSubscription = async (tx: Tx, row: Row): Promise<ProviderSubscription> => {
  const late = row.status === 'past_due' ? await oldestOpen(tx, row.customer) : undefined
  return {
    id: row.id,
    status: row.status === 'past_due' ? 'past_due' : 'active',
    price: priceOf(row.price),
    next: row.cancel_at_period_end ? null : row.next_price === null ? undefined : priceOf(row.next_price),
    periodStart: row.period_start_time,
    periodEnd: row.period_end_time,
    pastDueSince: late === undefined ? undefined : new Date(late.getTime() + (row.days_until_due ?? 0) * dayMs),
  }
}

const dayMs = 86_400_000

/** Returns the creation time of the oldest unpaid invoice. */
const oldestOpen = async (tx: Tx, customer: string): Promise<Date | undefined> => {
  const row = await tx
    .selectFrom('sandbox_invoices')
    .select('create_time')
    .where('customer', '=', customer)
    .where('status', '=', 'open')
    .orderBy('create_time')
    .executeTakeFirst()
  return row?.create_time
}

/** Creates an invoice whose total is the sum of its lines; resolves to its secret. */
export const issue = async (
  tx: Tx,
  customer: string,
  { lines, currency, time, paid }: { lines: readonly Line[]; currency: string; time: Date; paid: boolean },
): Promise<string> => {
  const id = randomToken(24)
  const { company } = await tx
    .selectFrom('sandbox_customers')
    .select('company')
    .where('id', '=', customer)
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('sandbox_invoices')
    .values({
      id,
      customer,
      company,
      status: paid ? 'paid' : 'open',
      currency,
      lines: JSON.stringify(lines),
      total: lines.reduce((sum, { amount }) => sum + amount, 0),
      create_time: time,
    })
    .execute()
  return id
}

/**
 * Creates an invoice. Charges it immediately, unless the customer has a number of days to pay invoices
 * (`days_until_due`). If the charge fails, the subscription is past due.
 */
export const charge = async (tx: Tx, customer: string, invoice: Parameters<typeof issue>[2]): Promise<string> => {
  const live = await tx
    .selectFrom('sandbox_subscriptions')
    .select(['id', 'days_until_due'])
    .where('customer', '=', customer)
    .where('status', '<>', 'canceled')
    .executeTakeFirst()
  const sent = typeof live?.days_until_due === 'number'
  const paid = !sent && (await chargeable(tx, customer))
  if (live !== undefined && !sent && !paid)
    await tx.updateTable('sandbox_subscriptions').set({ status: 'past_due' }).where('id', '=', live.id).execute()
  return await issue(tx, customer, { ...invoice, paid })
}

/**
 * Pays open invoices if the default payment method can be charged. A subscription that was past due becomes active
 * again.
 */
export const payOpenInvoices = async (tx: Tx, customer: string): Promise<void> => {
  if (!(await chargeable(tx, customer))) return
  await tx
    .updateTable('sandbox_invoices')
    .set({ status: 'paid' })
    .where('customer', '=', customer)
    .where('status', '=', 'open')
    .execute()
  await tx
    .updateTable('sandbox_subscriptions')
    .set({ status: 'active' })
    .where('customer', '=', customer)
    .where('status', '=', 'past_due')
    .execute()
}

/** Marks a subscription with sent invoices as past due if one of them is due. */
const dueBy = async (tx: Tx, row: Row, now: Date): Promise<Row> => {
  if (row.days_until_due === null) return row
  const oldest = await oldestOpen(tx, row.customer)
  const late = oldest !== undefined && oldest.getTime() + row.days_until_due * dayMs <= now.getTime()
  const status = late ? 'past_due' : 'active'
  if (status !== row.status)
    await tx.updateTable('sandbox_subscriptions').set({ status }).where('id', '=', row.id).execute()
  return { ...row, status }
}

/** Maximum number of periods that one call renews. */
const maxPeriods = 120

/**
 * Returns the current subscription of a customer. Renews periods that have ended by `now`, each with an invoice, at the
 * scheduled price. Returns undefined if there is no subscription, or it has ended.
 */
export const settle = async (tx: Tx, customer: string, now: Date): Promise<Row | undefined> => {
  let row = await tx
    .selectFrom('sandbox_subscriptions')
    .selectAll()
    .where('customer', '=', customer)
    .where('status', '<>', 'canceled')
    .forUpdate()
    .executeTakeFirst()
  for (let periods = 0; row !== undefined && row.period_end_time <= now && periods < maxPeriods; periods++) {
    const { id, cancel_at_period_end, period_end_time: start } = row
    if (cancel_at_period_end) {
      await tx.updateTable('sandbox_subscriptions').set({ status: 'canceled' }).where('id', '=', id).execute()
      return undefined
    }
    const before = priceOf(row.price)
    const price: Price = row.next_price === null ? before : priceOf(row.next_price)
    const anchor: Date = price.interval === before.interval ? row.anchor_time : start
    const sent: boolean = row.days_until_due !== null
    const paid = !sent && (await chargeable(tx, customer))
    await issue(tx, customer, {
      lines: [{ description: perInterval(price), amount: price.amount }],
      currency: price.currency,
      time: start,
      paid,
    })
    row = await tx
      .updateTable('sandbox_subscriptions')
      .set({
        status: paid || sent ? 'active' : 'past_due',
        price: JSON.stringify(price),
        next_price: null,
        anchor_time: anchor,
        period_start_time: start,
        period_end_time: periodEnd(anchor, start, price.interval),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
  }
  return row === undefined ? undefined : await dueBy(tx, row, now)
}

/** An upgrade that waits for its confirmation, with the state of the subscription at that time. */
type AwaitedUpgrade = { upgrade: Price; lines: Line[]; time: string; from: string }

/** A payment that waits for a confirmation: the first payment of a subscription, an open invoice, or an upgrade. */
type AwaitedPayment = { price: Price } | { invoice: string } | AwaitedUpgrade

/**
 * Returns a text for the state of a subscription in which an upgrade was requested. If any part of this state changes,
 * the upgrade is void.
 */
const standing = (row: Row): string =>
  JSON.stringify([row.id, row.price, row.next_price, row.cancel_at_period_end, row.period_end_time])

const subscribe = async (
  tx: Tx,
  customer: string,
  { price, daysUntilDue }: Pick<PriceChange, 'price' | 'daysUntilDue'>,
  now: Date,
  confirmed: boolean,
): Promise<Outcome<Row>> => {
  const sent = daysUntilDue !== undefined
  const outcome = sent || confirmed ? 'succeeds' : await chargeOutcome(tx, customer)
  if (outcome === 'declines') return declinedAnswer(outcome)
  if (outcome === 'confirms')
    return await askToConfirm(tx, { customer, request: JSON.stringify({ price } satisfies AwaitedPayment), time: now })
  const answer = await tx
    .insertInto('sandbox_subscriptions')
    .values({
      id: `sandbox_sub_${newId()}`,
      customer,
      status: 'active',
      price: JSON.stringify(price),
      next_price: null,
      anchor_time: now,
      period_start_time: now,
      period_end_time: periodEnd(now, now, price.interval),
      days_until_due: daysUntilDue ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const lines = [{ description: perInterval(price), amount: price.amount }]
  await issue(tx, customer, { lines, currency: price.currency, time: now, paid: !sent })
  return { answer }
}

/**
 * Returns the invoice lines of an upgrade: a credit for the unused time at the old price, and a charge at the new
 * price. The charge is for the rest of the period, or for a new period.
 */
export const prorationLines = (
  row: Pick<Row, 'price' | 'period_start_time' | 'period_end_time'>,
  price: Price,
  now: Date,
): Line[] => {
  const before = priceOf(row.price)
  const period = { start: row.period_start_time, end: row.period_end_time }
  const unused = remainderOf(before.amount, period, now)
  const same = before.interval === price.interval
  const amount = same ? remainderOf(price.amount, period, now) : price.amount
  // The credit is never larger than the charge, because the sandbox pays nothing out.
  return [
    { description: same ? `Remaining time on ${perInterval(price)}` : perInterval(price), amount },
    { description: `Unused time on ${perInterval(before)}`, amount: unused === 0 ? 0 : -Math.min(unused, amount) },
  ]
}

/** Returns the time from which an upgrade is prorated: the agreed time, limited to the period. */
const proratedAt = (row: Row, { prorateTime }: PriceChange, now: Date): Date => {
  const agreed = prorateTime === undefined ? now : new Date(prorateTime)
  return agreed < row.period_start_time || agreed > now ? now : agreed
}

/** Returns what a change would charge now. */
export const previewChange = async (
  tx: Tx,
  customer: string,
  change: PriceChange,
  now: Date,
): Promise<{ lines: Line[]; total: number; currency: string }> => {
  const { price } = change
  const row = await settle(tx, customer, now)
  const lines =
    row === undefined
      ? [{ description: perInterval(price), amount: price.amount }]
      : prorationLines(row, price, proratedAt(row, change, now))
  return { lines, total: lines.reduce((sum, { amount }) => sum + amount, 0), currency: price.currency }
}

/** Charges an upgrade, and applies it immediately. */
const applyUpgrade = async (
  tx: Tx,
  row: Row,
  { price, lines, now }: { price: Price; lines: Line[]; now: Date },
): Promise<Row> => {
  await issue(tx, row.customer, { lines, currency: price.currency, time: now, paid: true })
  const same = priceOf(row.price).interval === price.interval
  const period = same
    ? {}
    : { anchor_time: now, period_start_time: now, period_end_time: periodEnd(now, now, price.interval) }
  return await tx
    .updateTable('sandbox_subscriptions')
    .set({
      price: JSON.stringify(price),
      next_price: null,
      cancel_at_period_end: false,
      days_until_due: null,
      ...period,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Upgrades now, or once the payment is confirmed. As at Stripe, a confirmation is not possible for sent invoices, or
 * while another price is scheduled.
 */
const upgrade = async (tx: Tx, row: Row, change: PriceChange, now: Date): Promise<Outcome<Row>> => {
  const { price } = change
  const outcome = await chargeOutcome(tx, row.customer)
  if (outcome === 'declines') return declinedAnswer(outcome)
  const lines = prorationLines(row, price, proratedAt(row, change, now))
  if (outcome === 'succeeds') return { answer: await applyUpgrade(tx, row, { price, lines, now }) }
  if (row.next_price !== null) return { declined: keepFirstText }
  if (row.days_until_due !== null) return declinedAnswer(outcome)
  const awaited: AwaitedUpgrade = { upgrade: price, lines, time: now.toISOString(), from: standing(row) }
  return await askToConfirm(tx, { customer: row.customer, request: JSON.stringify(awaited), time: now })
}

/** Applies a change. The result is undefined if the customer has no subscription afterwards. */
export const applyChange = async (
  tx: Tx,
  customer: string,
  change: SubscriptionChange,
  now: Date,
): Promise<Outcome<Row | null>> => {
  const row = await settle(tx, customer, now)
  if (row === undefined)
    return change.kind === 'change' ? subscribe(tx, customer, change, now, false) : { answer: null }
  if (change.kind === 'end') {
    await tx.updateTable('sandbox_subscriptions').set({ status: 'canceled' }).where('id', '=', row.id).execute()
    return { answer: null }
  }
  if (change.kind === 'change' && change.when === 'now') return await upgrade(tx, row, change, now)
  const answer = await tx
    .updateTable('sandbox_subscriptions')
    .set({
      cancel_at_period_end: change.kind === 'cancel',
      next_price: change.kind === 'change' ? JSON.stringify(change.price) : null,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { answer }
}

/** Pays one open invoice. A subscription that was past due becomes active again if no other invoice is open. */
const settleInvoice = async (tx: Tx, customer: string, id: string): Promise<void> => {
  await tx
    .updateTable('sandbox_invoices')
    .set({ status: 'paid' })
    .where('id', '=', id)
    .where('customer', '=', customer)
    .where('status', '=', 'open')
    .execute()
  if ((await oldestOpen(tx, customer)) !== undefined) return
  await tx
    .updateTable('sandbox_subscriptions')
    .set({ status: 'active' })
    .where('customer', '=', customer)
    .where('status', '=', 'past_due')
    .execute()
}

/** Charges an open invoice while the user is present to confirm. The result is false if the invoice cannot be paid. */
export const payInvoice = async (tx: Tx, customer: string, id: string, now: Date): Promise<Outcome<boolean>> => {
  const invoice = await tx
    .selectFrom('sandbox_invoices')
    .select('status')
    .where('id', '=', id)
    .where('customer', '=', customer)
    .executeTakeFirst()
  if (invoice?.status !== 'open') return { answer: invoice?.status === 'paid' }
  const outcome = await chargeOutcome(tx, customer)
  if (outcome === 'declines') return declinedAnswer(outcome)
  if (outcome === 'confirms')
    return await askToConfirm(tx, {
      customer,
      request: JSON.stringify({ invoice: id } satisfies AwaitedPayment),
      time: now,
    })
  await settleInvoice(tx, customer, id)
  return { answer: true }
}

/** Applies a change after its confirmation. Resolves to false if the subscription has changed meanwhile. */
export const applyConfirmed = async (tx: Tx, customer: string, request: string, now: Date): Promise<boolean> => {
  const awaited = JSON.parse(request) as AwaitedPayment
  if ('invoice' in awaited) {
    await settleInvoice(tx, customer, awaited.invoice)
    return true
  }
  const row = await settle(tx, customer, now)
  if ('upgrade' in awaited) {
    if (row === undefined || standing(row) !== awaited.from) return false
    await applyUpgrade(tx, row, { price: awaited.upgrade, lines: awaited.lines, now: new Date(awaited.time) })
    return true
  }
  if (row !== undefined) return false
  await subscribe(tx, customer, awaited, now, true)
  return true
}
