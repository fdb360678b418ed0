import { useQuery } from '@tanstack/react-query'
import type { Delivery, EventDetail } from '@tributary/contract'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { byDestination } from '../../lib/by-destination.ts'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { paths } from '../../lib/paths.ts'
import { destinationsQuery } from '../../lib/workspace-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const Attempts = ({ attempts }: { attempts: readonly Delivery[] }) => (
  <ol className="space-y-1.5">
    {attempts.map((attempt) => {
      const { label, tone } = deliveryStatus(attempt.status)
      return (
        <li key={attempt.attempt} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <Badge tone={tone}>{label}</Badge>
          <span className="text-ink-2">
            Attempt {attempt.attempt}
            {attempt.http_status > 0 && ` · HTTP ${attempt.http_status}`} · {attempt.latency_ms} ms
          </span>
          <RelativeTime time={attempt.time} className="ml-auto text-xs text-ink-3" />
          {attempt.reason !== '' && <span className="basis-full text-xs break-words text-ink-2">{attempt.reason}</span>}
        </li>
      )
    })}
  </ol>
)

/** What became of an event at each destination, every attempt of it. */
export const EventDeliveries = ({ event, workspace }: { event: EventDetail; workspace: string }) => {
  const destinations = useQuery(destinationsQuery(workspace))
  const groups = useMemo(() => byDestination(event.deliveries), [event.deliveries])
  const titleOf = (name: string): string =>
    destinations.data?.find((destination) => destination.name === name)?.title ?? 'Deleted destination'
  if (event.status === 'rejected')
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        A rejected event is kept, and delivered nowhere.
      </p>
    )
  if (event.status === 'blocked')
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        A blocked event is kept, and delivered nowhere. Once it fits the schema it can be replayed.
      </p>
    )
  if (groups.length === 0)
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        No attempt is recorded yet. Outcomes appear here within a few seconds when the source is connected to a
        destination.
      </p>
    )
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {groups.map(({ destination, attempts }) => (
        <li key={destination} className="space-y-2 px-4 py-3">
          <Link to={paths.destination(destination)} className="rounded-sm font-medium hover:underline">
            {destinations.data === undefined ? 'Destination' : titleOf(destination)}
          </Link>
          <Attempts attempts={attempts} />
        </li>
      ))}
    </ul>
  )
}
