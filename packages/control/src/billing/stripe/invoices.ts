import { amountText } from '@tributary/contract'
import { type PaymentProvider, PaymentRefused } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'
import { fromStripe, stripeInvoice, stripeInvoices, toStripe } from './objects.ts'

const statuses = { open: 'open', uncollectible: 'open', paid: 'paid', void: 'void' } as const

/** Invoices at Stripe. */
export const invoicesOf = (api: StripeApi): Pick<PaymentProvider, 'createInvoice' | 'voidInvoice' | 'listInvoices'> => {
  const list = async (customer: string) =>
    stripeInvoices.parse(await api.get('invoices', { customer, limit: 100 })).data
  return {
    async createInvoice(key, customer, { lines, currency, daysUntilDue }) {
      // Keys are forgotten after a day: what was begun before is found by what it was begun for.
      const begun = (await list(customer)).find(({ metadata }) => metadata?.operation === key)
      const values = {
        customer,
        currency: currency.toLowerCase(),
        collection_method: 'send_invoice',
        days_until_due: daysUntilDue,
        auto_advance: false,
        pending_invoice_items_behavior: 'exclude',
        metadata: { operation: key },
      }
      let made = begun ?? stripeInvoice.parse(await api.post('invoices', values, `${key}:invoice`))
      if (made.status === 'draft') {
        const before = made.total
        if (before === 0)
          for (const [index, { description, amount }] of lines.entries())
            await api.post(
              'invoiceitems',
              {
                customer,
                invoice: made.id,
                currency: currency.toLowerCase(),
                description,
                amount: toStripe(amount, currency),
              },
              `${key}:line-${index}`,
            )
        made = stripeInvoice.parse(
          await api.post(`invoices/${idPath(made.id)}/finalize`, { auto_advance: false }, `${key}:finalize`),
        )
      }
      const url = made.hosted_invoice_url ?? made.invoice_pdf
      if (url === null || url === undefined) throw new PaymentRefused('The invoice has no address')
      return { id: made.id, url }
    },
    async voidInvoice(_customer, id) {
      const found = await api.find(`invoices/${idPath(id)}`)
      const status = found === undefined ? undefined : stripeInvoice.parse(found).status
      if (status === 'draft') await api.delete(`invoices/${idPath(id)}`)
      if (status === 'open' || status === 'uncollectible')
        await api.post(`invoices/${idPath(id)}/void`, {}, `${id}:void`)
    },
    async listInvoices(customer) {
      return (await list(customer)).flatMap((each) => {
        const { status, number, id, created, hosted_invoice_url, invoice_pdf } = each
        // One that is still written has no number and no address.
        if (status === null || status === 'draft') return []
        const currency = each.currency.toUpperCase()
        return [
          {
            number: number ?? id,
            status: statuses[status],
            create_time: new Date(created * 1000).toISOString(),
            currency,
            total: amountText(fromStripe(each.total, currency), currency),
            url: hosted_invoice_url ?? invoice_pdf ?? '',
          },
        ]
      })
    },
  }
}
