import { SandboxNote } from '../../components/billing/sandbox-note.tsx'
import { UsageCard } from '../../components/usage-card.tsx'
import { useConfig } from '../../lib/config.ts'
import { humanise } from '../../lib/format/text.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ExternalButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CompanyCard } from './billing/company-card.tsx'
import { HistoryCard } from './billing/history-card.tsx'
import { InvoicesCard } from './billing/invoices-card.tsx'
import { OverageCard } from './billing/overage-card.tsx'
import { PaymentMethodsCard } from './billing/payment-methods-card.tsx'
import { PlanCard } from './billing/plan-card.tsx'
import { UsageReportCard } from './billing/usage-report-card.tsx'

/** "plans/free" becomes "Free". */
const planTitle = (name: string): string => {
  const words = humanise(name.replace(/^plans\//, ''))
  return words === '' ? 'None' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** The organization's plan and usage, and its payment if plans can be bought. */
export const BillingPage = () => {
  const { organization } = useWorkspace()
  const config = useConfig()
  const pricing = config?.links.pricing ?? ''
  if (organization === null) return null
  const { name } = organization
  const sold = config !== undefined && config.payment !== 'none'
  return (
    <>
      <PageHeader title="Billing" description="Your organization's plan and usage." />
      <div className="max-w-2xl space-y-5">
        {sold ? (
          <>
            <SandboxNote />
            <PlanCard organization={name} paid={organization.subscription.extra.plan_name !== 'plans/free'} />
          </>
        ) : (
          <Card
            title={`Current plan: ${planTitle(organization.subscription.extra.plan_name)}`}
            action={pricing !== '' && <ExternalButton href={pricing}>Compare plans</ExternalButton>}
          >
            <p className="text-sm text-ink-2">{`Applies to all workspaces in ${organization.display_name}.`}</p>
          </Card>
        )}
        <UsageCard organization={organization} />
        <UsageReportCard organization={name} />
        <OverageCard organization={name} />
        {sold && (
          <>
            <PaymentMethodsCard organization={name} />
            <CompanyCard organization={name} />
            <InvoicesCard organization={name} />
            <HistoryCard organization={name} />
          </>
        )}
      </div>
    </>
  )
}
