import { cardOf, customerOf, invoiceOf, listOf, scheduleOf, subscriptionOf } from './answers.ts'
import { type Form, formAt, textAt } from './form.ts'
import { invalid, metadataOf, missing, StripeError, type StripeState } from './state.ts'

export type Call = { params: readonly string[]; form: Form }
export type Endpoint = {
  method: 'GET' | 'POST' | 'DELETE'
  /** A pattern of paths, whose groups are the parameters of the call. */
  path: RegExp
  /** Accepted fields; any other is rejected, as by Stripe (`parameter_unknown`). */
  fields: readonly string[]
  answer(call: Call): unknown
}

const expandOf = (form: Form): ReadonlySet<string> =>
  new Set(Object.values(formAt(form, 'expand') ?? {}).filter((each) => typeof each === 'string'))

/** Finds the objects of a call, or rejects the call as Stripe does. */
const finder = (state: StripeState, url: string) => {
  const first = ({ params }: Call): string => params[0] ?? ''
  const need = (form: Form, name: string): string => {
    const text = textAt(form, name)
    if (text === undefined || text === '') throw invalid(`Missing required param: ${name}.`, 'parameter_missing')
    return text
  }
  const ownCard = (id: string) => {
    const card = state.cards.get(id)
    if (card === undefined) throw missing('PaymentMethod', id)
    return card
  }
  const shown = (id: string, form: Form) => {
    const held = state.subscriptions.get(id)
    if (held === undefined) throw missing('subscription', id)
    return subscriptionOf(state, held, { url, expand: expandOf(form) })
  }
  const scheduled = (id: string) => {
    const held = [...state.subscriptions.values()].find((each) => each.schedule?.id === id)
    if (held?.schedule === undefined || held.schedule === null) throw missing('subscription schedule', id)
    return { held, schedule: held.schedule }
  }
  return { first, need, ownCard, shown, scheduled }
}
type Finder = ReturnType<typeof finder>

/** Customers. */
const customers = (state: StripeState, { first, need, ownCard }: Finder): Endpoint[] => [
  {
    method: 'POST',
    path: /^customers$/,
    fields: ['name', 'email', 'metadata'],
    answer: () => {
      const made = { id: state.id('cus'), default: null, company: {}, tax: [] }
      state.customers.set(made.id, made)
      return customerOf(made)
    },
  },
  {
    method: 'GET',
    path: /^customers\/(\w+)$/,
    fields: [],
    answer: (call) => customerOf(state.customer(first(call))),
  },
  {
    method: 'POST',
    path: /^customers\/(\w+)$/,
    fields: ['name', 'email', 'address', 'invoice_settings'],
    answer: (call) => {
      const customer = state.customer(first(call))
      const card = textAt(call.form, 'invoice_settings', 'default_payment_method')
      if (card !== undefined && ownCard(card).customer !== customer.id)
        throw invalid('The payment method belongs to another customer')
      const country = textAt(call.form, 'address', 'country')
      if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw invalid('Invalid country')
      if (card !== undefined) customer.default = card
      if (textAt(call.form, 'name') !== undefined) customer.company = call.form
      return customerOf(customer)
    },
  },
  {
    method: 'GET',
    path: /^customers\/(\w+)\/tax_ids$/,
    fields: ['limit'],
    answer: (call) => listOf(state.customer(first(call)).tax),
  },
  {
    method: 'POST',
    path: /^customers\/(\w+)\/tax_ids$/,
    fields: ['type', 'value'],
    answer: (call) => {
      const value = need(call.form, 'value')
      if (!/^[A-Z]{2}\d{8,12}$/.test(value))
        throw invalid(`Invalid value for ${need(call.form, 'type')}.`, 'tax_id_invalid')
      const made = { id: state.id('txi'), type: need(call.form, 'type'), value }
      state.customer(first(call)).tax.push(made)
      return made
    },
  },
  {
    method: 'DELETE',
    path: /^customers\/(\w+)\/tax_ids\/(\w+)$/,
    fields: [],
    answer: (call) => {
      const customer = state.customer(first(call))
      customer.tax = customer.tax.filter(({ id }) => id !== call.params[1])
      return { id: call.params[1], deleted: true }
    },
  },
]

/** Cards, which the card form sets up. */
const cards = (state: StripeState, { first, need, ownCard }: Finder): Endpoint[] => [
  {
    method: 'POST',
    path: /^setup_intents$/,
    fields: ['customer', 'usage', 'payment_method_types'],
    answer: ({ form }) => {
      const secret = `${state.id('seti')}_secret`
      state.intents.set(secret, state.customer(need(form, 'customer')).id)
      return { id: secret.replace('_secret', ''), object: 'setup_intent', client_secret: secret }
    },
  },
  {
    method: 'GET',
    path: /^payment_methods$/,
    fields: ['customer', 'type', 'limit'],
    answer: ({ form }) => {
      const { id } = state.customer(need(form, 'customer'))
      const own = [...state.cards.values()].filter((card) => card.customer === id)
      return listOf(own.toReversed().map(cardOf))
    },
  },
  { method: 'GET', path: /^payment_methods\/(\w+)$/, fields: [], answer: (call) => cardOf(ownCard(first(call))) },
  {
    method: 'POST',
    path: /^payment_methods\/(\w+)\/detach$/,
    fields: [],
    answer: (call) => {
      const card = ownCard(first(call))
      if (card.customer === null) throw invalid('The payment method is not attached to a customer')
      const customer = state.customer(card.customer)
      if (customer.default === card.id) customer.default = null
      card.customer = null
      return cardOf(card)
    },
  },
]

