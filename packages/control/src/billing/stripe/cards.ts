import { newId } from '@tributary/kernel'
import { z } from 'zod'
import { PaymentDeclined, type PaymentProvider, PaymentRefused } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'
import { stripeCustomer, stripePaymentMethods } from './objects.ts'
import { findSubscription } from './subscriptions.ts'

const setupIntent = z.object({ client_secret: z.string() })
const ownedMethod = z.object({ customer: z.union([z.string(), z.object({ id: z.string() })]).nullish() })

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

const idOf = (value: string | { id: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.id

/** Cards of customers at Stripe, which its card form adds. */
export const cardsOf = (
  api: StripeApi,
): Pick<
  PaymentProvider,
  'createSetupIntent' | 'listPaymentMethods' | 'setDefaultPaymentMethod' | 'detachPaymentMethod'
> => {
  const owns = async (customer: string, id: string): Promise<boolean> => {
    const found = await api.find(`payment_methods/${idPath(id)}`)
    return found !== undefined && idOf(ownedMethod.parse(found).customer) === customer
  }
  const read = async (customer: string) => {
    const { data } = stripePaymentMethods.parse(
      await api.get('payment_methods', { customer, type: 'card', limit: 100 }),
    )
    const { invoice_settings } = stripeCustomer.parse(await api.get(`customers/${idPath(customer)}`))
    return {
      cards: data.toSorted((a, b) => a.created - b.created),
      preferred: idOf(invoice_settings?.default_payment_method),
    }
  }
  const prefer = (customer: string, id: string) =>
    api.post(`customers/${idPath(customer)}`, { invoice_settings: { default_payment_method: id } })
  /** Invoices that could not be charged are charged again as soon as there is another card. */
  const payLate = async (customer: string, card: string): Promise<void> => {
    const held = await findSubscription(api, customer)
    const invoice = held?.latest_invoice
    if (held?.status !== 'past_due' || typeof invoice !== 'object' || invoice?.status !== 'open') return
    try {
      await api.post(`invoices/${idPath(invoice.id)}/pay`, { payment_method: card }, `${invoice.id}:${card}`)
    } catch (cause) {
      // It stays past due, which is shown.
      if (!(cause instanceof PaymentRefused || cause instanceof PaymentDeclined)) throw cause
    }
  }
  return {
    async createSetupIntent(customer) {
      const { client_secret } = setupIntent.parse(
        await api.post('setup_intents', { customer, usage: 'off_session', payment_method_types: ['card'] }, newId()),
      )
      return { clientSecret: client_secret }
    },
    async listPaymentMethods(customer) {
      const { cards, preferred } = await read(customer)
      const [first] = cards
      const chosen = cards.some(({ id }) => id === preferred) ? preferred : first?.id
      // The card form adds cards without us: the first one becomes the default, and pays what is late.
      if (chosen !== undefined && chosen !== preferred) {
        await prefer(customer, chosen)
        await payLate(customer, chosen)
      }
      return cards.map(({ id, card: { brand, last4, exp_month, exp_year } }) => ({
        id,
        brand: brands[brand] ?? brand,
        last4,
        expMonth: exp_month,
        expYear: exp_year,
        default: id === chosen,
      }))
    },
    async setDefaultPaymentMethod(customer, id) {
      if (!(await owns(customer, id))) return false
      await prefer(customer, id)
      await payLate(customer, id)
      return true
    },
    async detachPaymentMethod(customer, id) {
      if (!(await owns(customer, id))) return false
      const { cards, preferred } = await read(customer)
      const other = cards.find((card) => card.id !== id)
      if (preferred === id && other !== undefined) {
        await prefer(customer, other.id)
        await payLate(customer, other.id)
      }
      await api.post(`payment_methods/${idPath(id)}/detach`, {})
      return true
    },
  }
}
