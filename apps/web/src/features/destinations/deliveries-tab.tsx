import { useInfiniteQuery } from '@tanstack/react-query'
import { type Delivery, type DeliveryStatus, deliveryStatuses } from '@tributary/contract'
import { RotateCw, Truck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { paths } from '../../lib/paths.ts'
import { deliveriesQuery } from '../../lib/queries.ts'
import { count, pluralise, truncate } from '../../lib/text.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { Select } from '../../ui/input.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { useRetryDeliveries } from './mutations.ts'

const columns: readonly Column<Delivery>[] = [
  {
    id: 'event',
    header: 'Event',
    value: (row) => row.event_title,
    cell: (row) => (
      <span className="block min-w-0 py-1.5">
        <span className="flex items-baseline gap-2">
          <span className="font-medium" title={row.event_title}>
            {truncate(row.event_title)}
          </span>
          <span className="font-mono text-xs text-ink-3 max-sm:hidden">{row.event_type}</span>
        </span>
        {row.reason !== '' && (
          <span className="block max-w-72 truncate text-xs text-ink-2" title={row.reason}>
            {row.reason}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    value: (row) => row.status,
    cell: (row) => {
      const { label, tone } = deliveryStatus(row.status)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  {
    id: 'attempt',
    header: 'Attempt',
    value: (row) => row.attempt,
    cell: (row) => row.attempt,
    align: 'right',
    wide: true,
  },
  {
    id: 'http',
    header: 'HTTP',
    value: (row) => row.http_status,
    cell: (row) => (row.http_status === 0 ? <span className="text-ink-3">–</span> : row.http_status),
    align: 'right',
    wide: true,
  },
  {
    id: 'latency',
    header: 'Latency',
    value: (row) => row.latency_ms,
    cell: (row) => `${count(row.latency_ms)} ms`,
    align: 'right',
    wide: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'time',
    header: 'Time',
    value: (row) => row.time,
    cell: (row) => <RelativeTime time={row.time} className="text-ink-2" />,
    align: 'right',
    className: 'whitespace-nowrap',
  },
]

type Held = { event_count: number; oldest_time: string | null }

const HeldTile = ({
  title,
  help,
  held,
  tone,
  retry,
}: {
  title: string
  help: string
  held: Held
  tone: 'warning' | 'danger'
  retry?: { loading: boolean; run: () => void }
}) => (
  <div className="flex items-center gap-4 rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
    <div className="min-w-0 flex-1">
      <p className="flex items-center gap-2 text-xs font-medium text-ink-3">
        {title}
        {held.event_count > 0 && (
          <span
            aria-hidden
            className={tone === 'danger' ? 'size-1.5 rounded-full bg-danger' : 'size-1.5 rounded-full bg-warning'}
          />
        )}
      </p>
      <p className="text-xl font-semibold tabular">{count(held.event_count)}</p>
      <p className="text-xs text-ink-3">
        {held.event_count === 0 || held.oldest_time === null ? (
          help
        ) : (
          <>
            Oldest <RelativeTime time={held.oldest_time} />
          </>
        )}
      </p>
    </div>
    {held.event_count > 0 && retry !== undefined && (
      <Button size="sm" loading={retry.loading} onClick={retry.run}>
        <RotateCw aria-hidden />
        Retry now
      </Button>
    )}
  </div>
)

const Empty = ({ status, destination }: { status: string; destination: string }) =>
  status === '' ? (
    <EmptyState
      icon={<Truck />}
      title="Nothing delivered yet"
      action={
        <ButtonLink to={paths.destination(destination, 'connections')} replace>
          See connections
        </ButtonLink>
      }
    >
      Every attempt to deliver an event is listed here with its answer. Connect a source and send an event to see the
      first one.
    </EmptyState>
  ) : (
    <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">No attempt ended like this.</p>
  )

/** The attempts of a destination with what is held, a filter, and each attempt's request and answer. */
export const DeliveriesTab = ({ destination }: { destination: string }) => {
  const [status, setStatus] = useState<DeliveryStatus | ''>('')
  const [shown, setShown] = useState<Delivery | undefined>()
  const query = useInfiniteQuery(deliveriesQuery(destination, status))
  const retry = useRetryDeliveries(destination)
  const mayEdit = useMayEdit() === true
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.deliveries) ?? [], [query.data])
  const latest = query.data?.pages[0]
  const retryOf = (state: 'waiting' | 'dead') =>
    mayEdit ? { retry: { loading: retry.isPending && retry.variables === state, run: () => retry.mutate(state) } } : {}
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the deliveries" />
    )
  return (
    <div className="space-y-5">
      {latest !== undefined && (
        <div className="grid gap-3 sm:grid-cols-2">
          <HeldTile
            title="Waiting"
            help="Events that are tried again appear here."
            held={latest.waiting}
            tone="warning"
            {...retryOf('waiting')}
          />
          <HeldTile
            title="Dead letters"
            help="Events that nobody tries again appear here."
            held={latest.dead}
            tone="danger"
            {...retryOf('dead')}
          />
        </div>
      )}
      <div className="flex items-center gap-3">
        <Select
          aria-label="Status"
          className="w-44"
          value={status}
          onChange={(event) => setStatus(deliveryStatuses.find((value) => value === event.target.value) ?? '')}
        >
          <option value="">All attempts</option>
          {deliveryStatuses.map((value) => (
            <option key={value} value={value}>
              {deliveryStatus(value).label}
            </option>
          ))}
        </Select>
        {rows.length > 0 && (
          <span className="text-xs text-ink-3">
            {count(rows.length)} {pluralise(rows.length, 'attempt')} shown
          </span>
        )}
      </div>
      {query.data === undefined ? (
        <TableSkeleton rows={6} columns={5} />
      ) : rows.length === 0 ? (
        <Empty status={status} destination={destination} />
      ) : (
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={rows}
          rowId={(row) => `${row.event_id} ${row.attempt} ${row.time}`}
          onRow={setShown}
        />
      )}
      {query.hasNextPage && (
        <div className="flex justify-center">
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      {shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </div>
  )
}
