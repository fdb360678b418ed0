import { useQuery } from '@tanstack/react-query'
import type { Destination, FailureGroup } from '@tributary/contract'
import { count } from '../../../lib/format/text.ts'
import { failureGroupsQuery } from '../../../lib/queries/event-queries.ts'
import { Badge } from '../../../ui/badge.tsx'

/** Returns the number of events in all groups of one state. */
export const sumOf = (groups: readonly FailureGroup[], wanted: FailureGroup['state']): number =>
  groups.filter((group) => group.state === wanted).reduce((sum, group) => sum + group.event_count, 0)

/** The number of held events of a destination, beside the name of the tab. */
export const FailureCount = ({ destination }: { destination: Destination }) => {
  const { data = [] } = useQuery(failureGroupsQuery(destination.name, { state: '', range: '' }))
  const dead = sumOf(data, 'dead')
  const held = dead + sumOf(data, 'waiting')
  if (held === 0) return null
  return (
    <Badge tone={dead > 0 ? 'danger' : 'warning'}>
      {count(held)}
      <span className="sr-only"> held</span>
    </Badge>
  )
}