/** Products. */
const products = (state: StripeState, { first, need }: Finder): Endpoint[] => [
  {
    method: 'GET',
    path: /^products\/(\w+)$/,
    fields: [],
    answer: (call) => {
      const name = state.products.get(first(call))
      if (name === undefined) throw missing('product', first(call))
      return { id: first(call), object: 'product', name }
    },
  },
  {
    method: 'POST',
    path: /^products$/,
    fields: ['id', 'name', 'metadata'],
    answer: ({ form }) => {
      const id = need(form, 'id')
      if (state.products.has(id)) throw invalid('Product already exists.', 'resource_already_exists')
      state.products.set(id, need(form, 'name'))
      return { id, object: 'product' }
    },
  },
]

/** Prices on their own. */
const prices = (state: StripeState): Endpoint[] => [
  {
    method: 'POST',
    path: /^prices$/,
    fields: ['currency', 'product', 'recurring', 'unit_amount'],
    answer: ({ form }) => {
      const made = state.price(form)
      state.prices.set(made.id, made)
      return { id: made.id, object: 'price' }
    },
  },
]

/** Subscriptions. */
const subscriptions = (state: StripeState, url: string, { first, need, shown }: Finder): Endpoint[] => [
  {
    method: 'GET',
    path: /^subscriptions$/,
    fields: ['customer', 'limit'],
    // Canceled subscriptions are left out unless the call includes them.
    answer: ({ form }) =>
      listOf(
        [...state.subscriptions.values()]
          .filter(({ customer, status }) => customer === need(form, 'customer') && status !== 'canceled')
          .map((held) => subscriptionOf(state, held, { url, expand: new Set() })),
      ),
  },
  {
    method: 'GET',
    path: /^subscriptions\/(\w+)$/,
    fields: ['expand'],
    answer: (call) => shown(first(call), call.form),
  },
  {
    method: 'POST',
    path: /^subscriptions$/,
    fields: [
      'customer',
      'items',
      'metadata',
      'payment_behavior',
      'off_session',
      'collection_method',
      'days_until_due',
      'expand',
    ],
    answer: ({ form }) => shown(state.subscribe(need(form, 'customer'), form).id, form),
  },
  {
    method: 'DELETE',
    path: /^subscriptions\/(\w+)$/,
    fields: [],
    answer: (call) => shown(state.cancel(first(call)).id, {}),
  },
  {
    method: 'POST',
    path: /^subscriptions\/(\w+)$/,
    fields: [
      'items',
      'proration_behavior',
      'proration_date',
      'payment_behavior',
      'cancel_at_period_end',
      'collection_method',
      'off_session',
      'metadata',
      'expand',
    ],
    answer: (call) => shown(state.update(first(call), call.form).id, call.form),
  },
]

/** Schedules of subscriptions. */
const schedules = (state: StripeState, { first, need, scheduled }: Finder): Endpoint[] => [
  {
    method: 'POST',
    path: /^subscription_schedules$/,
    fields: ['from_subscription'],
    answer: ({ form }) => {
      const held = state.subscription(need(form, 'from_subscription'))
      if (held.schedule !== null) throw invalid('The subscription already has a schedule')
      if (held.cancel_at_period_end) throw invalid('The subscription is set to cancel at the end of its period')
      held.schedule = { id: state.id('sub_sched'), next: null, metadata: {} }
      return scheduleOf(held, new Set())
    },
  },
  {
    method: 'POST',
    path: /^subscription_schedules\/(\w+)$/,
    fields: ['end_behavior', 'proration_behavior', 'phases', 'metadata'],
    answer: (call) => {
      const { held, schedule } = scheduled(first(call))
      const { form } = call
      if (textAt(form, 'phases', '0', 'items', '0', 'price') !== held.price.id)
        throw invalid('The current phase cannot be given another price here')
      if (textAt(form, 'phases', '0', 'start_date') !== String(held.start))
        throw invalid('The current phase cannot begin at another time')
      if (textAt(form, 'phases', '0', 'end_date') !== String(held.end))
        throw invalid('The peer knows whole periods only')
      if (textAt(form, 'phases', '1', 'duration', 'interval') === undefined) throw invalid('A phase needs an end')
      schedule.next = state.price(formAt(form, 'phases', '1', 'items', '0', 'price_data'))
      schedule.metadata = metadataOf(form)
      return scheduleOf(held, new Set())
    },
  },
  {
    method: 'POST',
    path: /^subscription_schedules\/(\w+)\/release$/,
    fields: [],
    answer: (call) => {
      const { held, schedule } = scheduled(first(call))
      held.schedule = null
      return { id: schedule.id, status: 'released' }
    },
  },
]

