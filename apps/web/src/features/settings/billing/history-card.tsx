import { useQuery } from '@tanstack/react-query'
import type { Plan, PlanChange } from '@tributary/contract'
import { dayText } from '../../../components/billing/plan-texts.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { planChangesQuery, plansQuery } from '../../../lib/queries/billing-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

/** The requested change, as text. */
export const changeText = (
  { change, plan, recurring_interval, takes_effect }: PlanChange,
  plans: readonly Plan[],
): string => {
  if (change === 'cancel') return 'Canceled at the end of the period'
  if (change === 'resume') return 'Kept the plan'
  const title = plans.find(({ name }) => name === plan)?.title ?? plan?.replace(/^plans\//, '') ?? ''
  const billed = recurring_interval === 'ANNUALLY' ? 'annually' : 'monthly'
  return `${title}, billed ${billed}${takes_effect === 'period_end' ? ', from the end of the period' : ''}`
}

const outcomes = {
  pending: { tone: 'warning', text: 'Pending' },
  done: { tone: 'success', text: 'Done' },
  declined: { tone: 'danger', text: 'Declined' },
  refused: { tone: 'danger', text: 'Refused' },
  unconfirmed: { tone: 'neutral', text: 'Not confirmed' },
} as const

/** The plan changes that an organization (a resource name) requested. Shows nothing before the first one. */
export const HistoryCard = ({ organization }: { organization: string }) => {
  const query = useQuery(planChangesQuery(organization))
  const plans = useQuery(plansQuery())
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the plan history">
      {(changes) =>
        changes.length > 0 && (
          <Card title="Plan history">
            <ul className="-my-3 divide-y divide-line text-sm">
              {changes.map((each) => (
                <li
                  key={`${each.create_time} ${each.change} ${each.plan}`}
                  className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3"
                >
                  <div className="min-w-0 flex-1 basis-48">
                    <p className="font-medium">{changeText(each, plans.data ?? [])}</p>
                    <p className="break-words text-ink-2">
                      {[dayText(each.create_time), each.actor].filter((text) => text !== '').join(' · ')}
                    </p>
                  </div>
                  <Badge tone={outcomes[each.outcome].tone}>{outcomes[each.outcome].text}</Badge>
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    </QueryView>
  )
}
