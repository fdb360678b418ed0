import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Destination, ParkedDelivery } from '@tributary/contract'
import { ArrowLeft, RotateCw } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { parkedQuery } from '../../lib/event-queries.ts'
import { destinationIds } from '../../lib/names.ts'
import { count, pluralise } from '../../lib/text.ts'
import { sourcesQuery } from '../../lib/workspace-queries.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { Exchange, Fact } from '../../ui/exchange.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { useRetryDeliveries } from './mutations.ts'

type Row = ParkedDelivery & { title: string; outcome: string }

/** The last answer in a few words. */
const outcomeOf = ({ last_status, last_reason, attempts }: ParkedDelivery): string =>
  last_reason !== ''
    ? last_reason
    : last_status !== null
      ? `Answered with status ${last_status}`
      : attempts === 0
        ? 'Not tried yet'
        : 'No answer'

const sourceColumn: Column<Row> = {
  id: 'source',
  header: 'Source',
  value: (row) => row.title,
  cell: (row) => (
    <span className="block min-w-0 py-1.5">
      <span className="block truncate font-medium" title={row.title}>
        {row.title}
      </span>
      <span className="block truncate text-xs text-ink-2" title={row.outcome}>
        {row.outcome}
      </span>
    </span>
  ),
  className: 'w-full max-w-0',
}
const eventsColumn: Column<Row> = {
  id: 'events',
  header: 'Events',
  value: (row) => row.event_count,
  cell: (row) => count(row.event_count),
  align: 'right',
}
const attemptsColumn: Column<Row> = {
  id: 'attempts',
  header: 'Attempts',
  value: (row) => row.attempts,
  cell: (row) => count(row.attempts),
  align: 'right',
  wide: true,
}
const firstColumn: Column<Row> = {
  id: 'first',
  header: 'Held since',
  value: (row) => row.first_time,
  cell: (row) => <RelativeTime time={row.first_time} className="text-ink-2" />,
  align: 'right',
  wide: true,
  className: 'whitespace-nowrap',
}
const nextColumn: Column<Row> = {
  id: 'next',
  header: 'Next try',
  value: (row) => row.next_time,
  cell: (row) => <RelativeTime time={row.next_time} upcoming className="text-ink-2" />,
  align: 'right',
  className: 'whitespace-nowrap',
}

const deadColumns = [sourceColumn, eventsColumn, attemptsColumn, firstColumn]
const pausedColumns = deadColumns
const waitingColumns = [...deadColumns, nextColumn]

/** Shows what takes the place of the list from its beginning, for eyes and for screen readers. */
const arrive = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: 'start' })
  element?.focus({ preventScroll: true })
}

const Detail = ({ row, paused }: { row: Row; paused: boolean }) => (
  <div ref={arrive} tabIndex={-1} className="outline-none">
    <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Fact name="Attempts">{count(row.attempts)}</Fact>
      <Fact name="Held since">
        <RelativeTime time={row.first_time} />
      </Fact>
      <Fact name="Next try">
        {row.state === 'dead' ? (
          'When you retry it'
        ) : paused ? (
          'When it is resumed'
        ) : (
          <RelativeTime time={row.next_time} upcoming />
        )}
      </Fact>
      {row.last_status !== null && <Fact name="Last HTTP status">{row.last_status}</Fact>}
    </dl>
    <Exchange reason={row.last_reason} request={row.request} response={row.response}>
      {row.attempts === 0
        ? 'These events have not been sent yet, so there is no answer to show.'
        : 'No request or response of the last attempt was kept.'}
    </Exchange>
  </div>
)

const titles = { waiting: 'Waiting', dead: 'Dead letters' } as const

const descriptionOf = (state: ParkedDelivery['state'], paused: boolean): string => {
  if (state === 'dead') return 'These events are not tried again by themselves. Mend what is wrong, then retry them.'
  return paused
    ? 'These events are held while this destination is paused.'
    : 'These events are tried again by themselves.'
}

const List = ({
  query,
  rows,
  state,
  paused,
  onRow,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
  rows: readonly Row[]
  state: ParkedDelivery['state']
  paused: boolean
  onRow: (row: Row) => void
}) =>
  rows.length === 0 ? (
    <p className="rounded-lg border border-line bg-canvas py-10 text-center text-ink-3">
      {state === 'dead' ? 'No dead letters are left.' : 'Nothing is waiting any more.'}
    </p>
  ) : (
    <div className="space-y-4">
      <DataTable
        label={titles[state]}
        columns={state === 'dead' ? deadColumns : paused ? pausedColumns : waitingColumns}
        rows={rows}
        rowId={(row) => row.name}
        onRow={onRow}
      />
      {query.hasNextPage && (
        <div className="flex justify-center">
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </div>
  )

/** What is held for a destination in one state, each with its last request and answer, and a retry for all. */
export const HeldDialog = ({
  destination,
  state,
  mayRetry,
  onClosed,
}: {
  destination: Destination
  state: ParkedDelivery['state']
  mayRetry: boolean
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const [chosen, setChosen] = useState<Row | undefined>()
  const query = useInfiniteQuery(parkedQuery(destination.name, state))
  const sources = useQuery(sourcesQuery(`workspaces/${destinationIds(destination.name).workspace}`))
  const retry = useRetryDeliveries(destination.name)
  const rows = useMemo(() => {
    const parked = query.data?.pages.flatMap((page) => page.parked_deliveries) ?? []
    const titleOf = new Map(sources.data?.map((source) => [source.name, source.title]))
    const absent = sources.data === undefined ? 'Source' : 'Deleted source'
    return parked.map((row) => ({ ...row, title: titleOf.get(row.source) ?? absent, outcome: outcomeOf(row) }))
  }, [query.data, sources.data])
  const opener = useRef<Element | null>(null)
  useEffect(() => {
    if (chosen === undefined && opener.current instanceof HTMLElement) opener.current.focus()
  }, [chosen])
  const paused = !destination.enabled
  const close = () => setOpen(false)
  return (
    <Dialog
      open={open}
      onClose={close}
      onClosed={onClosed}
      size="lg"
      title={chosen === undefined ? titles[state] : `${titles[state]}: ${chosen.title}`}
      description={
        chosen === undefined
          ? descriptionOf(state, paused)
          : `${count(chosen.event_count)} ${pluralise(chosen.event_count, 'event')}`
      }
      footer={
        <>
          {chosen !== undefined && (
            <Button className="mr-auto" onClick={() => setChosen(undefined)}>
              <ArrowLeft aria-hidden />
              Back
            </Button>
          )}
          <Button onClick={close}>Close</Button>
          {chosen === undefined && mayRetry && rows.length > 0 && (
            <Button variant="primary" loading={retry.isPending} onClick={() => retry.mutate(state)}>
              <RotateCw aria-hidden />
              Retry all now
            </Button>
          )}
        </>
      }
    >
      {chosen !== undefined && <Detail row={chosen} paused={paused} />}
      {query.data === undefined && query.isError ? (
        <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load what is held" />
      ) : query.data === undefined ? (
        <TableSkeleton rows={3} columns={4} />
      ) : (
        <div hidden={chosen !== undefined}>
          <List
            query={query}
            rows={rows}
            state={state}
            paused={paused}
            onRow={(row) => {
              opener.current = document.activeElement
              setChosen(row)
            }}
          />
        </div>
      )}
    </Dialog>
  )
}
