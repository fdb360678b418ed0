import { useInfiniteQuery } from '@tanstack/react-query'
import type { EventSummary } from '@tributary/contract'
import { Waypoints } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useNavigate } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { profileEventsQuery } from '../../lib/queries/profile-queries.ts'
import { EnvironmentBadge } from '../../parts/environment-badge.tsx'
import { ErrorScreen } from '../../parts/error-screen.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const columns: readonly Column<EventSummary>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: (event) => (
      <Link
        to={paths.event(event.name)}
        title={event.title}
        className="block w-fit max-w-full truncate rounded-sm py-1.5 font-medium hover:underline"
      >
        {event.title}
      </Link>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    cell: (event) => <span className="font-mono text-xs text-ink-2">{event.type}</span>,
    wide: true,
    width: 'sm:w-28',
  },
  {
    id: 'environment',
    header: 'Environment',
    cell: (event) => <EnvironmentBadge test={event.test} />,
    wide: 'lg',
    width: 'sm:w-28',
  },
  {
    id: 'time',
    header: 'Received',
    cell: (event) => <RelativeTime time={event.receive_time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-32',
    className: 'whitespace-nowrap',
  },
]

const idOf = (event: EventSummary): string => event.event_id

/** The events of a person, newest first; `profile` is a resource name. */
export const EventsTab = ({ profile }: { profile: string }) => {
  const navigate = useNavigate()
  const query = useInfiniteQuery(profileEventsQuery(profile))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.events) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the events" />
  if (query.data === undefined) return <TableSkeleton rows={6} columns={3} />
  if (rows.length === 0)
    return (
      <EmptyState icon={<Waypoints />} title="No events">
        The events of this profile are no longer stored.
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      <DataTable
        label="Events"
        columns={columns}
        rows={rows}
        rowId={idOf}
        onRowClick={(event) => void navigate(paths.event(event.name))}
      />
      <LoadMore query={query} />
    </div>
  )
}
