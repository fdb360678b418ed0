import type { Db } from '@tributary/api-kit'
import { minorUnits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { PlanCatalogue } from './catalogue.ts'
import type { Price } from './provider.ts'
import { type BillingDeps, changeSubscription } from './subscription.ts'

/** The currency of the amounts of an onboarding. */
const currency = 'USD'
/** Days until a sent invoice is due. */
export const daysUntilDue = 30

/** Converts a decimal text from the database or the API to minor units. */
export const agreedAmount = (text: string): number => minorUnits(text, currency) ?? 0

/**
 * The maximum amount of one charge at payment providers, in minor units (docs.stripe.com/currencies, "Minimum and
 * maximum charge amounts").
 */
const maxAmount = 99_999_999

/** Throws 400 with the name of the field if an amount is too large for an invoice. */
export const requireAgreedAmounts = (given: { setup_amount: string; yearly_amount: string }): void => {
  for (const field of ['setup_amount', 'yearly_amount'] as const) {
    const text = 'At most 999,999.99'
    if (agreedAmount(given[field]) > maxAmount) throw badRequest('VALIDATION', text, { [field]: text })
  }
}

/** Returns the price for a negotiated yearly amount. Its plan is the one with a custom price, or the largest plan. */
export const agreedPrice = ({ plans }: PlanCatalogue, amount: number): Price | undefined => {
  const custom = plans.find(({ monthly, annually }) => monthly === null || annually === null) ?? plans.at(-1)
  return custom === undefined
    ? undefined
    : { plan: custom.name, title: custom.title, interval: 'ANNUALLY', amount, currency }
}

/** Finds the onboardings that need a call to the payment provider now. */
export const openOnboardings = (db: Db, now: number): Promise<{ id: string }[]> =>
  db
    .selectFrom('onboardings')
    .select('id')
    .where('billing', '=', 'open')
    .where((where) =>
      where.or([
        where.and([where('setup_amount', '>', '0'), where('invoice', 'is', null)]),
        where('complete_time', 'is not', null),
        where('revoke_time', 'is not', null),
        where('expire_time', '<=', new Date(now)),
      ]),
    )
    .limit(100)
    .execute()

const readOnboarding = (db: Db, id: string) =>
  db.selectFrom('onboardings').selectAll().where('id', '=', id).where('billing', '=', 'open').executeTakeFirst()
type Onboarding = NonNullable<Awaited<ReturnType<typeof readOnboarding>>>

/**
 * Whether an onboarding is completed: its link was used, or it is the newest onboarding of a user who signed in by a
 * code and used no other link.
 */
const isTaken = async (db: Db, { id, user_id, complete_time }: Onboarding): Promise<boolean> => {
  if (complete_time !== null) return true
  const user = await db
    .selectFrom('users')
    .select(['password_hash', 'email_verified_at'])
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (user.password_hash === null && user.email_verified_at === null) return false
  const all = await db
    .selectFrom('onboardings')
    .select(['id', 'complete_time'])
    .where('user_id', '=', user_id)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return all[0]?.id === id && all.every((each) => each.complete_time === null)
}

const isOver = ({ revoke_time, expire_time }: Onboarding, now: number): boolean =>
  revoke_time !== null || expire_time.getTime() <= now

const finish = (db: Db, id: string) =>
  db.updateTable('onboardings').set({ billing: 'done' }).where('id', '=', id).execute()

/** Creates the invoice of the set-up fee. Voids it immediately if the onboarding no longer needs it. */
const invoiceSetup = async (
  { db, payment }: BillingDeps & { payment: NonNullable<BillingDeps['payment']> },
  row: Onboarding,
): Promise<void> => {
  const customer = await payment.customerOf(row.organization_id)
  const amount = agreedAmount(row.setup_amount)
  const made = await payment.createInvoice(row.id, customer, {
    lines: [{ description: 'Set-up fee', amount }],
    currency,
    daysUntilDue,
  })
  const kept = await db
    .updateTable('onboardings')
    .set({ invoice: made.id, invoice_url: made.url })
    .where('id', '=', row.id)
    .where('billing', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  if (kept === undefined) await payment.voidInvoice(customer, made.id)
}

/**
 * Makes the calls to the payment provider that an onboarding needs now. Creates the invoice of the set-up fee when the
 * link is made, and the subscription once the link is used. Voids the invoice if the link was revoked or has expired.
 * Can be repeated, even by several processes at once, because the ID of the onboarding is the key. Throws
 * PaymentUnavailable.
 */
export const settleOnboarding = async (deps: BillingDeps, id: string): Promise<void> => {
  const { db, clock, payment, billing } = deps
  if (payment === undefined) return
  const before = await readOnboarding(db, id)
  if (before === undefined) return
  const due = agreedAmount(before.setup_amount) > 0 && before.invoice === null
  if (due && (!isOver(before, clock()) || (await isTaken(db, before)))) await invoiceSetup({ ...deps, payment }, before)
  const row = await readOnboarding(db, id)
  if (row === undefined) return
  const taken = await isTaken(db, row)
  if (!taken && isOver(row, clock())) {
    if (row.invoice !== null) await payment.voidInvoice(await payment.customerOf(row.organization_id), row.invoice)
    await finish(db, id)
    return
  }
  if (!taken) return
  const yearly = agreedAmount(row.yearly_amount)
  const price = yearly > 0 ? agreedPrice(billing.plans, yearly) : undefined
  if (price !== undefined)
    await changeSubscription(
      deps,
      { organizationId: row.organization_id, userId: null, action: 'subscriptions.update' },
      async (held) => (held === undefined ? { kind: 'change', price, when: 'now', daysUntilDue } : undefined),
    )
  await finish(db, id)
}
