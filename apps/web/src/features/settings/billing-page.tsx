import { useQuery } from '@tanstack/react-query'
import { usageQuery } from '../../lib/organization-queries.ts'
import { configQuery } from '../../lib/server-queries.ts'
import { count, humanise } from '../../lib/text.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ExternalButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { CardSkeleton } from '../../ui/skeleton.tsx'

/** "plans/free" → "Free". */
const planTitle = (name: string): string => {
  const words = humanise(name.replace(/^plans\//, ''))
  return words === '' ? 'None' : words.charAt(0).toUpperCase() + words.slice(1)
}

const counted = ['workspaces', 'sources', 'profiles', 'destinations', 'audiences'] as const

const Usage = ({ organization }: { organization: string }) => {
  const usage = useQuery(usageQuery(organization))
  return (
    <QueryView query={usage} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the usage">
      {(data) => (
        <Card title="Usage" description="How much the organization has of what plans count.">
          <dl className="divide-y divide-line">
            {counted.map((name) => (
              <div key={name} className="flex items-center justify-between gap-4 py-2 text-sm">
                <dt className="text-ink-2">{name.charAt(0).toUpperCase() + name.slice(1)}</dt>
                <dd className="font-medium tabular">{count(data[name])}</dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
    </QueryView>
  )
}

/** The organisation's plan and what it uses of it. */
export const BillingPage = () => {
  const { organization } = useWorkspace()
  const pricing = useQuery(configQuery()).data?.links.pricing ?? ''
  if (organization === null) return null
  return (
    <>
      <PageHeader title="Billing" documentTitle="Billing" description="The plan of the organization and its usage." />
      <div className="max-w-2xl space-y-5">
        <Card
          title={`Current plan: ${planTitle(organization.subscription.extra.plan_name)}`}
          action={pricing !== '' && <ExternalButton href={pricing}>Compare plans</ExternalButton>}
        >
          <p className="text-sm text-ink-2">{`It counts for all workspaces of ${organization.display_name}.`}</p>
        </Card>
        <Usage organization={organization.name} />
      </div>
    </>
  )
}
