import { useInfiniteQuery } from '@tanstack/react-query'
import {
  type Delivery,
  type DeliveryStatus,
  type Destination,
  deliveryStatuses,
  type ParkedDelivery,
} from '@tributary/contract'
import { ChevronRight, Info, RotateCw, Truck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { deliveriesQuery } from '../../lib/event-queries.ts'
import { paths } from '../../lib/paths.ts'
import { count, pluralise, truncate } from '../../lib/text.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { Select } from '../../ui/input.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { HeldDialog } from './held-dialog.tsx'
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
  onShow,
}: {
  title: string
  help: string
  held: Held
  tone: 'warning' | 'danger'
  retry?: { loading: boolean; run: () => void }
  onShow: () => void
}) => {
  const some = held.event_count > 0
  return (
    <div
      className={cn(
        'relative flex items-center gap-4 rounded-lg border border-line bg-surface px-4 py-3 shadow-card',
        some && 'transition-colors hover:border-line-strong hover:bg-hover',
      )}
    >
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-xs font-medium text-ink-3">
          {some ? (
            <button
              type="button"
              className="inline-flex items-center gap-1 rounded-sm after:absolute after:inset-0"
              onClick={onShow}
            >
              {title}
              <span className="sr-only">: show what is held</span>
              <ChevronRight aria-hidden className="size-3.5" />
            </button>
          ) : (
            title
          )}
          {some && (
            <span aria-hidden className={cn('size-1.5 rounded-full', tone === 'danger' ? 'bg-danger' : 'bg-warning')} />
          )}
        </p>
        <p className="text-xl font-semibold tabular">{count(held.event_count)}</p>
        <p className="text-xs text-ink-3">
          {!some || held.oldest_time === null ? (
            help
          ) : (
            <>
              Oldest <RelativeTime time={held.oldest_time} />
            </>
          )}
        </p>
      </div>
      {some && retry !== undefined && (
        <Button size="sm" className="relative" loading={retry.loading} onClick={retry.run}>
          <RotateCw aria-hidden />
          Retry now
        </Button>
      )}
    </div>
  )
}

const PausedNote = () => (
  <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-4 py-2.5 text-sm text-warning-ink">
    <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
    This destination is paused: its events are held, and delivered when it is resumed in its settings.
  </p>
)

const Empty = ({ status, destination }: { status: string; destination: Destination }) => {
  if (status !== '')
    return (
      <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">
        No attempt ended like this.
      </p>
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

/** The attempts of a destination with what is held, a filter, and each attempt's request and answer. */
export const DeliveriesTab = ({ destination }: { destination: Destination }) => {
  const [status, setStatus] = useState<DeliveryStatus | ''>('')
  const [shown, setShown] = useState<Delivery | undefined>()
  const [held, setHeld] = useState<ParkedDelivery['state'] | undefined>()
  const query = useInfiniteQuery(deliveriesQuery(destination.name, status))
  const retry = useRetryDeliveries(destination.name)
  const paused = !destination.enabled
  const mayRetry = useMayEdit() === true && !paused
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.deliveries) ?? [], [query.data])
  const latest = query.data?.pages[0]
  const retryOf = (state: 'waiting' | 'dead') =>
    mayRetry ? { retry: { loading: retry.isPending && retry.variables === state, run: () => retry.mutate(state) } } : {}
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the deliveries" />
    )
  return (
    <div className="space-y-5">
      {paused && <PausedNote />}
      {latest !== undefined && (
        <div className="grid gap-3 sm:grid-cols-2">
          <HeldTile
            title="Waiting"
            help={paused ? 'Events that are held appear here.' : 'Events that are tried again appear here.'}
            held={latest.waiting}
            tone="warning"
            onShow={() => setHeld('waiting')}
            {...retryOf('waiting')}
          />
          <HeldTile
            title="Dead letters"
            help="Events that nobody tries again appear here."
            held={latest.dead}
            tone="danger"
            onShow={() => setHeld('dead')}
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
      {held !== undefined && (
        <HeldDialog destination={destination} state={held} mayRetry={mayRetry} onClosed={() => setHeld(undefined)} />
      )}
      {shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </div>
  )
}
