import { useQuery } from '@tanstack/react-query'
import type { EventDetail, PendingEvent } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { useMemo } from 'react'
import { useLocation, useParams } from 'react-router'
import { EventDeliveries } from '../../components/event-deliveries.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { byDestination } from '../../lib/events/by-destination.ts'
import { formatJson } from '../../lib/format/json-text.ts'
import { paths } from '../../lib/paths.ts'
import { eventQuery, pendingMs } from '../../lib/queries/event-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton, Skeleton } from '../../ui/page/skeleton.tsx'
import { StatusBadge } from './event-badges.tsx'
import { EventFacts } from './event-facts.tsx'
import { EventOutcome } from './event-outcome.tsx'

const isWithin = (path: unknown, list: string): path is string =>
  typeof path === 'string' && (path === list || path.startsWith(`${list}?`))

/** The filtered list from which this event was opened, otherwise the whole list. */
const useWayBack = (): string => {
  const list = paths.events(useWorkspace().name)
  const state: unknown = useLocation().state
  const before = isRecord(state) && 'search' in state ? state.search : undefined
  return isWithin(before, list) ? before : list
}

const Content = ({ event }: { event: EventDetail }) => {
  const workspace = useWorkspace()
  const back = useWayBack()
  const text = useMemo(() => formatJson(event.payload_text), [event.payload_text])
  const received = useMemo(() => formatJson(event.original), [event.original])
  return (
    <>
      <PageHeader
        title={event.title === '' ? 'Event' : event.title}
        description={`${event.type === '' ? 'unknown' : event.type.toLowerCase()} event`}
        crumbs={[{ label: 'Events', to: back }]}
        action={<StatusBadge event={event} />}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0 space-y-5">
          <Card title="What happened">
            <EventOutcome event={event} />
          </Card>
          <Card title="Deliveries">
            <EventDeliveries event={event} workspace={workspace.name} />
          </Card>
          <Card
            title="Payload"
            description={
              event.status === 'rejected'
                ? 'The event as received.'
                : 'The event as destinations receive it, including batch-level fields.'
            }
          >
            <CodeBlock
              codes={
                event.status === 'rejected'
                  ? [{ title: event.message_id, language: 'json', text }]
                  : [
                      { title: 'Event', language: 'json', text },
                      { title: 'As received', language: 'json', text: received },
                    ]
              }
              copyLabel="Copy"
              label="Form"
              notice="Payload copied"
              className="max-h-160"
            />
          </Card>
        </div>
        <Card title="Details">
          <EventFacts event={event} />
        </Card>
      </div>
    </>
  )
}

const Loading = () => (
  <>
    <div aria-busy className="mb-6 space-y-2">
      <Skeleton className="h-3 w-20" />
      <Skeleton className="h-6 w-56" />
      <Skeleton className="h-3 w-28" />
    </div>
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="space-y-5">
        <CardSkeleton lines={4} />
        <CardSkeleton lines={6} />
      </div>
      <CardSkeleton lines={8} />
    </div>
  </>
)

const Pending = () => (
  <>
    <output className="mb-4 block text-sm text-ink-2">
      This event was accepted and is being stored. It appears here in a moment.
    </output>
    <Loading />
  </>
)

/** Time in ms after the receipt of an event during which the page polls for the first delivery attempts. */
const fresh = 60_000

/**
 * Returns the time in ms until an event is reloaded: until the event is stored, while its deliveries begin, and while
 * one of them waits for a retry. False means no reload.
 */
const readAgain = (event: EventDetail | PendingEvent | undefined): number | false => {
  if (event === undefined) return false
  if (event.state === 'pending') return pendingMs
  if (event.deliveries.length === 0) return Date.now() - Date.parse(event.receive_time) < fresh ? 2_000 : false
  return byDestination(event.deliveries).some(({ attempts }) => attempts[0]?.status === 'retry') ? 5_000 : false
}

/**
 * The page of an event with its complete outcome: received, validated, held or replayed, and delivered to each
 * destination.
 */
export const EventPage = () => {
  const workspace = useWorkspace()
  const { eventId } = useParams()
  const query = useQuery({
    ...eventQuery(workspace.name, eventId ?? ''),
    refetchInterval: ({ state: { data } }) => readAgain(data),
  })
  return (
    <QueryView page query={query} skeleton={<Loading />} errorTitle="Failed to load the event">
      {(event) => (event.state === 'pending' ? <Pending /> : <Content key={event.name} event={event} />)}
    </QueryView>
  )
}
