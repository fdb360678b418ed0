import { type Db, lockOrganization, recordAction, type Tx } from '@tributary/api-kit'
import { amountText, resourceNames, type Subscription } from '@tributary/contract'
import { AppError, conflict, newId } from '@tributary/kernel'
import { trackPeriods } from './overage/track.ts'
import {
  PaymentConfirmation,
  PaymentDeclined,
  type PaymentProvider,
  PaymentRefused,
  PaymentUnavailable,
  type ProviderSubscription,
  type SubscriptionChange,
} from './provider.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { BillingServices } from './services.ts'
import type { Stripe } from './stripe/stripe.ts'

export type BillingDeps = Pick<BillingServices, 'db' | 'clock' | 'billing'> & {
  /** The payment provider; absent if plans cannot be bought. */
  payment: Sandbox | Stripe | undefined
}

/** Returns the payment provider. Throws 409 if there is none. */
export const requirePayment = ({ payment }: Pick<BillingDeps, 'payment'>): Sandbox | Stripe => {
  if (payment === undefined) throw conflict('PAYMENT_NOT_CONFIGURED', 'This installation has no payment provider')
  return payment
}

const subscriptionName = (organizationId: string): string =>
  resourceNames.subscription.format({ organization: organizationId })

/** Returns a subscription as the API shows it; undefined stands for the free plan. */
export const presentSubscription = (
  { billing, payment }: Pick<BillingDeps, 'billing' | 'payment'>,
  organizationId: string,
  held: ProviderSubscription | undefined,
): Subscription => {
  const name = subscriptionName(organizationId)
  const provider = payment?.kind ?? 'none'
  const [first] = billing.plans.plans
  if (first === undefined) throw new Error('A catalogue has no plans')
  if (held === undefined)
    return {
      name,
      plan: first.name,
      recurring_interval: 'MONTHLY',
      status: 'active',
      amount: amountText(0, billing.plans.currency),
      currency: billing.plans.currency,
      period_start_time: null,
      period_end_time: null,
      next: null,
      past_due_time: null,
      limits_time: null,
      payment: provider,
      as_of_time: null,
    }
  const { price, next } = held
  return {
    name,
    plan: price.plan,
    recurring_interval: price.interval,
    status: held.status,
    amount: amountText(price.amount, price.currency),
    currency: price.currency,
    period_start_time: held.periodStart.toISOString(),
    period_end_time: held.periodEnd.toISOString(),
    next:
      next === undefined
        ? null
        : next === null
          ? { plan: first.name, recurring_interval: 'MONTHLY' }
          : { plan: next.plan, recurring_interval: next.interval },
    past_due_time: held.pastDueSince?.toISOString() ?? null,
    limits_time:
      held.pastDueSince === undefined
        ? null
        : new Date(held.pastDueSince.getTime() + billing.unpaidDays * 86_400_000).toISOString(),
    payment: provider,
    as_of_time: null,
  }
}

/** Stores a copy of the subscription at the provider, for limits and for display. */
const mirror = async (
  tx: Tx,
  deps: Pick<BillingDeps, 'billing' | 'clock'>,
  organizationId: string,
  provider: PaymentProvider['kind'],
  held: ProviderSubscription | undefined,
): Promise<void> => {
  await trackPeriods(tx, deps, { organizationId, provider }, held)
  if (held === undefined) {
    await tx.deleteFrom('subscriptions').where('organization_id', '=', organizationId).execute()
    return
  }
  const row = {
    provider,
    subscription: held.id,
    plan: held.price.plan,
    recurring_interval: held.price.interval,
    status: held.status,
    amount: held.price.amount,
    currency: held.price.currency,
    period_start_time: held.periodStart,
    period_end_time: held.periodEnd,
    next_plan: held.next?.plan ?? null,
    next_interval: held.next?.interval ?? null,
    past_due_time: held.pastDueSince ?? null,
  }
  await tx
    .insertInto('subscriptions')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflicting) => conflicting.column('organization_id').doUpdateSet(row))
    .execute()
}

const operationsOf = async (db: Db, organizationId: string): Promise<{ count: number; open: boolean }> => {
  const rows = await db
    .selectFrom('payment_operations')
    .select((select) => [select.fn.countAll<string>().as('all'), select.fn.count<string>('done_time').as('done')])
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return { count: Number(rows.all), open: rows.all !== rows.done }
}

/**
 * Reads the subscription from the provider, and stores it for limits. If a change was stored meanwhile, the newer state
 * stays.
 */
export const readSubscription = async (
  deps: BillingDeps,
  organizationId: string,
): Promise<ProviderSubscription | undefined> => {
  const { db, payment } = deps
  if (payment === undefined) return undefined
  const before = await operationsOf(db, organizationId)
  const customer = await payment.findCustomer(organizationId)
  const held = customer === undefined ? undefined : await payment.getSubscription(customer)
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId)
    const after = await operationsOf(tx, organizationId)
    if (after.open || after.count !== before.count) return
    await mirror(tx, deps, organizationId, payment.kind, held)
    await noteConfirmed(tx, organizationId, held, new Date(deps.clock()))
  })
  return held
}

/** A change that is requested from the provider, in the form in which it is stored first. */
export type Operation = { change: SubscriptionChange; action: string }

/** Parses a stored operation. */
export const readOperation = (request: string): Operation => JSON.parse(request) as Operation

/** Records that a requested change has taken effect, with its author. */
const recordChange = (
  tx: Tx,
  organizationId: string,
  row: { request: string; actor: string },
  time: Date,
): Promise<void> => {
  const { change, action } = readOperation(row.request)
  return recordAction(tx, {
    actor: row.actor === '' ? null : { userId: row.actor },
    action,
    resource: subscriptionName(organizationId),
    organizationId,
    workspaceId: null,
    detail:
      change.kind === 'change'
        ? { plan: change.price.plan, recurring_interval: change.price.interval, takes_effect: change.when }
        : {},
    time,
  })
}

