import { useQuery } from '@tanstack/react-query'
import { invoicesQuery } from '../../../lib/queries/billing-queries.ts'
import { AsOf } from '../../../parts/billing/as-of.tsx'
import { InvoiceBadge } from '../../../parts/billing/invoice-badge.tsx'
import { dayText, moneyText } from '../../../parts/billing/plan-texts.ts'
import { QueryView } from '../../../parts/query-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

/** The invoices of an organisation (a resource name), each with a link that opens without signing in. */
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
              {invoices.map(({ number, invoice_url, create_time, total, currency, status }) => (
                <li key={number} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3">
                  <a
                    href={invoice_url}
                    target="_blank"
                    rel="noopener noreferrer"
                    className="font-medium text-accent-ink underline-offset-3 hover:underline"
                  >
                    {number}
                    <span className="sr-only"> (opens in a new tab)</span>
                  </a>
                  <span className="min-w-0 flex-1 text-ink-2">{dayText(create_time)}</span>
                  <span className="font-medium tabular">{moneyText(total, currency) ?? total}</span>
                  <InvoiceBadge status={status} />
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
    </QueryView>
  )
}
