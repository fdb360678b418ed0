import { useInfiniteQuery } from '@tanstack/react-query'
import { type Delivery, type DeliveryStatus, type Destination, deliveryStatuses } from '@tributary/contract'
import { Truck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { deliveriesQuery } from '../../lib/event-queries.ts'
import { paths } from '../../lib/paths.ts'
import { attemptCause } from '../../lib/response-cause.ts'
import { count, pluralise, truncate } from '../../lib/text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { Select } from '../../ui/input.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

const Cause = ({ row: { reason, http_status, response } }: { row: Delivery }) => {
  const cause = attemptCause(reason, http_status, response)
  return (
    cause !== '' && (
      <span className="block max-w-72 truncate text-xs text-ink-2" title={cause}>
        {cause}
      </span>
    )
  )
}

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
        <Cause row={row} />
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
    cell: (row) => (row.status === 'filtered' ? <span className="text-ink-3">–</span> : row.attempt),
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
    cell: (row) => (row.status === 'filtered' ? <span className="text-ink-3">–</span> : `${count(row.latency_ms)} ms`),
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

const statusOf = (text: string | null): DeliveryStatus | '' => deliveryStatuses.find((value) => value === text) ?? ''

const Empty = ({ status, destination }: { status: string; destination: Destination }) => {
  if (status !== '')
    return (
      <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">Nothing ended like this.</p>
    )
  const { enabled, name } = destination
  return (
    <EmptyState
      icon={<Truck />}
      title="Nothing delivered yet"
      action={
        <ButtonLink to={paths.destination(name, enabled ? 'connections' : 'settings')} replace>
          {enabled ? 'See connections' : 'See settings'}
        </ButtonLink>
      }
    >
      {enabled
        ? 'Every attempt to deliver an event is listed here with its answer. Connect a source and send an event to see the first one.'
        : 'Every attempt to deliver an event is listed here with its answer. Resume this destination to see the first one.'}
    </EmptyState>
  )
}

/** The attempts of a destination with a filter that the address names, and each attempt's request and answer. */
export const DeliveriesTab = ({ destination }: { destination: Destination }) => {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const status = statusOf(search.get('status'))
  const [shown, setShown] = useState<Delivery | undefined>()
  const query = useInfiniteQuery(deliveriesQuery(destination.name, status))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.deliveries) ?? [], [query.data])
  const choose = (chosen: string): void =>
    void navigate(paths.deliveries(destination.name, chosen), { replace: true, preventScrollReset: true })
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the deliveries" />
    )
  return (
    <div className="space-y-5">
      <div className="flex items-center gap-3">
        <Select aria-label="Status" className="w-44" value={status} onChange={(event) => choose(event.target.value)}>
          <option value="">Every outcome</option>
          {deliveryStatuses.map((value) => (
            <option key={value} value={value}>
              {deliveryStatus(value).label}
            </option>
          ))}
        </Select>
        {rows.length > 0 && (
          <span className="text-xs text-ink-3">
            {count(rows.length)} {pluralise(rows.length, 'row')} shown
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
