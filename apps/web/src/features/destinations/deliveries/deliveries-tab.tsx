import { useInfiniteQuery } from '@tanstack/react-query'
import { type Delivery, type DeliveryStatus, type Destination, deliveryStatuses } from '@tributary/contract'
import { Truck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { useAddress } from '../../../lib/browser/use-address.ts'
import { useTyped } from '../../../lib/browser/use-typed.ts'
import { deliveryStatus } from '../../../lib/events/delivery-status.ts'
import { attemptCause } from '../../../lib/events/response-cause.ts'
import { rangePresets, viewOf } from '../../../lib/format/date-range.ts'
import { count, pluralise, truncate } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { deliveriesQuery } from '../../../lib/queries/event-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { SearchInput, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SearchSelect } from '../../../ui/forms/search-select.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { LeftOut } from './left-out.tsx'
import { kindOf, useSenders } from './senders.ts'

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
    width: 'sm:w-32',
    header: 'Status',
    value: (row) => row.status,
    cell: (row) => {
      const { label, tone } = deliveryStatus(row.status)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  {
    id: 'attempt',
    width: 'sm:w-28',
    header: 'Attempt',
    value: (row) => row.attempt,
    cell: (row) => (row.status === 'filtered' ? <span className="text-ink-3">–</span> : row.attempt),
    align: 'right',
    wide: 'lg',
  },
  {
    id: 'http',
    width: 'sm:w-20',
    header: 'HTTP',
    value: (row) => row.http_status,
    cell: (row) => (row.http_status === 0 ? <span className="text-ink-3">–</span> : row.http_status),
    align: 'right',
    wide: 'lg',
  },
  {
    id: 'latency',
    width: 'sm:w-28',
    header: 'Latency',
    value: (row) => row.latency_ms,
    cell: (row) => (row.status === 'filtered' ? <span className="text-ink-3">–</span> : `${count(row.latency_ms)} ms`),
    align: 'right',
    wide: 'lg',
    className: 'whitespace-nowrap',
  },
  {
    id: 'time',
    width: 'sm:w-32',
    header: 'Time',
    value: (row) => row.time,
    cell: (row) => <RelativeTime time={row.time} className="text-ink-2" />,
    align: 'right',
    className: 'whitespace-nowrap',
  },
]

const statusOf = (text: string): DeliveryStatus | '' => deliveryStatuses.find((value) => value === text) ?? ''

const Empty = ({ filtered, destination }: { filtered: boolean; destination: Destination }) => {
  if (filtered)
    return <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">No deliveries match.</p>
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
        ? 'Each delivery attempt is listed here with its response. Connect a source and send an event to see the first one.'
        : 'Each delivery attempt is listed here with its response. Resume this destination to see the first one.'}
    </EmptyState>
  )
}

const filterNames = ['status', 'range', 'source', 'audience', 'signal', 'event_id', 'left_out'] as const

/** The delivery attempts of a destination with the filters in the URL, and each attempt's request and response. */
export const DeliveriesTab = ({ destination }: { destination: Destination }) => {
  const [address, change] = useAddress(filterNames)
  const status = statusOf(address.status)
  const range = rangePresets.find((preset) => preset === address.range) ?? ''
  const { source, audience, signal, event_id, left_out } = address
  const options = useSenders(destination.name, address)
  const sender = signal || audience || source
  const typed = useTyped(event_id, (text) => change({ event_id: text }))
  const [shown, setShown] = useState<Delivery | undefined>()
  const query = useInfiniteQuery(
    deliveriesQuery(destination.name, { status, range, source, audience, signal, event_id, left_out }),
  )
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.deliveries) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the deliveries" />
    )
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput label="Event ID" maxLength={300} {...typed} />
        <Select
          aria-label="Status"
          className="w-40"
          value={status}
          onChange={(event) => change({ status: event.target.value })}
        >
          <option value="">All outcomes</option>
          <Options of={deliveryStatuses} title={(value) => deliveryStatus(value).label} />
        </Select>
        <Select
          aria-label="Time"
          className="w-36"
          value={range}
          onChange={(event) => change({ range: event.target.value })}
        >
          <option value="">Any time</option>
          <Options of={rangePresets} title={(preset) => viewOf(preset).title} />
        </Select>
        <SearchSelect
          label="Source"
          className="w-48"
          placeholder="All sources"
          value={sender}
          onChange={(chosen) => change({ source: '', audience: '', signal: '', [kindOf(chosen)]: chosen })}
          options={options}
        />
        {rows.length > 0 && (
          <span className="text-xs text-ink-3">
            {count(rows.length)} {pluralise(rows.length, 'row')} shown
          </span>
        )}
      </div>
      <LeftOut destination={destination.name} range={range} chosen={left_out} onChoose={change} />
      {query.data === undefined ? (
        <TableSkeleton rows={6} columns={5} />
      ) : rows.length === 0 ? (
        <Empty
          filtered={[status, range, sender, event_id, left_out].some((filter) => filter !== '')}
          destination={destination}
        />
      ) : (
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={rows}
          rowId={(row) => `${row.event_id} ${row.attempt} ${row.time}`}
          onRow={setShown}
        />
      )}
      <LoadMore query={query} />
      {shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </div>
  )
}
