import { useQuery } from '@tanstack/react-query'
import type { Connection, ConnectionActivity, Destination } from '@tributary/contract'
import { Plus, Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { count } from '../../lib/text.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { connectionActivityQuery, connectionsQuery, destinationsQuery } from '../../lib/workspace-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SearchInput } from '../../ui/input.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { destinationRows, destinationStates, type DestinationRow as Row, stateOf } from './destination-rows.ts'

const StateBadge = ({ row }: { row: Row }) => {
  const state = stateOf(row)
  if (state === 'unfinished')
    return (
      <Badge tone="warning" dot title="Its events are held until its settings are complete">
        Needs set-up
      </Badge>
    )
  if (state === 'paused')
    return (
      <Badge tone="outline" title="Its events are held, and delivered when it is resumed">
        Paused
      </Badge>
    )
  if (state === 'unpermitted')
    return (
      <Badge tone="danger" dot title="Its events are held until its account is connected">
        Connect account
      </Badge>
    )
  if (state === 'failing')
    return (
      <Badge tone="danger" dot title="Given up in the last 24 hours, also what a retry has delivered since">
        {count(row.failed ?? 0)} failed in 24 h
      </Badge>
    )
  return state === 'unconnected' ? (
    <Badge tone="warning" dot>
      No sources
    </Badge>
  ) : (
    <Badge tone="success" dot>
      Enabled
    </Badge>
  )
}

const columns: readonly Column<Row>[] = [
  {
    id: 'title',
    header: 'Destination',
    value: (row) => row.title,
    cell: (row) => (
      <span className="flex min-w-0 items-center gap-3">
        <AppIcon icon={row.app.extra.app_icon} />
        <Link to={paths.destination(row.name)} className="truncate rounded-sm font-medium hover:underline">
          {row.title}
        </Link>
      </span>
    ),
    className: 'max-w-64 sm:max-w-80',
  },
  {
    id: 'app',
    header: 'Type',
    value: (row) => row.app.display_name,
    cell: (row) => <span className="text-ink-2">{row.app.display_name}</span>,
    wide: true,
  },
  {
    id: 'state',
    header: 'Status',
    value: (row) => destinationStates.indexOf(stateOf(row)),
    cell: (row) => <StateBadge row={row} />,
  },
  {
    id: 'sources',
    header: 'Sources',
    value: (row) => row.sources ?? -1,
    cell: (row) => (row.sources === undefined ? <span className="text-ink-3">–</span> : count(row.sources)),
    align: 'right',
    wide: true,
  },
  {
    id: 'created',
    header: 'Created',
    value: (row) => row.create_time,
    cell: (row) => <RelativeTime time={row.create_time} className="text-ink-2" />,
    align: 'right',
    wide: true,
    className: 'whitespace-nowrap',
  },
]

const List = ({
  destinations,
  connections,
  activities,
  addTo,
}: {
  destinations: Destination[]
  connections: readonly Connection[] | undefined
  activities: readonly ConnectionActivity[] | undefined
  addTo: string | undefined
}) => {
  const [search, setSearch] = useState('')
  const rows = useMemo(
    () => destinationRows(destinations, connections, activities, search),
    [destinations, connections, activities, search],
  )
  if (destinations.length === 0)
    return (
      <EmptyState
        icon={<Send />}
        title="Add your first destination"
        action={
          addTo !== undefined && (
            <ButtonLink to={addTo} variant="primary">
              <Plus aria-hidden />
              Add destination
            </ButtonLink>
          )
        }
      >
        A destination is where events are delivered to, such as a webhook of your own service. What fails is retried for
        hours and never lost.
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      <SearchInput label="Search destinations" value={search} onChange={(event) => setSearch(event.target.value)} />
      <DataTable label="Destinations" columns={columns} rows={rows} rowId={(row) => row.name} />
    </div>
  )
}

/** All destinations of the workspace. */
export const DestinationsPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(destinationsQuery(workspace.name))
  const connections = useQuery(connectionsQuery(workspace.name))
  const activities = useQuery(connectionActivityQuery(workspace.name))
  const addTo = useMayEdit() === true ? paths.catalogDestinations(workspace.name) : undefined
  return (
    <>
      <PageHeader
        title="Destinations"
        documentTitle="Destinations"
        description="Where your events are delivered to."
        action={
          addTo !== undefined &&
          (query.data?.length ?? 0) > 0 && (
            <ButtonLink to={addTo} variant="primary">
              <Plus aria-hidden />
              Add destination
            </ButtonLink>
          )
        }
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the destinations">
        {(destinations) => (
          <List destinations={destinations} connections={connections.data} activities={activities.data} addTo={addTo} />
        )}
      </QueryView>
    </>
  )
}
