import { useQuery } from '@tanstack/react-query'
import { type BillingCompany, type Invoice, methods } from '@tributary/contract'
import { useParams } from 'react-router'
import { InvoiceBadge } from '../../components/billing/invoice-badge.tsx'
import { dayText, moneyText } from '../../components/billing/plan-texts.ts'
import { QueryView } from '../../components/query-view.tsx'
import { query } from '../../lib/queries/query.ts'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

/** Reads an invoice by the secret in its URL. */
const invoiceQuery = (invoice: string) => query(methods.invoices.get, { params: { invoice } })

const addressOf = (company: BillingCompany): string[] =>
  [
    company.company,
    company.line1,
    company.line2,
    [company.city, company.state, company.postal_code].filter((part) => part !== '').join(', '),
    company.country,
    [company.tax_type, company.tax_id].filter((part) => part !== '').join(' '),
  ].filter((line) => line !== '')

const Content = ({ invoice }: { invoice: Invoice }) => {
  const { number, status, create_time, currency, lines, total, organization, company } = invoice
  const money = (amount: string): string => moneyText(amount, currency) ?? `${amount} ${currency}`
  return (
    <>
      <PageHeader title={`Invoice ${number}`} />
      <Card title={organization} description={dayText(create_time)} action={<InvoiceBadge status={status} />}>
        <p className="mb-4 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-ink">
          Sandbox: this invoice is a test. No money was moved.
        </p>
        {company !== null && (
          <address className="mb-4 text-sm text-ink-2 not-italic">
            {addressOf(company).map((line) => (
              <span key={line} className="block break-words">
                {line}
              </span>
            ))}
          </address>
        )}
        <dl className="divide-y divide-line text-sm">
          {lines.map(({ description, amount }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- two lines can say the same
            <div key={index} className="flex justify-between gap-4 py-2">
              <dt className="text-ink-2">{description}</dt>
              <dd className="tabular">{money(amount)}</dd>
            </div>
          ))}
          <div className="flex justify-between gap-4 py-2 font-semibold">
            <dt>Total</dt>
            <dd className="tabular">{money(total)}</dd>
          </div>
        </dl>
      </Card>
    </>
  )
}

/** An invoice, for any visitor who has its URL. */
export const InvoicePage = () => {
  const { invoice = '' } = useParams()
  const query = useQuery(invoiceQuery(invoice))
  return (
    <main className="mx-auto max-w-xl px-4 py-10">
      <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the invoice" page>
        {(found) => <Content invoice={found} />}
      </QueryView>
    </main>
  )
}
