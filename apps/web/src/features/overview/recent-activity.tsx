import { useQuery } from '@tanstack/react-query'
import type { EventSummary, Source } from '@tributary/contract'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { truncate } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { workspaceEventsQuery } from '../../lib/queries/event-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadingNote } from '../../ui/page/loading-note.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const Rows = ({ events, sources }: { events: readonly EventSummary[]; sources: readonly Source[] }) => {
  if (events.length === 0)
    return <p className="py-6 text-center text-ink-3">No events received yet. Waiting for data...</p>
  const titleOf = (name: string): string => sources.find((source) => source.name === name)?.title ?? 'Deleted source'
  return (
    <ul className="-my-2 divide-y divide-line">
      {events.map((event) => (
        <li key={event.event_id} className="flex items-center gap-3 py-1.5">
          <span className="w-16 shrink-0 max-sm:hidden font-mono text-xs text-ink-2">{event.type}</span>
          <span className="min-w-0 flex-1">
            <Link
              to={paths.event(event.name)}
              className="block w-fit max-w-full truncate rounded-sm py-0.5 font-medium hover:underline"
              title={event.title}
            >
              {truncate(event.title)}
            </Link>
            <Link
              to={paths.source(event.source)}
              className="block w-fit max-w-full truncate rounded-sm py-0.75 text-xs text-ink-3 hover:underline"
            >
              {titleOf(event.source)}
            </Link>
          </span>
          {event.status === 'rejected' && <Badge tone="danger">Rejected</Badge>}
          {event.status === 'blocked' && <Badge tone="warning">Blocked</Badge>}
          {event.status === 'held' && <Badge tone="warning">Held</Badge>}
          <RelativeTime time={event.receive_time} className="shrink-0 text-xs text-ink-3" />
        </li>
      ))}
    </ul>
  )
}

const Loading = () => (
  <div aria-busy className="space-y-4">
    <LoadingNote />
    <Skeleton className="h-4 w-full" />
    <Skeleton className="h-4 w-3/4" />
    <Skeleton className="h-4 w-5/6" />
  </div>
)

/** The newest events of all sources of a workspace, reloaded every ten seconds. */
export const RecentActivity = ({ workspace, sources }: { workspace: string; sources: readonly Source[] }) => {
  const events = useQuery({ ...workspaceEventsQuery(workspace), refetchInterval: 10_000 })
  return (
    <Card
      title="Recent activity"
      description="The latest events from all sources."
      action={
        (events.data?.length ?? 0) > 0 && (
          <ButtonLink to={paths.events(workspace)} size="sm">
            All events
          </ButtonLink>
        )
      }
    >
      <QueryView query={events} skeleton={<Loading />} errorTitle="Failed to load the events">
        {(rows) => <Rows events={rows} sources={sources} />}
      </QueryView>
    </Card>
  )
}