/** Records that a payment was confirmed, once its subscription or upgrade exists. */
const noteConfirmed = async (
  tx: Tx,
  organizationId: string,
  held: ProviderSubscription | undefined,
  time: Date,
): Promise<void> => {
  if (held === undefined) return
  const last = await tx
    .selectFrom('payment_operations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.outcome !== 'unconfirmed') return
  const { change } = readOperation(last.request)
  if (change.kind !== 'change') return
  const { plan, interval } = change.price
  if (plan !== held.price.plan || interval !== held.price.interval) return
  await tx.updateTable('payment_operations').set({ outcome: 'done' }).where('id', '=', last.id).execute()
  await recordChange(tx, organizationId, last, time)
}

/** Returns the error that asks the payer to confirm a payment. */
export const confirmationError = ({ message, clientSecret }: PaymentConfirmation): AppError =>
  new AppError(402, 'PAYMENT_CONFIRMATION', message, { client_secret: clientSecret })

/** Executes a stored operation of any process. Its key makes it take effect once. */
const carryOut = async (
  deps: BillingDeps,
  organizationId: string,
  row: { id: string; request: string; actor: string },
): Promise<void> => {
  const { db, clock } = deps
  const payment = requirePayment(deps)
  const { change } = readOperation(row.request)
  const close = (tx: Tx, outcome: 'done' | 'declined' | 'refused' | 'unconfirmed') =>
    tx
      .updateTable('payment_operations')
      .set({ done_time: new Date(clock()), outcome })
      .where('id', '=', row.id)
      .where('done_time', 'is', null)
      .returning('id')
      .executeTakeFirst()
  let held: ProviderSubscription | undefined
  try {
    held = await payment.changeSubscription(row.id, await payment.customerOf(organizationId), change)
  } catch (cause) {
    if (cause instanceof PaymentDeclined) {
      await db.transaction().execute((tx) => close(tx, 'declined'))
      throw new AppError(402, 'CARD_DECLINED', `${cause.message}. Nothing was changed.`)
    }
    if (cause instanceof PaymentConfirmation) {
      await db.transaction().execute((tx) => close(tx, 'unconfirmed'))
      throw confirmationError(cause)
    }
    if (!(cause instanceof PaymentRefused)) throw cause
    await db.transaction().execute((tx) => close(tx, 'refused'))
    throw conflict('PAYMENT_REFUSED', `The payment provider refused the change: ${cause.message}`)
  }
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId)
    if ((await close(tx, 'done')) === undefined) return
    await mirror(tx, deps, organizationId, payment.kind, held)
    await recordChange(tx, organizationId, row, new Date(clock()))
  })
}

/** Stores an operation before it is executed. Its ID is the key at the provider. */
export const insertOperation = async (
  tx: Tx,
  operation: { id: string; request: string; actor: string },
  { organizationId, time }: { organizationId: string; time: Date },
): Promise<void> => {
  await tx
    .insertInto('payment_operations')
    .values({ ...operation, organization_id: organizationId, create_time: time, done_time: null, outcome: null })
    .execute()
}

const openOperation = (db: Db, organizationId: string) =>
  db
    .selectFrom('payment_operations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('done_time', 'is', null)
    .executeTakeFirst()

/**
 * Completes the open operation of an organization. The process that started it may have died between the call and the
 * response.
 */
export const finishOpen = async (deps: BillingDeps, organizationId: string): Promise<void> => {
  const open = await openOperation(deps.db, organizationId)
  if (open === undefined) return
  try {
    await carryOut(deps, organizationId, open)
  } catch (cause) {
    // The operation was declined or refused, and is closed.
    if (!(cause instanceof AppError) || cause.code >= 500) throw cause
  }
}

/** Maximum number of attempts of a change, if other changes keep coming first. */
const maxRounds = 20

/**
 * Changes the subscription of an organization; changes run one after the other. `decide` gets the subscription at the
 * provider and returns the change to request, or undefined for none. The change is stored before it is requested.
 * Throws 402 if the card is declined.
 */
export const changeSubscription = async (
  deps: BillingDeps,
  { organizationId, userId, action }: { organizationId: string; userId: string | null; action: string },
  decide: (held: ProviderSubscription | undefined) => Promise<SubscriptionChange | undefined>,
): Promise<Subscription> => {
  const { db, clock } = deps
  requirePayment(deps)
  for (let round = 0; round < maxRounds; round++) {
    await finishOpen(deps, organizationId)
    const { count } = await operationsOf(db, organizationId)
    const held = await readSubscription(deps, organizationId)
    const change = await decide(held)
    if (change === undefined) return presentSubscription(deps, organizationId, held)
    const operation: Operation = { change, action }
    const row = { id: newId(), request: JSON.stringify(operation), actor: userId ?? '' }
    const begun = await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, organizationId)
      // Another change was stored first, so the state is read again before a new decision.
      const now = await operationsOf(tx, organizationId)
      if (now.open || now.count !== count) return false
      await insertOperation(tx, row, { organizationId, time: new Date(clock()) })
      return true
    })
    if (!begun) continue
    try {
      await carryOut(deps, organizationId, row)
    } catch (cause) {
      if (!(cause instanceof PaymentUnavailable)) throw cause
      const text = 'The payment provider did not answer. The change is pending, and is made as soon as it answers.'
      throw new AppError(503, 'PAYMENT_UNAVAILABLE', text)
    }
    return presentSubscription(deps, organizationId, await readSubscription(deps, organizationId))
  }
  throw conflict('BUSY', 'The subscription is being changed by someone else. Try again.')
}
