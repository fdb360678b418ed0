import { useInfiniteQuery } from '@tanstack/react-query'
import { methods, type PrivacyDestination, type PrivacyPlace, type PrivacyRequest } from '@tributary/contract'
import { ShieldCheck } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { pagesQuery } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { aboutRequest, kindTitles, placeTitles, progressText, stateText } from './privacy-words.ts'

/** The privacy requests of a workspace, newest first, by pages of 50. */
const privacyRequestsQuery = (workspace: string) =>
  pagesQuery(
    methods.privacyRequests.list,
    { params: workspaceIds(workspace), query: { page_size: 50 } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000) },
  )

const toneOf = ({ state, last_error }: PrivacyPlace): BadgeTone => {
  if (state === 'done') return 'success'
  if (last_error !== '') return 'warning'
  return state === 'running' ? 'accent' : 'neutral'
}

/** The progress of a place. */
const Place = ({ place }: { place: PrivacyPlace }) => {
  const { state, until_time, last_error } = place
  return (
    <li>
      <Badge tone={toneOf(place)} dot title={last_error === '' ? '' : `Retried automatically: ${last_error}`}>
        {placeTitles[place.place]}
        {state === 'done' ? (
          ' removed'
        ) : until_time !== null ? (
          <>
            {' expire '}
            <RelativeTime time={until_time} upcoming past="soon" />
          </>
        ) : last_error !== '' ? (
          ' retrying'
        ) : state === 'running' ? (
          ' being removed'
        ) : (
          ' hidden'
        )}
      </Badge>
    </li>
  )
}

const filesTone = { waiting: 'neutral', removing: 'accent', done: 'success' } as const

/** The progress of rewriting the embedded database's files, which happens after all places except the logs. */
const Files = ({ files }: Pick<PrivacyRequest, 'files'>) =>
  files !== null && (
    <li>
      <Badge
        tone={files.state !== 'done' && files.last_error !== '' ? 'warning' : filesTone[files.state]}
        dot
        title={files.last_error}
      >
        Database files{' '}
        {files.start_time !== null ? (
          <>
            {'are rewritten '}
            <RelativeTime time={files.start_time} upcoming past="soon" />
          </>
        ) : files.state === 'done' ? (
          'rewritten'
        ) : files.state === 'removing' ? (
          'being rewritten'
        ) : (
          'waiting'
        )}
      </Badge>
    </li>
  )

const progressTones = { waiting: 'neutral', done: 'success', failed: 'danger', not_told: 'warning' } as const

/** The progress at a destination that also deletes the users. */
const DestinationProgress = ({ destination }: { destination: PrivacyDestination }) => (
  <li>
    <Link to={paths.destination(destination.destination, 'deliveries')} className="rounded-full">
      <Badge tone={progressTones[destination.state]} dot title={destination.reason}>
        <span className="max-w-40 truncate">{destination.title}</span> {progressText(destination)}
      </Badge>
    </Link>
  </li>
)

const Row = ({ request }: { request: PrivacyRequest }) => (
  <CardRow label={`${kindTitles[request.kind]} ${aboutRequest(request)}`}>
    <span className="min-w-0 flex-1 basis-64">
      <span className="flex flex-wrap items-center gap-2 text-sm font-medium">
        {kindTitles[request.kind]}
        <Badge tone={request.state === 'finished' ? 'success' : 'accent'}>{stateText(request)}</Badge>
      </span>
      <span className="mt-0.5 block text-xs break-words text-ink-3">
        {aboutRequest(request)} · {request.creator === '' ? 'former member' : request.creator} ·{' '}
        <RelativeTime time={request.create_time} />
      </span>
    </span>
    {request.places.length > 0 && (
      <ul aria-label="Places" className="flex flex-wrap gap-1.5">
        {request.places.map((place) => (
          <Place key={place.place} place={place} />
        ))}
        <Files files={request.files} />
        {request.destinations.map((destination) => (
          <DestinationProgress key={destination.destination} destination={destination} />
        ))}
      </ul>
    )}
  </CardRow>
)

/** Privacy requests, newest first, with the progress of each place; `action` creates one. */
export const RequestsTab = ({ action }: { action: ReactNode }) => {
  const query = useInfiniteQuery(privacyRequestsQuery(useWorkspace().name))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.privacy_requests) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the requests" />
  if (query.data === undefined) return <TableSkeleton rows={4} columns={2} />
  if (rows.length === 0)
    return (
      <EmptyState icon={<ShieldCheck />} title="No privacy requests yet" action={action}>
        When a user asks to be forgotten, delete or suppress them here by any identifier.
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      <Card
        title="Requests"
        description="Values of identifiers are removed from a request when its events are removed."
      >
        <CardList label="Privacy requests">
          {rows.map((request) => (
            <Row key={request.name} request={request} />
          ))}
        </CardList>
      </Card>
      <LoadMore query={query} />
    </div>
  )
}