/** Invoices. */
const invoices = (state: StripeState, url: string, { first, need }: Finder): Endpoint[] => [
  {
    method: 'POST',
    path: /^invoices\/create_preview$/,
    fields: ['customer', 'subscription', 'subscription_details'],
    answer: ({ form }) => {
      const price = state.price(formAt(form, 'subscription_details', 'items', '0', 'price_data'))
      const id = textAt(form, 'subscription')
      const date = Number(textAt(form, 'subscription_details', 'proration_date') ?? state.now)
      const lines =
        id === undefined
          ? [{ description: price.product, amount: price.unit_amount }]
          : state.proration(state.subscription(id), price, date)
      const total = lines.reduce((sum, { amount }) => sum + amount, 0)
      return { object: 'invoice', currency: price.currency, total, lines: listOf(lines) }
    },
  },
  {
    method: 'GET',
    path: /^invoices$/,
    fields: ['customer', 'limit', 'status'],
    answer: ({ form }) =>
      listOf(
        [...state.invoices.values()]
          .filter(
            ({ customer, status }) =>
              customer === need(form, 'customer') && status === (textAt(form, 'status') ?? status),
          )
          .toReversed()
          .map((each) => invoiceOf(each, url)),
      ),
  },
  {
    method: 'GET',
    path: /^invoices\/(\w+)$/,
    fields: ['expand'],
    answer: (call) => invoiceOf(state.invoice(first(call)), url, expandOf(call.form).has('confirmation_secret')),
  },
  {
    method: 'POST',
    path: /^invoices$/,
    fields: [
      'customer',
      'currency',
      'collection_method',
      'days_until_due',
      'auto_advance',
      'pending_invoice_items_behavior',
      'metadata',
    ],
    answer: ({ form }) => {
      const { id } = state.customer(need(form, 'customer'))
      const sent = need(form, 'collection_method') === 'send_invoice'
      if (!sent && textAt(form, 'days_until_due') !== undefined)
        throw invalid('days_until_due is only for send_invoice')
      const made = state.bill(id, {
        currency: need(form, 'currency'),
        lines: [],
        status: 'draft',
        ...(sent ? { due: state.now + Number(need(form, 'days_until_due')) * 86_400 } : {}),
        metadata: metadataOf(form),
      })
      return invoiceOf(made, url)
    },
  },
  {
    method: 'POST',
    path: /^invoiceitems$/,
    fields: ['customer', 'invoice', 'currency', 'description', 'amount'],
    answer: ({ form }) => {
      const invoice = state.invoice(need(form, 'invoice'))
      if (invoice.status !== 'draft') throw invalid('The invoice is no longer a draft')
      if (!/^-?\d+$/.test(need(form, 'amount'))) throw invalid('Invalid integer: amount')
      if (need(form, 'currency') !== invoice.currency) throw invalid('The invoice has another currency')
      invoice.lines.push({ description: textAt(form, 'description') ?? '', amount: Number(need(form, 'amount')) })
      return { id: state.id('ii'), object: 'invoiceitem' }
    },
  },
]

/** The steps of an invoice. */
const invoiceSteps = (state: StripeState, url: string, { first, ownCard }: Finder): Endpoint[] => [
  {
    method: 'POST',
    path: /^invoices\/(\w+)\/finalize$/,
    fields: ['auto_advance'],
    answer: (call) => {
      const invoice = state.invoice(first(call))
      if (invoice.status !== 'draft') throw invalid('This invoice is already finalized', 'invoice_not_editable')
      invoice.status = 'open'
      invoice.number = invoice.id.toUpperCase()
      return invoiceOf(invoice, url)
    },
  },
  {
    method: 'POST',
    path: /^invoices\/(\w+)\/void$/,
    fields: [],
    answer: (call) => {
      return invoiceOf(state.voidInvoice(first(call)), url)
    },
  },
  {
    method: 'POST',
    path: /^invoices\/(\w+)\/pay$/,
    fields: ['payment_method', 'off_session'],
    answer: (call) => {
      const card = textAt(call.form, 'payment_method')
      const { customer } = state.invoice(first(call))
      const used = card === undefined ? (state.customer(customer).default ?? '') : ownCard(card).id
      return invoiceOf(state.pay(first(call), state.cards.get(used)), url)
    },
  },
  {
    method: 'DELETE',
    path: /^invoices\/(\w+)$/,
    fields: [],
    answer: (call) => {
      if (state.invoice(first(call)).status !== 'draft')
        throw new StripeError(400, 'invalid_request_error', 'Not a draft')
      state.invoices.delete(first(call))
      return { id: first(call), deleted: true }
    },
  },
]

/** The calls of an application that sells subscriptions: docs.stripe.com/api, version 2026-10-28. */
export const endpointsOf = (state: StripeState, url: string): readonly Endpoint[] => {
  const found = finder(state, url)
  return [
    ...customers(state, found),
    ...cards(state, found),
    ...products(state, found),
    ...prices(state),
    ...subscriptions(state, url, found),
    ...schedules(state, found),
    ...invoices(state, url, found),
    ...invoiceSteps(state, url, found),
  ]
}
