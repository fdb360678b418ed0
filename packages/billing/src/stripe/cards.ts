import { newId } from '@tributary/kernel'
import { z } from 'zod'
import type { PaymentProvider } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'
import { payLate } from './invoices.ts'
import { idOf, stripeCustomer, stripePaymentMethods } from './objects.ts'

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

/** Reads and changes the cards of customers at Stripe. Adding a card is the task of Stripe's card form. */
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
      // Stripe's card form adds cards without this product. The first card becomes the default, and pays overdue
      // invoices.
      if (chosen !== undefined && chosen !== preferred) {
        await prefer(customer, chosen)
        await payLate(api, customer, chosen)
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
      await payLate(api, customer, id)
      return true
    },
    async detachPaymentMethod(customer, id) {
      if (!(await owns(customer, id))) return false
      const { cards, preferred } = await read(customer)
      const other = cards.find((card) => card.id !== id)
      if (preferred === id && other !== undefined) {
        await prefer(customer, other.id)
        await payLate(api, customer, other.id)
      }
      await api.post(`payment_methods/${idPath(id)}/detach`, {})
      return true
    },
  }
}
