import { audit, changesOf } from '@tributary/api-kit'
import {
  type BillingDeps,
  cancelSubscription,
  confirmationError,
  finishOpen,
  lastKnown,
  listChanges,
  listedPlans,
  PaymentConfirmation,
  PaymentDeclined,
  PaymentRefused,
  type ProviderPaymentMethod,
  presentSubscription,
  previewSubscription,
  readSubscription,
  requirePayment,
  resumeSubscription,
  updateSubscription,
} from '@tributary/billing'
import {
  type BillingCompany,
  billingCompany,
  type ListedInvoice,
  listedInvoice,
  type methods,
  type PaymentMethod,
  paymentMethod,
  resourceNames,
  subscription,
} from '@tributary/contract'
import type { Handler, Handlers } from '@tributary/http'
import { AppError, badRequest, conflict, notFound } from '@tributary/kernel'

const methodName = (organization: string, payment_method: string): string =>
  resourceNames.paymentMethod.format({ organization, payment_method })

const presentMethod = (organization: string, each: ProviderPaymentMethod) => ({
  name: methodName(organization, each.id),
  brand: each.brand,
  last4: each.last4,
  exp_month: each.expMonth,
  exp_year: each.expYear,
  default: each.default,
})

const getSubscription =
  (deps: BillingDeps): Handler<typeof methods.subscriptions.get> =>
  async ({ organization: { id } }) => {
    if (deps.payment === undefined) return presentSubscription(deps, id, undefined)
    const { value, asOf } = await lastKnown(
      deps,
      { organizationId: id, what: 'subscription', schema: subscription },
      async () => {
        await finishOpen(deps, id)
        return presentSubscription(deps, id, await readSubscription(deps, id))
      },
    )
    return { ...value, as_of_time: asOf }
  }

const listPaymentMethods =
  (deps: BillingDeps): Handler<typeof methods.paymentMethods.list> =>
  async ({ organization: { id } }) => {
    const { payment } = deps
    if (payment === undefined) return { payment_methods: [], as_of_time: null }
    const { value, asOf } = await lastKnown<PaymentMethod[]>(
      deps,
      { organizationId: id, what: 'payment-methods', schema: paymentMethod.array() },
      async () => {
        const customer = await payment.findCustomer(id)
        const known = customer === undefined ? [] : await payment.listPaymentMethods(customer)
        return known.map((each) => presentMethod(id, each))
      },
    )
    return { payment_methods: value, as_of_time: asOf }
  }

const setupPaymentMethod =
  (deps: BillingDeps): Handler<typeof methods.paymentMethods.setup> =>
  async ({ organization: { id } }) => {
    const payment = requirePayment(deps)
    const { clientSecret } = await payment.createSetupIntent(await payment.customerOf(id))
    return { client_secret: clientSecret }
  }

/** Records a change of a payment method in the audit log. */
const record = ({ db }: BillingDeps, organization: string, id: string, detail = {}): Promise<void> =>
  db.transaction().execute((tx) => audit(tx, methodName(organization, id), detail))

/** Returns the API error for a charge or card that the payment provider did not accept. */
const paymentError = (cause: unknown): unknown => {
  if (cause instanceof PaymentDeclined) return new AppError(402, 'CARD_DECLINED', cause.message)
  if (cause instanceof PaymentConfirmation) return confirmationError(cause)
  if (cause instanceof PaymentRefused)
    return conflict('PAYMENT_REFUSED', `The payment provider refused the payment: ${cause.message}`)
  return cause
}

const confirmSandbox =
  (deps: BillingDeps): Handler<typeof methods.paymentMethods.confirmSandbox> =>
  async ({ organization, body }) => {
    const payment = requirePayment(deps)
    if (payment.kind !== 'sandbox')
      throw conflict('PAYMENT_NOT_CONFIGURED', 'Cards are entered in the card form of the payment provider')
    const customer = await payment.customerOf(organization.id)
    try {
      const card = { number: body.number, expMonth: body.exp_month, expYear: body.exp_year }
      const { id } = await payment.confirmSetupIntent(customer, body.client_secret, card, body.confirmed)
      const made = (await payment.listPaymentMethods(customer)).find((each) => each.id === id)
      if (made === undefined) throw notFound('payment method not found')
      await record(deps, organization.id, id, { brand: made.brand, last4: made.last4 })
      return presentMethod(organization.id, made)
    } catch (cause) {
      throw paymentError(cause)
    }
  }

const setDefault =
  (deps: BillingDeps): Handler<typeof methods.paymentMethods.setDefault> =>
  async ({ organization: { id: organizationId }, params: { payment_method: id } }) => {
    const payment = requirePayment(deps)
    const found = await payment.setDefaultPaymentMethod(await payment.customerOf(organizationId), id)
    if (!found) throw notFound('payment method not found')
    await record(deps, organizationId, id)
    return {}
  }

const removePaymentMethod =
  (deps: BillingDeps): Handler<typeof methods.paymentMethods.delete> =>
  async ({ organization: { id: organizationId }, params: { payment_method: id } }) => {
    const payment = requirePayment(deps)
    const customer = await payment.customerOf(organizationId)
    const known = await payment.listPaymentMethods(customer)
    const held = await payment.getSubscription(customer)
    if (known.length === 1 && known[0]?.id === id && held !== undefined && held.next !== null)
      throw badRequest(
        'PAYMENT_METHOD_IN_USE',
        'The subscription is charged to this payment method. Add another one, or cancel the subscription first.',
      )
    if (!(await payment.detachPaymentMethod(customer, id))) throw notFound('payment method not found')
    await record(deps, organizationId, id)
    return {}
  }

