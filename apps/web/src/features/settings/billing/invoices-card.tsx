import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ListedInvoice, methods, resourceNames } from '@tributary/contract'
import { AsOf } from '../../../components/billing/as-of.tsx'
import { InvoiceBadge } from '../../../components/billing/invoice-badge.tsx'
import { dayText, moneyText } from '../../../components/billing/plan-texts.ts'
import { confirmationOf, useBank } from '../../../components/billing/use-bank.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { call } from '../../../lib/api/client.ts'
import { invoicesQuery, subscriptionQuery } from '../../../lib/queries/billing-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

const paramsOf = (name: string) => {
  const params = resourceNames.organizationInvoice.parse(name)
  if (params === undefined) throw new Error(`${name} is no invoice`)
  return params
}

const Row = ({ invoice, organization }: { invoice: ListedInvoice; organization: string }) => {
  const { name, number, invoice_url, create_time, total, currency, status } = invoice
  const cache = useQueryClient()
  const bank = useBank(organization)
  const pay = useMutation({
    mutationFn: async () => {
      try {
        await call(methods.invoices.pay, { params: paramsOf(name), body: {} })
      } catch (error) {
        const secret = confirmationOf(error)
        if (secret === undefined) throw error
        await bank.confirm(secret)
      }
    },
    onSuccess: () => notify('success', `Invoice ${number} is paid`),
    onError: (error) => notify('error', `Could not pay invoice ${number}`, { description: error.message }),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: invoicesQuery(organization).queryKey }),
        cache.invalidateQueries({ queryKey: subscriptionQuery(organization).queryKey }),
      ]),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3">
      <a
        href={invoice_url}
        target="_blank"
        rel="noopener noreferrer"
        className="font-medium text-accent-ink underline-offset-3 hover:underline"
      >
        {number}
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
      <span className="flex-1 whitespace-nowrap text-ink-2">{dayText(create_time)}</span>
      <span className="ml-auto flex items-center gap-x-3">
        <span className="font-medium tabular">{moneyText(total, currency) ?? total}</span>
        <InvoiceBadge status={status} />
        {status === 'open' && (
          <Button size="sm" aria-label={`Pay invoice ${number}`} loading={pay.isPending} onClick={() => pay.mutate()}>
            Pay
          </Button>
        )}
      </span>
      {bank.dialog}
    </li>
  )
}

/** The invoices of an organization (a resource name), each with a link that opens without signing in. */
export const InvoicesCard = ({ organization }: { organization: string }) => {
  const query = useQuery(invoicesQuery(organization))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the invoices">
      {({ invoices, as_of_time }) => (
        <Card title="Invoices" description="Anyone with the link of an invoice can open it.">
          <AsOf time={as_of_time} />
          {invoices.length === 0 ? (
            <p className="text-sm text-ink-2">No invoices yet.</p>
          ) : (
            <ul className="-my-3 divide-y divide-line text-sm">
              {invoices.map((invoice) => (
                <Row key={invoice.name} invoice={invoice} organization={organization} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </QueryView>
  )
}
