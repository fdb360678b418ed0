import type { Db, Tx } from '@tributary/api-kit'
import { amountText, type BillingCompany, type Invoice } from '@tributary/contract'
import { badRequest, type Clock, newId, randomToken } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { PaymentConfirmation, PaymentDeclined, type PaymentProvider } from '../provider.ts'
import { answerOf, once } from './answers.ts'
import { testCard } from './cards.ts'
import { takeConfirmation } from './charges.ts'
import {
  applyChange,
  applyConfirmed,
  charge,
  issue,
  payInvoice,
  payOpenInvoices,
  presentSubscription,
  previewChange,
  settle,
} from './subscriptions.ts'

/** Maximum payment methods per customer. */
const maxPaymentMethods = 10

export type Sandbox = PaymentProvider & {
  /**
   * Adds a test card with the secret of a setup intent. Throws 400 for any number that is not a test number. Throws
   * PaymentDeclined for the test card that is declined, and PaymentConfirmation for those that need a confirmation
   * first. Numbers are not stored.
   */
  confirmSetupIntent(
    customer: string,
    clientSecret: string,
    card: { number: string; expMonth: number; expYear: number },
    confirmed?: boolean,
  ): Promise<{ id: string }>
  /** Confirms a payment, as a bank would do. Throws 400 if the secret has expired. */
  confirmPayment(customer: string, clientSecret: string): Promise<void>
  /** Returns the invoice whose address contains this secret. */
  getInvoice(secret: string): Promise<Invoice | undefined>
  kind: 'sandbox'
}

const invoicePath = (id: string): string => `/invoices/${id}`

const pickDefault = async (tx: Tx, customer: string, id: string | null): Promise<void> => {
  await tx.updateTable('sandbox_customers').set({ default_payment_method: id }).where('id', '=', customer).execute()
  await payOpenInvoices(tx, customer)
}

const lockCustomer = (tx: Tx, customer: string) =>
  tx.selectFrom('sandbox_customers').selectAll().where('id', '=', customer).forUpdate().executeTakeFirstOrThrow()

const methodsOf = (db: Db, customer: string) =>
  db
    .selectFrom('sandbox_payment_methods')
    .selectAll()
    .where('customer', '=', customer)
    .orderBy('create_time')
    .orderBy('id')

/** Runs work in a transaction that locks the customer. */
const withCustomer = <T>(
  db: Db,
  customer: string,
  work: (tx: Tx, row: Awaited<ReturnType<typeof lockCustomer>>) => Promise<T>,
): Promise<T> => db.transaction().execute(async (tx) => await work(tx, await lockCustomer(tx, customer)))

/** Refuses a number that is not a test number, and a card that has expired. */
const checkCard = ({ number, expMonth, expYear }: { number: string; expMonth: number; expYear: number }, now: Date) => {
  const card = testCard(number)
  if (card === undefined) {
    const text = 'The sandbox takes test card numbers only, such as 4242 4242 4242 4242'
    throw badRequest('VALIDATION', text, { number: text })
  }
  if (Date.UTC(expYear, expMonth, 1) <= now.getTime()) {
    const text = 'The card has expired'
    throw badRequest('VALIDATION', text, { exp_year: text })
  }
  if (card.added === 'declines') throw new PaymentDeclined()
  return card
}

type Deps = { db: Db; clock: Clock }
type Cards = 'confirmSetupIntent' | 'listPaymentMethods' | 'setDefaultPaymentMethod' | 'detachPaymentMethod'
type Invoices = 'createInvoice' | 'voidInvoice' | 'payInvoice' | 'confirmPayment' | 'listInvoices' | 'getInvoice'

