import { useQuery } from '@tanstack/react-query'
import type { Delivery, EventDetail } from '@tributary/contract'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { byDestination } from '../lib/events/by-destination.ts'
import { deliveryStatus } from '../lib/events/delivery-status.ts'
import { attemptCause } from '../lib/events/response-cause.ts'
import { count } from '../lib/format/text.ts'
import { paths } from '../lib/paths.ts'
import { destinationsQuery } from '../lib/queries/workspace-queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Exchange } from '../ui/code/exchange.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'

const Attempt = ({ attempt }: { attempt: Delivery }) => {
  const { label, tone } = deliveryStatus(attempt.status)
  const cause = attemptCause(attempt.reason, attempt.http_status, attempt.response)
  const kept = attempt.request !== '' || attempt.response !== ''
  return (
    <li className="space-y-1.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        {attempt.status !== 'filtered' && (
          <span className="text-ink-2">
            Attempt {attempt.attempt}
            {attempt.http_status > 0 && ` · HTTP ${attempt.http_status}`} · {count(attempt.latency_ms)} ms
          </span>
        )}
        <RelativeTime time={attempt.time} className="ml-auto text-xs text-ink-3" />
      </div>
      {cause !== '' && !kept && (
        <p
          className={
            attempt.status === 'filtered' ? 'text-sm break-words text-ink-2' : 'text-xs break-words text-ink-2'
          }
        >
          {cause}
        </p>
      )}
      {kept && (
        <details className="group">
          <summary className="w-fit rounded-sm text-xs break-words text-ink-2 hover:text-ink">
            {cause === '' ? 'Request and response' : cause}
          </summary>
          <div className="mt-3">
            <Exchange reason="" request={attempt.request} response={attempt.response}>
              Request and response are stored for failed attempts only.
            </Exchange>
          </div>
        </details>
      )}
    </li>
  )
}

const undelivered: Record<string, string> = {
  rejected: 'Rejected events are stored but not delivered.',
  blocked: 'Blocked events are stored but not delivered. You can replay this event once it matches the schema.',
}

/** The outcome of an event at each destination, and every attempt with its request and response. */
export const EventDeliveries = ({ event, workspace }: { event: EventDetail; workspace: string }) => {
  const destinations = useQuery(destinationsQuery(workspace))
  const groups = useMemo(() => byDestination(event.deliveries), [event.deliveries])
  const titleOf = (name: string): string =>
    destinations.data === undefined
      ? 'Destination'
      : (destinations.data.find((destination) => destination.name === name)?.title ?? 'Deleted destination')
  const why = undelivered[event.status]
  if (why !== undefined) return <p className="text-sm text-ink-2">{why}</p>
  if (groups.length === 0)
    return (
      <p className="text-sm text-ink-2">
        No attempts yet. Outcomes appear here within seconds once{' '}
        <Link to={paths.source(event.source, 'connections')} className="text-accent-ink hover:underline">
          its source is connected to a destination
        </Link>
        .
      </p>
    )
  return (
    <ul className="-my-3 divide-y divide-line">
      {groups.map(({ destination, attempts }) => (
        <li key={destination} className="space-y-2 py-3">
          <Link to={paths.destination(destination, 'deliveries')} className="rounded-sm font-medium hover:underline">
            {titleOf(destination)}
          </Link>
          <ol className="space-y-2">
            {attempts.map((attempt) => (
              <Attempt key={`${attempt.attempt} ${attempt.time}`} attempt={attempt} />
            ))}
          </ol>
        </li>
      ))}
    </ul>
  )
}
