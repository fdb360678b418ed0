import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type Connection, type ConnectionActivity, type Destination, successRate } from '@tributary/contract'
import { Plus, Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { type RangePreset, viewOf } from '../../lib/date-range.ts'
import { paths } from '../../lib/paths.ts'
import { percent } from '../../lib/rates.ts'
import { count } from '../../lib/text.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { connectionActivityQuery, connectionsQuery, destinationsQuery } from '../../lib/workspace-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListBar } from '../../ui/list-bar.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RangeSelect, useRange } from '../../ui/range-select.tsx'
import { Skeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import {
  destinationRows,
  destinationStates,
  type DestinationRow as Row,
  stateOf,
  stateTitles,
} from './destination-rows.ts'
import { useDestinationActions } from './use-destination-actions.ts'

const toneOf = {
  unfinished: { tone: 'warning', dot: true, title: 'Its events are held until its settings are complete' },
  unpermitted: { tone: 'danger', dot: true, title: 'Its events are held until its account is connected' },
  failing: { tone: 'danger', dot: true, title: 'Events were given up and not delivered since' },
  unknown: { tone: 'outline', dot: false, title: 'Whether its deliveries fail could not be loaded' },
  unconnected: { tone: 'warning', dot: true, title: 'No source is connected' },
  paused: { tone: 'outline', dot: false, title: 'Its events are held, and delivered when it is resumed' },
  enabled: { tone: 'success', dot: true, title: 'Events are delivered as they arrive' },
} as const

const StateBadge = ({ row, loading }: { row: Row; loading: boolean }) => {
  const state = stateOf(row)
  if (state === 'unknown' && loading) return <Skeleton className="h-5 w-20" />
  return <Badge {...toneOf[state]}>{stateTitles[state]}</Badge>
}

const unknown = <span className="text-ink-3">–</span>

/** A number that leads to what it counts; none for nothing. */
const Counted = ({ value, to, danger = false }: { value: number | undefined; to: string; danger?: boolean }) => {
  if (value === undefined) return unknown
  if (value === 0) return <span className="text-ink-3">0</span>
  return (
    <Link to={to} className={danger ? 'rounded-sm text-danger-ink hover:underline' : 'rounded-sm hover:underline'}>
      {count(value)}
    </Link>
  )
}

const Success = ({ row: { outcomes } }: { row: Row }) => {
  const rate = outcomes && successRate(outcomes)
  return rate === undefined ? unknown : percent(rate)
}

const columnsOf = (range: RangePreset, loading: boolean): readonly Column<Row>[] => [
  {
    id: 'title',
    header: 'Destination',
    value: (row) => row.title.toLowerCase(),
    cell: (row) => (
      <span className="flex min-w-0 items-center gap-3">
        <AppIcon icon={row.app.extra.app_icon} />
        <Link
          to={paths.destination(row.name)}
          className="truncate rounded-sm font-medium hover:underline"
          title={row.title}
        >
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
    cell: (row) => <span className="block truncate text-ink-2">{row.app.display_name}</span>,
    wide: 'lg',
    width: 'sm:w-36',
  },
  {
    id: 'state',
    header: 'Status',
    value: (row) => destinationStates.indexOf(stateOf(row)),
    cell: (row) => <StateBadge row={row} loading={loading} />,
    width: 'sm:w-40',
  },
  {
    id: 'sources',
    header: 'Sources',
    value: (row) => row.sources ?? -1,
    cell: (row) => (row.sources === undefined ? unknown : count(row.sources)),
    align: 'right',
    wide: 'lg',
    width: 'sm:w-24',
  },
  {
    id: 'delivered',
    header: 'Delivered',
    value: (row) => row.outcomes?.delivered ?? -1,
    cell: (row) => <Counted value={row.outcomes?.delivered} to={paths.deliveries(row.name, 'delivered', { range })} />,
    align: 'right',
    wide: 'lg',
    width: 'sm:w-28',
  },
  {
    id: 'failed',
    header: 'Failed',
    value: (row) => row.outcomes?.failed ?? -1,
    cell: (row) => (
      <Counted value={row.outcomes?.failed} to={paths.failures(row.name, { state: 'dead', range })} danger />
    ),
    align: 'right',
    wide: true,
    width: 'sm:w-24',
  },
  {
    id: 'success',
    header: 'Success',
    value: (row) => (row.outcomes && successRate(row.outcomes)) ?? -1,
    cell: (row) => <Success row={row} />,
    align: 'right',
    wide: 'lg',
    width: 'sm:w-24',
  },
]

const filterNames = ['search', 'type', 'state'] as const
const sortNames = ['sort'] as const
const byFailed = { id: 'failed', desc: true } as const
const nothingChosen: ReadonlySet<string> = new Set()
const titleOf = (row: Row): string => row.title
const idOf = (row: Row): string => row.name

const List = ({
  destinations,
  connections,
  activities,
  range,
  onRange,
  mayEdit,
}: {
  destinations: Destination[]
  connections: UseQueryResult<Connection[]>
  activities: UseQueryResult<ConnectionActivity[]>
  range: RangePreset
  onRange: (range: RangePreset) => void
  mayEdit: boolean
}) => {
  const workspace = useWorkspace()
  const [filters, change] = useAddress(filterNames)
  const [{ sort }] = useAddress(sortNames)
  const [selected, setSelected] = useState(nothingChosen)
  const failed = [activities, connections].find((query) => query.isError && query.data === undefined)
  const loading = connections.isPending || activities.isPending
  const { actions, refresh } = useDestinationActions(workspace.name)
  const rows = useMemo(
    () => destinationRows(destinations, connections.data, activities.data, filters),
    [destinations, connections.data, activities.data, filters],
  )
  const columns = useMemo(() => columnsOf(range, loading), [range, loading])
  const types = useMemo(() => [...new Set(destinations.map(({ app }) => app.display_name))].toSorted(), [destinations])
  return (
    <div className="space-y-4">
      <ListBar
        label="Search destinations"
        noun="destination"
        values={filters}
        onChange={change}
        shown={rows.length}
        total={destinations.length}
        filters={[
          {
            name: 'type',
            label: 'Type',
            any: 'All types',
            options: types.map((type) => ({ value: type, title: type })),
          },
          {
            name: 'state',
            label: 'Status',
            any: 'Any status',
            options: destinationStates.map((state) => ({ value: state, title: stateTitles[state] })),
          },
        ]}
      >
        <RangeSelect value={range} onChange={onRange} />
      </ListBar>
      {failed !== undefined && (
        <LoadFailure title="The status of the destinations could not be loaded" query={failed} />
      )}
      <DataTable
        label="Destinations"
        columns={columns}
        rows={rows}
        rowId={idOf}
        sorted={sort === 'failed' ? byFailed : undefined}
        selection={mayEdit ? { selected, onChange: setSelected, titleOf } : undefined}
      />
      <p className="text-xs text-ink-3">
        Delivered, failed and success count each event once, by its last outcome in the{' '}
        {viewOf(range).title.toLowerCase()}.
      </p>
      <BulkBar
        noun="destination"
        // Only what is listed: nobody should delete what a filter hides.
        rows={rows.filter(({ name }) => selected.has(name))}
        actions={actions}
        idOf={idOf}
        titleOf={titleOf}
        onSelect={setSelected}
        onSettled={refresh}
      />
    </div>
  )
}

/** All destinations of the workspace. */
export const DestinationsPage = () => {
  const workspace = useWorkspace()
  const [range, choose] = useRange()
  const query = useQuery(destinationsQuery(workspace.name))
  const connections = useQuery(connectionsQuery(workspace.name))
  const activities = useQuery(connectionActivityQuery(workspace.name, range))
  const mayEdit = useMayEdit() === true
  const add = mayEdit && (
    <ButtonLink to={paths.catalogDestinations(workspace.name)} variant="primary">
      <Plus aria-hidden />
      Add destination
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Destinations"
        documentTitle="Destinations"
        description="Where your events are delivered to."
        action={(query.data?.length ?? 0) > 0 && add}
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the destinations">
        {(destinations) =>
          destinations.length === 0 ? (
            <EmptyState icon={<Send />} title="Add your first destination" action={add}>
              A destination is where events are delivered to, such as a webhook of your own service. What fails is
              retried for hours and never lost.
            </EmptyState>
          ) : (
            <List
              destinations={destinations}
              connections={connections}
              activities={activities}
              range={range}
              onRange={choose}
              mayEdit={mayEdit}
            />
          )
        }
      </QueryView>
    </>
  )
}