const cards = ({ db, clock }: Deps): Pick<Sandbox, 'createSetupIntent' | Cards> => ({
  createSetupIntent: (customer) =>
    withCustomer(db, customer, async (tx) => {
      const now = new Date(clock())
      const old = new Date(now.getTime() - 86_400_000)
      const mine = tx.deleteFrom('sandbox_setup_intents').where('customer', '=', customer)
      await mine.where('create_time', '<', old).execute()
      const clientSecret = `sandbox_seti_${randomToken(24)}`
      await tx
        .insertInto('sandbox_setup_intents')
        .values({ client_secret: clientSecret, customer, create_time: now })
        .execute()
      return { clientSecret }
    }),
  confirmSetupIntent: (customer, clientSecret, given, confirmed = false) =>
    withCustomer(db, customer, async (tx) => {
      const now = new Date(clock())
      const intent = await tx
        .selectFrom('sandbox_setup_intents')
        .select('client_secret')
        .where('client_secret', '=', clientSecret)
        .where('customer', '=', customer)
        .executeTakeFirst()
      if (intent === undefined) throw badRequest('SETUP_OVER', 'The card form has expired. Open it again.')
      const card = checkCard(given, now)
      if (card.added === 'confirms' && !confirmed) throw new PaymentConfirmation(clientSecret)
      const known = await methodsOf(tx, customer).execute()
      if (known.length >= maxPaymentMethods)
        throw badRequest('LIMIT_REACHED', `An organization can have at most ${maxPaymentMethods} payment methods`)
      await tx.deleteFrom('sandbox_setup_intents').where('client_secret', '=', clientSecret).execute()
      const id = newId()
      await tx
        .insertInto('sandbox_payment_methods')
        .values({
          id,
          customer,
          brand: card.brand,
          last4: given.number.slice(-4),
          exp_month: given.expMonth,
          exp_year: given.expYear,
          declines: card.charged === 'declines',
          confirms: card.charged === 'confirms',
          create_time: now,
        })
        .execute()
      if (known.length === 0) await pickDefault(tx, customer, id)
      return { id }
    }),
  async listPaymentMethods(customer) {
    const { default_payment_method } = await db
      .selectFrom('sandbox_customers')
      .select('default_payment_method')
      .where('id', '=', customer)
      .executeTakeFirstOrThrow()
    const rows = await methodsOf(db, customer).execute()
    return rows.map(({ id, brand, last4, exp_month, exp_year }) => ({
      id,
      brand,
      last4,
      expMonth: exp_month,
      expYear: exp_year,
      default: id === default_payment_method,
    }))
  },
  setDefaultPaymentMethod: (customer, id) =>
    withCustomer(db, customer, async (tx) => {
      const found = (await methodsOf(tx, customer).execute()).some((each) => each.id === id)
      if (found) await pickDefault(tx, customer, id)
      return found
    }),
  detachPaymentMethod: (customer, id) =>
    withCustomer(db, customer, async (tx, { default_payment_method }) => {
      const known = await methodsOf(tx, customer).execute()
      if (!known.some((each) => each.id === id)) return false
      await tx.deleteFrom('sandbox_payment_methods').where('id', '=', id).execute()
      if (default_payment_method === id)
        await pickDefault(tx, customer, known.find((each) => each.id !== id)?.id ?? null)
      return true
    }),
})

/** Returns the fields that a list of invoices and a single invoice have in common. */
const headOf = (
  row: Pick<Selectable<Database['sandbox_invoices']>, 'number' | 'status' | 'create_time' | 'currency' | 'total'>,
) => ({
  number: `SANDBOX-${row.number}`,
  status: row.status,
  create_time: row.create_time.toISOString(),
  currency: row.currency,
  total: amountText(Number(row.total), row.currency),
})

