import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Destination, type FailureGroup, methods, type ParkedDelivery } from '@tributary/contract'
import { ChevronRight, RotateCw } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { destinationIds, failureGroupIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { pagesQuery } from '../../../lib/queries/query.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { Fact } from '../../../ui/code/exchange.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { useRetryDeliveries } from '../mutations.ts'

/** The held deliveries with one cause, latest first, by pages of 20. */
const groupDeliveriesQuery = (group: string) => {
  const { workspace, destination } = failureGroupIds(group)
  return pagesQuery(
    methods.deliveries.listParked,
    { params: { workspace, destination }, query: { page_size: 20, failure_group: group } },
    {
      refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000),
    },
  )
}

type Affected = ParkedDelivery['events'][number]

const line =
  'grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(0,auto)] items-center gap-x-4 sm:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1fr)_7rem]'

const userOf = ({ user_id, anonymous_id }: Affected): string => (user_id === '' ? anonymous_id : user_id)

/** One event with the fields that identify it: its user, its message ID, and the time of receipt. */
const EventLine = ({ event }: { event: Affected }) => {
  const user = userOf(event)
  return (
    <span className={line}>
      <Link
        to={event.profile === undefined ? paths.event(event.name) : paths.profile(event.profile)}
        className="truncate rounded-sm font-medium hover:underline"
      >
        {event.event_title === '' ? event.event_id : event.event_title}
      </Link>
      <span className="truncate text-ink-2" title={user}>
        {user === '' && event.profile === undefined ? <span className="text-ink-3">No user</span> : user}
      </span>
      <code className="truncate font-mono text-xs text-ink-2 max-sm:hidden" title={event.message_id}>
        {event.message_id}
      </code>
      <span className="text-right text-xs text-ink-3 max-sm:hidden">
        {event.receive_time !== null && <RelativeTime time={event.receive_time} />}
      </span>
    </span>
  )
}

const Details = ({ row, source }: { row: ParkedDelivery; source: string }) => {
  const only = row.event_count === 1 ? row.events[0] : undefined
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Fact name={row.audience === undefined ? 'Source' : 'Audience'}>{source}</Fact>
      <Fact name="Attempts">{count(row.attempts)}</Fact>
      <Fact name="First held">
        <RelativeTime time={row.first_time} />
      </Fact>
      {only !== undefined && (
        <>
          {only.receive_time !== null && (
            <Fact name="Received">
              <RelativeTime time={only.receive_time} />
            </Fact>
          )}
          {row.audience === undefined && <Fact name="User">{userOf(only) === '' ? 'No user' : userOf(only)}</Fact>}
          <Fact name="Message ID">{only.message_id}</Fact>
        </>
      )}
    </dl>
  )
}

/** Number of events of one record that are listed at first. */
const firstEvents = 10

const EventLines = ({ row }: { row: ParkedDelivery }) => {
  const [all, setAll] = useState(false)
  const more = row.event_count - row.events.length
  const hidden = all ? 0 : Math.max(0, row.events.length - firstEvents)
  return (
    <ul className="mt-2 divide-y divide-line border-t border-line">
      {row.events.slice(0, row.events.length - hidden).map((event) => (
        <li key={event.name} className="flex py-1.5">
          <EventLine event={event} />
        </li>
      ))}
      {hidden > 0 ? (
        <li className="py-1.5">
          <Button size="sm" variant="none" className="-ml-2" onClick={() => setAll(true)}>
            Show {count(hidden)} more
          </Button>
        </li>
      ) : (
        more > 0 && <li className="py-1.5 text-ink-2">and {count(more)} more</li>
      )}
    </ul>
  )
}

/**
 * One line for deliveries that are held together as one record: the event if it is only one, otherwise their count. The
 * details expand below.
 */
const Parked = ({
  row,
  source,
  initiallyOpen,
  action,
}: {
  row: ParkedDelivery
  source: string
  initiallyOpen: boolean
  action: ReactNode
}) => {
  const [open, setOpen] = useState(initiallyOpen)
  const id = useId()
  const only = row.event_count === 1 ? row.events[0] : undefined
  return (
    <li className="px-3 py-1 text-sm">
      <div className="flex min-h-8 items-center gap-2">
        <Button
          variant="none"
          size="sm"
          square
          aria-label="Details"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight aria-hidden className={cn(open && 'rotate-90')} />
        </Button>
        {only === undefined ? (
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">
              {count(row.event_count)} {pluralise(row.event_count, 'event')}
            </span>{' '}
            <span className="text-ink-2">of {source}</span>
          </span>
        ) : (
          <EventLine event={only} />
        )}
        {action}
      </div>
      {open && (
        <div id={id} className="pt-1 pb-2 pl-9">
          <Details row={row} source={source} />
          {only === undefined && row.events.length > 0 && <EventLines row={row} />}
        </div>
      )}
    </li>
  )
}

/** The held events of a group, one line each, with pages. */
export const AffectedEvents = ({ destination, group }: { destination: Destination; group: FailureGroup }) => {
  const query = useInfiniteQuery(groupDeliveriesQuery(group.name))
  const sources = useQuery(allSourcesQuery(`workspaces/${destinationIds(destination.name).workspace}`))
  const retry = useRetryDeliveries(destination.name)
  const mayRetry = useMayEdit() === true && destination.enabled
  const titles = useMemo(() => new Map(sources.data?.map((source) => [source.name, source.title])), [sources.data])
  const absent = sources.data === undefined ? 'Source' : 'Deleted source'
  const rows = query.data?.pages.flatMap((page) => page.parked_deliveries) ?? []
  return (
    <section aria-label="Affected events" className="space-y-3">
      <h3 className="text-base font-semibold">Affected events</h3>
      {query.data === undefined && query.isError ? (
        <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the events" />
      ) : query.data === undefined ? (
        <TableSkeleton rows={3} columns={3} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
          {rows.map((row) => (
            <Parked
              key={row.name}
              row={row}
              source={row.audience?.title ?? titles.get(row.source) ?? absent}
              initiallyOpen={rows.length === 1}
              action={
                mayRetry && (
                  <Button
                    size="sm"
                    loading={retry.isPending && retry.variables.parked_delivery === row.name}
                    onClick={() => retry.mutate({ parked_delivery: row.name })}
                  >
                    <RotateCw aria-hidden />
                    Retry
                  </Button>
                )
              }
            />
          ))}
          {rows.length === 0 && <li className="px-4 py-6 text-center text-ink-3">No events left.</li>}
        </ul>
      )}
      <LoadMore query={query} />
    </section>
  )
}
