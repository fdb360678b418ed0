import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Destination, methods, type ProfileEvent, type TimeBasis, timeBases } from '@tributary/contract'
import { Waypoints } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { EnvironmentBadge } from '../../components/environment-badge.tsx'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { deliveryStatus } from '../../lib/events/delivery-status.ts'
import { type ListedTime, listedTime } from '../../lib/events/listed-time.ts'
import { profileIds } from '../../lib/format/names.ts'
import { count } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { pagesQuery, query } from '../../lib/queries/query.ts'
import { destinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { withNewest } from './newest.ts'

/** Number of events on one page of the list of a profile's events. */
const profileEventsPage = 50

/**
 * Reads the events of a profile by pages, newest first by the time `time_by`. They are not reloaded:
 * `newestProfileEventsQuery` reads the events that arrive later.
 */
const profileEventsQuery = (profile: string, time_by: TimeBasis) =>
  pagesQuery(methods.profiles.listEvents, {
    params: profileIds(profile),
    query: { page_size: profileEventsPage, time_by },
  })

/** Reads the newest events of a profile, again every two seconds. */
const newestProfileEventsQuery = (profile: string) =>
  query(
    methods.profiles.listEvents,
    { params: profileIds(profile), query: { page_size: profileEventsPage, page_token: '' } },
    { staleTime: 0, refetchInterval: 2_000, read: ({ events }) => events },
  )

/** Maximum number of destinations in a row. The page of the event lists all. */
const shownOutcomes = 3

const Outcomes = ({ event, titleOf }: { event: ProfileEvent; titleOf: (destination: string) => string }) => {
  const { outcomes } = event
  if (outcomes.length === 0) return <span className="text-ink-3 max-sm:hidden">–</span>
  return (
    <ul aria-label="Deliveries" className="flex min-w-0 flex-wrap gap-1 py-1.5">
      {outcomes.slice(0, shownOutcomes).map(({ destination, status }) => {
        const { label, tone } = deliveryStatus(status)
        return (
          <li key={destination} className="max-w-full min-w-0">
            <Badge tone={tone} className="max-w-full" title={`${titleOf(destination)}: ${label}`}>
              <span className="min-w-0 truncate">{titleOf(destination)}</span>
              <span>· {label}</span>
            </Badge>
          </li>
        )
      })}
      {outcomes.length > shownOutcomes && (
        <li className="text-xs text-ink-3">and {count(outcomes.length - shownOutcomes)} more</li>
      )}
    </ul>
  )
}

const columnsOf = (
  titleOf: (destination: string) => string,
  { header, timeOf }: ListedTime,
): readonly Column<ProfileEvent>[] => [
  {
    id: 'event',
    header: 'Event',
    cell: (event) => (
      <>
        <Link
          to={paths.event(event.name)}
          title={event.title}
          className="block w-fit max-w-full truncate rounded-sm py-1.5 font-medium hover:underline"
        >
          {event.title}
        </Link>
        <div className="sm:hidden">
          <Outcomes event={event} titleOf={titleOf} />
        </div>
      </>
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
    id: 'deliveries',
    header: 'Deliveries',
    cell: (event) => <Outcomes event={event} titleOf={titleOf} />,
    wide: true,
    width: 'sm:w-72',
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
    header,
    cell: (event) => <RelativeTime time={timeOf(event)} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-32',
    className: 'whitespace-nowrap',
  },
]

const titleIn =
  (destinations: readonly Destination[] | undefined) =>
  (name: string): string =>
    destinations === undefined
      ? 'Destination'
      : (destinations.find((destination) => destination.name === name)?.title ?? 'Deleted destination')

const idOf = (event: ProfileEvent): string => event.event_id

/** The events of a profile (a resource name) as they arrive, newest first, with their outcomes. */
export const EventsTab = ({ profile }: { profile: string }) => {
  const navigate = useNavigate()
  const [by, setBy] = useState<TimeBasis>('receive_time')
  const query = useInfiniteQuery(profileEventsQuery(profile, by))
  const newest = useQuery(newestProfileEventsQuery(profile)).data
  const listed = useMemo(() => query.data?.pages.flatMap((page) => page.events) ?? [], [query.data])
  // An event that was just received may have an early event time. In the order of event times, it may then belong among
  // events that are not loaded yet.
  const isLive = by === 'receive_time'
  const joined = useMemo(
    () => (isLive ? withNewest(listed, newest ?? [], profileEventsPage) : listed),
    [listed, newest, isLive],
  )
  const rows = joined ?? listed
  const { refetch } = query
  useEffect(() => {
    // Some events between the listed and the newest ones are missing, so all are reloaded.
    if (joined === undefined) void refetch()
  }, [joined, refetch])
  const destinations = useQuery(destinationsQuery(useWorkspace().name)).data
  const columns = useMemo(() => columnsOf(titleIn(destinations), listedTime(by)), [destinations, by])
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
      <Select
        aria-label="Times and order"
        className="max-sm:w-full sm:w-56"
        value={by}
        onChange={(event) => setBy(timeBases.find((each) => each === event.target.value) ?? 'receive_time')}
      >
        <option value="receive_time">When they were received</option>
        <option value="event_time">When they happened</option>
      </Select>
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
