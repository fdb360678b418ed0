import { useQuery } from '@tanstack/react-query'
import type { Organization } from '@tributary/contract'
import type { ReactNode } from 'react'
import { useFlag } from '../lib/integrations/flags.ts'
import { usageQuery } from '../lib/queries/organization-queries.ts'
import { Card } from '../ui/card.tsx'
import { MetricValue } from '../ui/charts/metric.tsx'
import { CardSkeleton } from '../ui/page/skeleton.tsx'
import { QueryView } from './query-view.tsx'
import { UsageBar } from './usage-bar.tsx'

const counted = ['workspaces', 'members', 'sources', 'profiles', 'events', 'destinations', 'syncs'] as const

/** The usage of an organization, beside the limits of its plan if there are any. */
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
    <QueryView query={usage} skeleton={<CardSkeleton lines={12} />} errorTitle="Failed to load the usage">
      {(data) => (
        <Card
          title="Usage"
          description="Usage counted toward your plan. Profiles and events are those of this period."
          action={action}
        >
          <dl className="divide-y divide-line">
            {(audiences ? ([...counted, 'audiences'] as const) : counted).map((name) => {
              const title = name.charAt(0).toUpperCase() + name.slice(1)
              const limit = data.limits?.[name]
              return (
                <div key={name} className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 py-2 text-sm">
                  <dt className="text-ink-2">{title}</dt>
                  <dd className="font-medium tabular">
                    <MetricValue value={data[name]} />
                    {limit !== undefined && (
                      <span className="font-normal text-ink-3">
                        {limit < 0 ? ', unlimited' : ` of ${limit.toLocaleString('en-US')}`}
                      </span>
                    )}
                  </dd>
                  {limit !== undefined && (
                    <dd className="col-span-2">
                      <UsageBar label={title} used={data[name]} limit={limit} />
                    </dd>
                  )}
                </div>
              )
            })}
          </dl>
        </Card>
      )}
    </QueryView>
  )
}