const invoicesOf = ({ db, clock }: Deps): Pick<Sandbox, Invoices> => ({
  async createInvoice(key, customer, { lines, currency, daysUntilDue }) {
    const time = new Date(clock())
    const id = await once(db, { key, customer, time }, async (tx) => ({
      answer: await (daysUntilDue === undefined ? charge : issue)(tx, customer, { lines, currency, time, paid: false }),
    }))
    return { id, url: invoicePath(id) }
  },
  async voidInvoice(customer, id) {
    await db
      .updateTable('sandbox_invoices')
      .set({ status: 'void' })
      .where('id', '=', id)
      .where('customer', '=', customer)
      .where('status', '=', 'open')
      .execute()
  },
  async payInvoice(customer, id) {
    return answerOf(await withCustomer(db, customer, (tx) => payInvoice(tx, customer, id, new Date(clock()))))
  },
  confirmPayment: (customer, clientSecret) =>
    withCustomer(db, customer, async (tx) => {
      const time = new Date(clock())
      const request = await takeConfirmation(tx, { customer, clientSecret, time })
      if (request === undefined || !(await applyConfirmed(tx, customer, request, time)))
        throw badRequest('CONFIRMATION_OVER', 'This payment can no longer be confirmed. Start again.')
    }),
  async listInvoices(customer) {
    const rows = await db
      .selectFrom('sandbox_invoices')
      .selectAll()
      .where('customer', '=', customer)
      .orderBy('number', 'desc')
      .limit(100)
      .execute()
    return rows.map((row) => ({ ...headOf(row), id: row.id, url: invoicePath(row.id) }))
  },
  async getInvoice(secret) {
    const row = await db
      .selectFrom('sandbox_invoices')
      .innerJoin('sandbox_customers', 'sandbox_customers.id', 'sandbox_invoices.customer')
      .innerJoin('organizations', 'organizations.id', 'sandbox_customers.organization_id')
      .selectAll('sandbox_invoices')
      .select('organizations.title')
      .where('sandbox_invoices.id', '=', secret)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const lines = JSON.parse(row.lines) as { description: string; amount: number }[]
    return {
      ...headOf(row),
      organization: row.title,
      company: row.company === null ? null : (JSON.parse(row.company) as BillingCompany),
      lines: lines.map(({ description, amount }) => ({ description, amount: amountText(amount, row.currency) })),
      payment: 'sandbox',
    }
  },
})

/** Makes a payment provider that moves no money. It stores everything as durably as a real one, in its own tables. */
export const createSandbox = (deps: Deps): Sandbox => {
  const { db, clock } = deps
  return {
    kind: 'sandbox',
    async findCustomer(organizationId) {
      const found = await db
        .selectFrom('sandbox_customers')
        .select('id')
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return found?.id
    },
    async customerOf(organizationId) {
      await db
        .insertInto('sandbox_customers')
        .values({
          id: `sandbox_cus_${newId()}`,
          organization_id: organizationId,
          default_payment_method: null,
          company: null,
        })
        .onConflict((conflict) => conflict.column('organization_id').doNothing())
        .execute()
      const { id } = await db
        .selectFrom('sandbox_customers')
        .select('id')
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow()
      return id
    },
    async updateCustomer(customer, company) {
      const text = JSON.stringify(company)
      await db.updateTable('sandbox_customers').set({ company: text }).where('id', '=', customer).execute()
    },
    ...cards(deps),
    getSubscription: (customer) =>
      withCustomer(db, customer, async (tx) => {
        const row = await settle(tx, customer, new Date(clock()))
        return row === undefined ? undefined : await presentSubscription(tx, row)
      }),
    previewChange: (customer, change) =>
      withCustomer(db, customer, (tx) => previewChange(tx, customer, change, new Date(clock()))),
    async changeSubscription(key, customer, change) {
      const time = new Date(clock())
      await once(db, { key, customer, time }, async (tx) => {
        const outcome = await applyChange(tx, customer, change, time)
        return 'answer' in outcome ? { answer: outcome.answer?.id ?? null } : outcome
      })
      // The subscription is read again, because the result of a repeated call may be outdated.
      return await this.getSubscription(customer)
    },
    ...invoicesOf(deps),
  }
}
