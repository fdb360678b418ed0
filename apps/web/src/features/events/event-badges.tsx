import type { EventSummary } from '@tributary/contract'
import { compatibilityWords } from '../../lib/events/compatibility-words.ts'
import { Badge } from '../../ui/badge.tsx'

/** Shows the outcome of an event as one badge: rejected, held, or the result of its validation. */
export const StatusBadge = ({ event }: { event: Pick<EventSummary, 'status' | 'reason' | 'compatibility'> }) => {
  if (event.status === 'rejected')
    return (
      <Badge tone="danger" dot title={event.reason}>
        Rejected
      </Badge>
    )
  if (event.status === 'blocked')
    return (
      <Badge tone="warning" dot title="Blocked because it does not match its source's schema.">
        Blocked
      </Badge>
    )
  if (event.status === 'held')
    return (
      <Badge tone="warning" dot title="Held because the organization was over a limit of its plan.">
        Held
      </Badge>
    )
  if (event.compatibility === '') return <Badge tone="neutral">Accepted</Badge>
  const { title, short, text, tone } = compatibilityWords[event.compatibility]
  return (
    <Badge tone={tone} title={short === title ? text : `${title}: ${text}`}>
      {short}
    </Badge>
  )
}
