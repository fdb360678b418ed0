import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type Connection, type ConnectionActivity, type Destination, successRate } from '@tributary/contract'
import { Plus, Send } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { Link } from 'react-router'
import { ListPage, TitleCell } from '../../components/list-page.tsx'
import { useAddress } from '../../lib/browser/use-address.ts'
import { type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { percent } from '../../lib/format/rates.ts'
import { count } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { connectionActivityQuery, connectionsQuery, destinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import { ListView, stateFilter, typeFilter } from '../../ui/lists/list-view.tsx'
import { LoadFailure } from '../../ui/page/load-failure.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import {
  type DestinationFilters,
  destinationRows,
  destinationStates,
  type DestinationRow as Row,
  stateOf,
  stateTitles,
} from './destination-rows.ts'
import { useDestinationActions } from './use-destination-actions.ts'

const toneOf = {
  unfinished: { tone: 'warning', dot: true, title: 'Events are held until setup is finished' },
  unpermitted: { tone: 'danger', dot: true, title: 'Events are held until an account is connected' },
  failing: { tone: 'danger', dot: true, title: 'Events became dead letters, and none were delivered since' },
  unknown: { tone: 'outline', dot: false, title: 'Could not load the delivery status' },
  unconnected: { tone: 'warning', dot: true, title: 'No source is connected' },
  paused: { tone: 'outline', dot: false, title: 'Events are held and delivered when you resume' },
  enabled: { tone: 'success', dot: true, title: 'Events are delivered as they arrive' },
} as const

const StateBadge = ({ row, loading }: { row: Row; loading: boolean }) => {
  const state = stateOf(row)
  if (state === 'unknown' && loading) return <Skeleton className="h-5 w-20" />
  return <Badge {...toneOf[state]}>{stateTitles[state]}</Badge>
}

const unknown = <span className="text-ink-3">–</span>

/** A number that links to the counted objects. Zero has no link. */
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
    cell: (row) => <TitleCell icon={row.app.extra.app_icon} title={row.title} to={paths.destination(row.name)} />,
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
    width: 'sm:w-28',
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
    width: 'sm:w-28',
  },
]

const sortNames = ['sort'] as const
const byFailed = { id: 'failed', desc: true } as const
const byState = stateFilter(destinationStates, stateTitles)
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
  destinations: readonly Destination[]
  connections: UseQueryResult<Connection[]>
  activities: UseQueryResult<ConnectionActivity[]>
  range: RangePreset
  onRange: (range: RangePreset) => void
  mayEdit: boolean
}) => {
  const [{ sort }] = useAddress(sortNames)
  const failed = [activities, connections].find((query) => query.isError && query.data === undefined)
  const loading = connections.isPending || activities.isPending
  const bulk = useDestinationActions(useWorkspace().name)
  const narrow = useCallback(
    (values: DestinationFilters) => destinationRows(destinations, connections.data, activities.data, values),
    [destinations, connections.data, activities.data],
  )
  const columns = useMemo(() => columnsOf(range, loading), [range, loading])
  const filters = useMemo(() => [typeFilter(destinations.map(({ app }) => app.display_name)), byState], [destinations])
  return (
    <ListView
      label="Destinations"
      noun="destination"
      total={destinations.length}
      filters={filters}
      narrow={narrow}
      columns={columns}
      idOf={idOf}
      titleOf={titleOf}
      bulk={mayEdit ? bulk : undefined}
      sorted={sort === 'failed' ? byFailed : undefined}
      controls={<RangeSelect value={range} onChange={onRange} />}
      notice={failed !== undefined && <LoadFailure title="Could not load the status of destinations" query={failed} />}
      note={
        <p className="text-xs text-ink-3">
          Delivered, failed, and success count each event once, by its last outcome in the{' '}
          {viewOf(range).title.toLowerCase()}.
        </p>
      }
    />
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
    <ListPage
      title="Destinations"
      description="Where your events are delivered."
      query={query}
      errorTitle="Failed to load the destinations"
      action={add}
      empty={{
        icon: <Send />,
        title: 'Add your first destination',
        text: 'A destination receives your events, such as your own webhook. Failed deliveries are retried for hours and never lost.',
      }}
    >
      {(destinations) => (
        <List
          destinations={destinations}
          connections={connections}
          activities={activities}
          range={range}
          onRange={choose}
          mayEdit={mayEdit}
        />
      )}
    </ListPage>
  )
}
