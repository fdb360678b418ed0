import { useQuery } from '@tanstack/react-query'
import type { Delivery, EventDetail } from '@tributary/contract'
import { CircleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { byDestination } from '../../lib/by-destination.ts'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { eventQuery } from '../../lib/event-queries.ts'
import { formatJson } from '../../lib/json-text.ts'
import { sourceIds } from '../../lib/names.ts'
import { paths } from '../../lib/paths.ts'
import { rejectionOf } from '../../lib/rejection.ts'
import { localTime, utcTime } from '../../lib/time.ts'
import { destinationsQuery } from '../../lib/workspace-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadingNote } from '../../ui/loading-note.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { WithCode } from '../../ui/with-code.tsx'
import type { LiveEvent } from './live-events.ts'

const Payload = ({ event }: { event: EventDetail }) => {
  const text = useMemo(() => formatJson(event.original), [event.original])
  return (
    <CodeBlock
      codes={[{ title: event.message_id, language: 'json', text }]}
      copyLabel="Copy"
      notice="Payload copied"
      className="max-h-96"
    />
  )
}

const Attempts = ({ attempts }: { attempts: readonly Delivery[] }) => (
  <ol className="space-y-1.5">
    {attempts.map((attempt) => {
      const { label, tone } = deliveryStatus(attempt.status)
      return (
        <li key={attempt.attempt} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <Badge tone={tone}>{label}</Badge>
          <span className="text-ink-2">
            Attempt {attempt.attempt}
            {attempt.http_status > 0 && ` · HTTP ${attempt.http_status}`} · {attempt.latency_ms} ms
          </span>
          <RelativeTime time={attempt.time} className="ml-auto text-xs text-ink-3" />
          {attempt.reason !== '' && <span className="basis-full text-xs break-words text-ink-2">{attempt.reason}</span>}
        </li>
      )
    })}
  </ol>
)

const Deliveries = ({ event, workspace }: { event: EventDetail; workspace: string }) => {
  const destinations = useQuery(destinationsQuery(workspace))
  const groups = useMemo(() => byDestination(event.deliveries), [event.deliveries])
  const titleOf = (name: string): string =>
    destinations.data?.find((destination) => destination.name === name)?.title ?? 'Deleted destination'
  if (event.status === 'rejected')
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        A rejected event is kept, and delivered nowhere.
      </p>
    )
  if (event.status === 'blocked')
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        A blocked event is kept, and delivered nowhere. Once it fits the schema it can be replayed.
      </p>
    )
  if (groups.length === 0)
    return (
      <p className="rounded-lg border border-line bg-canvas p-4 text-sm text-ink-2">
        No attempt is recorded yet. Outcomes appear here within a few seconds when the source is connected to a
        destination.
      </p>
    )
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {groups.map(({ destination, attempts }) => (
        <li key={destination} className="space-y-2 px-4 py-3">
          <Link to={paths.destination(destination)} className="rounded-sm font-medium hover:underline">
            {destinations.data === undefined ? 'Destination' : titleOf(destination)}
          </Link>
          <Attempts attempts={attempts} />
        </li>
      ))}
    </ul>
  )
}

const Loading = () => (
  <div aria-busy className="space-y-2 rounded-lg border border-line bg-code p-4">
    <LoadingNote />
    <Skeleton className="h-3 w-1/3" />
    <Skeleton className="h-3 w-2/3" />
    <Skeleton className="h-3 w-1/2" />
    <Skeleton className="h-3 w-3/5" />
    <Skeleton className="h-3 w-1/4" />
  </div>
)

const Rejection = ({ reason }: { reason: string }) => {
  const { code, advice } = rejectionOf(reason)
  return (
    <div className="mb-4 flex gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger-ink">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold break-words">
          <WithCode text={advice} />
        </p>
        <p className="mt-1 text-sm break-words">
          The event is kept as rejected and was not delivered. Mend it at the sender and send it again.
          {code !== '' && (
            <>
              {' '}
              Reason: <code className="font-mono text-xs">{code}</code>
            </>
          )}
        </p>
      </div>
    </div>
  )
}

const Content = ({ event, workspace }: { event: LiveEvent; workspace: string }) => {
  const query = useQuery({
    ...eventQuery(workspace, event.eventId),
    refetchInterval: (state) => (state.state.data?.deliveries.length === 0 ? 2000 : false),
  })
  return (
    <>
      {event.status === 'rejected' && <Rejection reason={query.data?.reason ?? event.reason} />}
      <Tabs
        label="Event"
        tabs={[
          {
            id: 'payload',
            name: 'Payload',
            content: (
              <QueryView query={query} skeleton={<Loading />} errorTitle="Failed to load the event">
                {(detail) => <Payload event={detail} />}
              </QueryView>
            ),
          },
          {
            id: 'deliveries',
            name: 'Deliveries',
            content: (
              <QueryView query={query} skeleton={<Loading />} errorTitle="Failed to load the event">
                {(detail) => <Deliveries event={detail} workspace={workspace} />}
              </QueryView>
            ),
          },
        ]}
      />
    </>
  )
}

/** One event: what was received, and what became of it at each destination. `onClosed` runs when it has closed. */
export const EventDialog = ({
  event: shown,
  source,
  onClosed,
}: {
  event: LiveEvent
  source: string
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const close = (): void => setOpen(false)
  const workspace = `workspaces/${sourceIds(source).workspace}`
  return (
    <Dialog
      open={open}
      onClose={close}
      onClosed={onClosed}
      size="lg"
      title={shown.title}
      description={
        <span className="flex flex-wrap gap-x-3">
          <span>{shown.type.toLowerCase()} event</span>
          <time dateTime={shown.receiveTime} title={utcTime(shown.receiveTime)}>
            Received at {localTime(shown.receiveTime)}
          </time>
        </span>
      }
      footer={<Button onClick={close}>Close</Button>}
    >
      <Content key={shown.eventId} event={shown} workspace={workspace} />
    </Dialog>
  )
}