const getCompany =
  ({ db }: BillingDeps): Handler<typeof methods.billingCompanies.get> =>
  async ({ organization: { id } }) => {
    const row = await db
      .selectFrom('billing_companies')
      .select('company')
      .where('organization_id', '=', id)
      .executeTakeFirst()
    const company: BillingCompany | null = row === undefined ? null : billingCompany.parse(JSON.parse(row.company))
    return { company }
  }

const updateCompany =
  ({ db, payment }: BillingDeps): Handler<typeof methods.billingCompanies.update> =>
  async ({ organization: { id }, body }) => {
    const company = JSON.stringify(body)
    try {
      // The provider comes first, because it checks whether the tax ID is valid.
      await payment?.updateCustomer(await payment.customerOf(id), body)
    } catch (cause) {
      if (!(cause instanceof PaymentRefused)) throw cause
      throw badRequest('VALIDATION', cause.message, { [cause.field ?? 'company']: cause.message })
    }
    await db.transaction().execute(async (tx) => {
      const before = await tx
        .selectFrom('billing_companies')
        .select('company')
        .where('organization_id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      await tx
        .insertInto('billing_companies')
        .values({ organization_id: id, company })
        .onConflict((conflicting) => conflicting.column('organization_id').doUpdateSet({ company }))
        .execute()
      await audit(
        tx,
        resourceNames.billingCompany.format({ organization: id }),
        { company: body.company },
        { changes: changesOf(before === undefined ? {} : billingCompany.parse(JSON.parse(before.company)), body) },
      )
    })
    return body
  }

const listInvoices =
  (deps: BillingDeps): Handler<typeof methods.invoices.list> =>
  async ({ organization: { id } }) => {
    const { payment } = deps
    if (payment === undefined) return { invoices: [], as_of_time: null }
    const { value, asOf } = await lastKnown<ListedInvoice[]>(
      deps,
      { organizationId: id, what: 'invoices', schema: listedInvoice.array() },
      async () => {
        const customer = await payment.findCustomer(id)
        const known = customer === undefined ? [] : await payment.listInvoices(customer)
        return known.map(({ id: invoice, url, ...rest }) => ({
          ...rest,
          name: resourceNames.organizationInvoice.format({ organization: id, invoice }),
          invoice_url: url,
        }))
      },
    )
    return { invoices: value, as_of_time: asOf }
  }

const payInvoice =
  (deps: BillingDeps): Handler<typeof methods.invoices.pay> =>
  async ({ organization: { id: organizationId }, params: { invoice } }) => {
    const payment = requirePayment(deps)
    const customer = await payment.customerOf(organizationId)
    if ((await payment.listPaymentMethods(customer)).length === 0)
      throw badRequest('PAYMENT_METHOD_REQUIRED', 'Please setup a payment method first')
    let found: boolean
    try {
      found = await payment.payInvoice(customer, invoice)
    } catch (cause) {
      throw paymentError(cause)
    }
    if (!found) throw notFound('invoice not found')
    await deps.db
      .transaction()
      .execute((tx) => audit(tx, resourceNames.organizationInvoice.format({ organization: organizationId, invoice })))
    await readSubscription(deps, organizationId)
    return {}
  }

const confirmSandboxPayment =
  (deps: BillingDeps): Handler<typeof methods.invoices.confirmSandbox> =>
  async ({ organization: { id: organizationId }, body }) => {
    const payment = requirePayment(deps)
    if (payment.kind !== 'sandbox')
      throw conflict('PAYMENT_NOT_CONFIGURED', 'Payments are confirmed with the payment provider')
    try {
      await payment.confirmPayment(await payment.customerOf(organizationId), body.client_secret)
    } catch (cause) {
      throw paymentError(cause)
    }
    await deps.db
      .transaction()
      .execute((tx) => audit(tx, resourceNames.organization.format({ organization: organizationId })))
    await readSubscription(deps, organizationId)
    return {}
  }

const getInvoice =
  ({ payment }: BillingDeps): Handler<typeof methods.invoices.get> =>
  async ({ params }) => {
    const found = payment?.kind === 'sandbox' ? await payment.getInvoice(params.invoice) : undefined
    if (found === undefined) throw notFound('invoice not found')
    return found
  }

/** The handlers of plans, subscriptions, payment methods and invoices. */
export const billingHandlers = (
  deps: BillingDeps,
): Pick<Handlers, 'billingCompanies' | 'invoices' | 'paymentMethods' | 'plans' | 'subscriptions'> => ({
  plans: { list: async () => ({ plans: listedPlans(deps.billing.plans) }) },
  subscriptions: {
    get: getSubscription(deps),
    update: updateSubscription(deps),
    preview: previewSubscription(deps),
    listChanges: listChanges(deps),
    cancel: cancelSubscription(deps),
    resume: resumeSubscription(deps),
  },
  paymentMethods: {
    list: listPaymentMethods(deps),
    setup: setupPaymentMethod(deps),
    confirmSandbox: confirmSandbox(deps),
    setDefault: setDefault(deps),
    delete: removePaymentMethod(deps),
  },
  billingCompanies: { get: getCompany(deps), update: updateCompany(deps) },
  invoices: {
    list: listInvoices(deps),
    pay: payInvoice(deps),
    confirmSandbox: confirmSandboxPayment(deps),
    get: getInvoice(deps),
  },
})
