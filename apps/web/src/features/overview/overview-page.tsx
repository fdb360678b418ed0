import { useQuery } from '@tanstack/react-query'
import type { Connection, Destination, EventSummary, Source } from '@tributary/contract'
import { ArrowRight, Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { workspaceEventsQuery } from '../../lib/event-queries.ts'
import { paths } from '../../lib/paths.ts'
import { truncate } from '../../lib/text.ts'
import { isDone, markDone, useUi } from '../../lib/ui-store.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { connectionsQuery, destinationsQuery, sourcesQuery } from '../../lib/workspace-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { LoadingNote } from '../../ui/loading-note.tsx'
import { MaskToggle, MetricValue } from '../../ui/metric.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CardSkeleton, Skeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { gettingStarted, type Step } from './getting-started.ts'

const Figure = ({ title, value, note, to }: { title: string; value: number; note: ReactNode; to: string }) => (
  <Link
    to={to}
    className="group rounded-lg border border-line bg-surface px-3 py-3 shadow-card transition-colors sm:px-5 sm:py-4 hover:border-line-strong hover:bg-hover"
  >
    <span className="flex items-center justify-between text-xs font-medium text-ink-3">
      {title}
      <ArrowRight
        aria-hidden
        className="size-3.5 opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100"
      />
    </span>
    <span className="mt-1 block text-2xl font-semibold tabular">
      <MetricValue value={value} />
    </span>
    <span className="text-xs text-ink-2">{note}</span>
  </Link>
)

const StepRow = ({ step, current }: { step: Step; current: boolean }) => (
  <li className="flex items-center gap-3 py-2.5">
    <span
      aria-hidden
      className={cn(
        'grid size-5 shrink-0 place-items-center rounded-full border',
        step.done ? 'border-success bg-success text-white' : current ? 'border-accent' : 'border-line-strong',
      )}
    >
      {step.done && <Check className="size-3" strokeWidth={3} />}
    </span>
    <span className="min-w-0 flex-1">
      <span className={cn('block font-medium', step.done && 'text-ink-3')}>
        {step.title}
        {step.done && <span className="sr-only"> (done)</span>}
      </span>
      {!step.done && <span className="block text-xs text-ink-2">{step.text}</span>}
    </span>
    {!step.done && (
      <Link
        to={step.to}
        className={cn(
          'shrink-0 rounded-sm text-sm font-medium hover:underline',
          current ? 'text-accent-ink' : 'text-ink-2',
        )}
      >
        {current ? 'Start' : 'Open'}
        <span className="sr-only">: {step.title}</span>
      </Link>
    )}
  </li>
)

const flag = (workspace: string): string => `getting-started ${workspace}`

const GettingStarted = ({ steps, workspace }: { steps: readonly Step[]; workspace: string }) => {
  const hidden = useUi((state) => isDone(state.flags, flag(workspace)))
  const done = steps.filter((step) => step.done).length
  if (hidden) return null
  const current = steps.find((step) => !step.done)
  return (
    <Card
      title="Getting started"
      description={`${done} of ${steps.length} done`}
      action={
        <Button variant="none" size="sm" onClick={() => markDone(flag(workspace))}>
          {done === steps.length ? 'Dismiss' : 'Hide'}
        </Button>
      }
    >
      <ol className="-my-2 divide-y divide-line">
        {steps.map((step) => (
          <StepRow key={step.id} step={step} current={step === current} />
        ))}
      </ol>
    </Card>
  )
}

const Activity = ({ events, sources }: { events: readonly EventSummary[]; sources: readonly Source[] }) => {
  if (events.length === 0)
    return <p className="py-6 text-center text-ink-3">No events received yet. Waiting for data...</p>
  const titleOf = (name: string): string => sources.find((source) => source.name === name)?.title ?? 'Deleted source'
  return (
    <ul className="-my-2 divide-y divide-line">
      {events.map((event) => (
        <li key={event.event_id} className="flex items-center gap-3 py-2.5">
          <span className="w-16 shrink-0 font-mono text-xs text-ink-2">{event.type}</span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium" title={event.title}>
              {truncate(event.title)}
            </span>
            <Link
              to={paths.source(event.source)}
              className="block w-fit max-w-full truncate rounded-sm text-xs text-ink-3 hover:underline"
            >
              {titleOf(event.source)}
            </Link>
          </span>
          {event.status === 'rejected' && <Badge tone="danger">Rejected</Badge>}
          {event.status === 'blocked' && <Badge tone="warning">Blocked</Badge>}
          <RelativeTime time={event.receive_time} className="shrink-0 text-xs text-ink-3" />
        </li>
      ))}
    </ul>
  )
}

const Content = ({
  sources,
  destinations,
  connections,
}: {
  sources: readonly Source[]
  destinations: readonly Destination[]
  connections: readonly Connection[]
}) => {
  const workspace = useWorkspace()
  const events = useQuery({ ...workspaceEventsQuery(workspace.name), refetchInterval: 10_000 })
  const mayEdit = useMayEdit() === true
  const receiving = sources.filter((source) => source.has_received).length
  const enabled = destinations.filter((destination) => destination.enabled).length
  const active = connections.filter((connection) => connection.enabled).length
  const first = sources[0]
  const firstDestination = destinations[0]
  const steps = gettingStarted(
    { sources: sources.length, receiving, destinations: destinations.length, connections: connections.length },
    {
      addSource: paths.catalogSources(workspace.name),
      firstSource: first === undefined ? undefined : paths.source(first.name, 'setup'),
      addDestination: paths.catalogDestinations(workspace.name),
      connect:
        firstDestination === undefined
          ? paths.destinations(workspace.name)
          : paths.destination(firstDestination.name, 'connections'),
    },
  )
  return (
    <div className="space-y-5">
      <div className="grid grid-cols-3 gap-2 sm:gap-3">
        <Figure
          title="Sources"
          value={sources.length}
          note={
            <>
              <MetricValue value={receiving} /> receiving
            </>
          }
          to={paths.sources(workspace.name)}
        />
        <Figure
          title="Destinations"
          value={destinations.length}
          note={
            <>
              <MetricValue value={enabled} /> enabled
            </>
          }
          to={paths.destinations(workspace.name)}
        />
        <Figure
          title="Connections"
          value={connections.length}
          note={
            <>
              <MetricValue value={active} /> switched on
            </>
          }
          to={paths.connections(workspace.name)}
        />
      </div>
      {mayEdit && <GettingStarted steps={steps} workspace={workspace.name} />}
      <Card title="Recent activity" description="The newest events of all sources.">
        <QueryView query={events} skeleton={<ActivitySkeleton />} errorTitle="Failed to load the events">
          {(rows) => <Activity events={rows} sources={sources} />}
        </QueryView>
      </Card>
    </div>
  )
}

const ActivitySkeleton = (): ReactNode => (
  <div aria-busy className="space-y-4">
    <LoadingNote />
    <Skeleton className="h-4 w-full" />
    <Skeleton className="h-4 w-3/4" />
    <Skeleton className="h-4 w-5/6" />
  </div>
)

const Loading = () => (
  <div className="space-y-5">
    <div className="grid gap-3 sm:grid-cols-3">
      <CardSkeleton lines={1} />
      <CardSkeleton lines={1} />
      <CardSkeleton lines={1} />
    </div>
    <TableSkeleton rows={4} />
  </div>
)

/** The home of a workspace: what there is, what to do next, what arrived last. */
export const OverviewPage = () => {
  const workspace = useWorkspace()
  const sources = useQuery(sourcesQuery(workspace.name))
  const destinations = useQuery(destinationsQuery(workspace.name))
  const connections = useQuery(connectionsQuery(workspace.name))
  const failed = [sources, destinations, connections].find((query) => query.isError && query.data === undefined)
  return (
    <>
      <PageHeader
        title="Home"
        documentTitle={workspace.title}
        description={`What happens in ${workspace.title}.`}
        action={<MaskToggle />}
      />
      {failed !== undefined ? (
        <ErrorScreen
          error={failed.error}
          onRetry={() => void Promise.all([sources.refetch(), destinations.refetch(), connections.refetch()])}
        />
      ) : sources.data === undefined || destinations.data === undefined || connections.data === undefined ? (
        <Loading />
      ) : (
        <Content sources={sources.data} destinations={destinations.data} connections={connections.data} />
      )}
    </>
  )
}
