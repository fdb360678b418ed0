import { useConfig } from '../../lib/config.ts'
import { humanise } from '../../lib/format/text.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { UsageCard } from '../../parts/usage-card.tsx'
import { ExternalButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** "plans/free" → "Free". */
const planTitle = (name: string): string => {
  const words = humanise(name.replace(/^plans\//, ''))
  return words === '' ? 'None' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** The organisation's plan and what it uses of it. */
export const BillingPage = () => {
  const { organization } = useWorkspace()
  const pricing = useConfig()?.links.pricing ?? ''
  if (organization === null) return null
  return (
    <>
      <PageHeader title="Billing" documentTitle="Billing" description="Your organization's plan and usage." />
      <div className="max-w-2xl space-y-5">
        <Card
          title={`Current plan: ${planTitle(organization.subscription.extra.plan_name)}`}
          action={pricing !== '' && <ExternalButton href={pricing}>Compare plans</ExternalButton>}
        >
          <p className="text-sm text-ink-2">{`Applies to all workspaces in ${organization.display_name}.`}</p>
        </Card>
        <UsageCard organization={organization} />
      </div>
    </>
  )
}
