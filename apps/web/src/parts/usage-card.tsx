import { useQuery } from '@tanstack/react-query'
import type { Organization } from '@tributary/contract'
import type { ReactNode } from 'react'
import { useFlag } from '../lib/integrations/flags.ts'
import { usageQuery } from '../lib/queries/organization-queries.ts'
import { Card } from '../ui/card.tsx'
import { MetricValue } from '../ui/charts/metric.tsx'
import { CardSkeleton } from '../ui/page/skeleton.tsx'
import { QueryView } from './query-view.tsx'

const counted = ['workspaces', 'sources', 'profiles', 'destinations'] as const

/** How much an organisation has of what plans count. */
export const UsageCard = ({
  organization,
  action,
}: {
  organization: Pick<Organization, 'name'>
  action?: ReactNode
}) => {
  const usage = useQuery(usageQuery(organization.name))
  const audiences = useFlag('audiences')
  return (
    <QueryView query={usage} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the usage">
      {(data) => (
        <Card title="Usage" description="Usage counted toward your plan." action={action}>
          <dl className="divide-y divide-line">
            {(audiences ? ([...counted, 'audiences'] as const) : counted).map((name) => (
              <div key={name} className="flex items-center justify-between gap-4 py-2 text-sm">
                <dt className="text-ink-2">{name.charAt(0).toUpperCase() + name.slice(1)}</dt>
                <dd className="font-medium tabular">
                  <MetricValue value={data[name]} />
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
    </QueryView>
  )
}
