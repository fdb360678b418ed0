import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { EventSummary, Source } from '@tributary/contract'
import { SearchX, Waypoints } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useNavigate } from 'react-router'
import { EnvironmentBadge } from '../../components/environment-badge.tsx'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { type EventFilters, noFilters } from '../../lib/events/event-filters.ts'
import { type ListedTime, listedTime } from '../../lib/events/listed-time.ts'
import { count, pluralise, truncate } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { filteredEventsQuery } from '../../lib/queries/event-queries.ts'
import { stillEmpty } from '../../lib/queries/query.ts'
import { allSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from './event-badges.tsx'
import { setFilters } from './filter-words.ts'
import { FiltersBar } from './filters-bar.tsx'
import { useFilters } from './use-filters.ts'

const columnsOf = (
  sources: readonly Source[],
  search: string,
  { header, timeOf }: ListedTime,
): readonly Column<EventSummary>[] => [
  {
    id: 'event',
    header: 'Event',
    cell: (event) => (
      <span className="block min-w-0 py-1.5">
        <Link
          to={paths.event(event.name)}
          // Stores the current filters for the way back to the list.
          state={{ search }}
          title={event.title}
          className="block w-fit max-w-full truncate rounded-sm font-medium hover:underline"
        >
          {truncate(event.title)}
        </Link>
        <span className="block truncate text-xs text-ink-3">
          <span className="font-mono">{event.type === '' ? 'no type' : event.type}</span> ·{' '}
          {sources.find(({ name }) => name === event.source)?.title ?? 'Deleted source'}
        </span>
        <RelativeTime time={timeOf(event)} className="block text-xs text-ink-3 sm:hidden" />
      </span>
    ),
  },
  {
    id: 'user',
    header: 'User',
    width: 'sm:w-44',
    cell: (event) => (
      <span
        className="block max-w-40 truncate font-mono text-xs text-ink-2"
        title={event.user_id || event.anonymous_id}
      >
        {event.user_id || event.anonymous_id || '–'}
      </span>
    ),
    wide: 'lg',
  },
  { id: 'status', header: 'Status', width: 'sm:w-36', cell: (event) => <StatusBadge event={event} /> },
  {
    id: 'environment',
    header: 'Environment',
    width: 'sm:w-28',
    cell: (event) => <EnvironmentBadge test={event.test} />,
    wide: 'lg',
  },
  {
    id: 'time',
    header,
    width: 'sm:w-32',
    cell: (event) => <RelativeTime time={timeOf(event)} className="text-ink-2" />,
    align: 'right',
    className: 'whitespace-nowrap',
    wide: true,
  },
]

const Nothing = ({ filtered, silent, onClear }: { filtered: boolean; silent: boolean; onClear: () => void }) => {
  const workspace = useWorkspace()
  if (filtered)
    return (
      <EmptyState icon={<SearchX />} title="No events match" action={<Button onClick={onClear}>Clear filters</Button>}>
        Remove a filter, choose a longer period, or check that the source is sending events. Names match in part; IDs
        and values must match exactly.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Waypoints />}
      title="No events yet"
      action={
        <ButtonLink
          to={silent ? paths.catalogSources(workspace.name) : paths.sources(workspace.name)}
          variant="primary"
        >
          {silent ? 'Add source' : 'See sources'}
        </ButtonLink>
      }
    >
      Every event your sources send is listed here with its outcome. Send one to see it.
    </EmptyState>
  )
}

const List = ({
  filters,
  sources,
  change,
}: {
  filters: EventFilters
  sources: readonly Source[]
  change: (some: Partial<EventFilters>) => void
}) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const filtered = setFilters(filters, sources).length > 0
  const query = useInfiniteQuery({
    ...filteredEventsQuery(workspace.name, filters),
    placeholderData: stillEmpty(filtered, ({ events }) => events),
  })
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.events) ?? [], [query.data])
  const search = useMemo(() => paths.events(workspace.name, filters), [workspace.name, filters])
  const columns = useMemo(() => columnsOf(sources, search, listedTime(filters.by)), [sources, search, filters.by])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the events" />
  if (query.data === undefined) return <TableSkeleton rows={8} columns={4} />
  if (rows.length === 0)
    return <Nothing filtered={filtered} silent={sources.length === 0} onClear={() => change(noFilters)} />
  return (
    <div className="space-y-4">
      <DataTable
        label="Events"
        columns={columns}
        rows={rows}
        rowId={(event) => event.event_id}
        onRowClick={(event) => void navigate(paths.event(event.name), { state: { search } })}
      />
      <div className="flex flex-col items-center gap-2 text-xs text-ink-3">
        {query.hasNextPage && (
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        )}
        <output>
          {count(rows.length)} {pluralise(rows.length, 'event')} shown{query.hasNextPage ? '' : ', no more'}
        </output>
      </div>
    </div>
  )
}

const noSources: readonly Source[] = []

/** All events of a workspace, newest first, filtered by the URL. */
export const EventsPage = () => {
  const workspace = useWorkspace()
  const { filters, change } = useFilters()
  const sources = useQuery(allSourcesQuery(workspace.name)).data ?? noSources
  return (
    <>
      <PageHeader title="Events" description="Every event your sources sent, and its outcome." />
      <div className="space-y-5">
        <FiltersBar filters={filters} change={change} sources={sources} />
        <List filters={filters} sources={sources} change={change} />
      </div>
    </>
  )
}
