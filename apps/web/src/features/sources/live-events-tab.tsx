import type { Source } from '@tributary/contract'
import { ArrowUp, Ban, BookOpen, CircleAlert, Eraser, Info, Pause, Play } from 'lucide-react'
import { type Dispatch, memo, useRef, useState } from 'react'
import { paths } from '../../lib/paths.ts'
import type { ConnectionState } from '../../lib/realtime.ts'
import { count, pluralise, truncate } from '../../lib/text.ts'
import { clockTime, utcTime } from '../../lib/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { scrollable } from '../../ui/scrollable.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { EventDialog } from './event-dialog.tsx'
import { type LiveAction, type LiveEvent, type LiveState, newEventsLabel } from './live-events.ts'
import type { LiveEvents } from './use-live-events.ts'

const connectionText: Record<ConnectionState, { label: string; tone: string; help: string }> = {
  initialized: { label: 'Connecting', tone: 'bg-ink-3', help: 'The live connection is being opened.' },
  connecting: {
    label: 'Connecting',
    tone: 'bg-warning',
    help: 'The live connection is being opened. Until then the list is read every five seconds.',
  },
  connected: { label: 'Live', tone: 'bg-success', help: 'New events appear as they arrive.' },
  unavailable: {
    label: 'Reconnecting',
    tone: 'bg-warning',
    help: 'The live connection broke. It is tried again; until then the list is read every five seconds.',
  },
  failed: {
    label: 'Not live',
    tone: 'bg-danger',
    help: 'The live connection was refused. The list is read every five seconds instead.',
  },
  disconnected: {
    label: 'Not live',
    tone: 'bg-ink-3',
    help: 'The live connection is closed. The list is read every five seconds instead.',
  },
}

const ConnectionBadge = ({ state }: { state: ConnectionState }) => {
  const { label, tone, help } = connectionText[state]
  return (
    <Tooltip text={help}>
      <button
        type="button"
        className="flex h-7 items-center gap-2 rounded-md px-2 text-xs font-medium text-ink-2"
        aria-label={`Connection: ${label}`}
      >
        <span aria-hidden className={cn('size-2 rounded-full', tone, state === 'connected' && 'animate-pulse')} />
        {label}
      </button>
    </Tooltip>
  )
}

const Row = memo(({ event, onOpen }: { event: LiveEvent; onOpen: (event: LiveEvent) => void }) => (
  <tr
    tabIndex={0}
    className="h-10 cursor-pointer border-b border-line last:border-0 hover:bg-hover focus-visible:-outline-offset-2"
    onClick={() => onOpen(event)}
    onKeyDown={(key) => {
      if (key.key !== 'Enter' && key.key !== ' ') return
      key.preventDefault()
      onOpen(event)
    }}
  >
    <td className="w-28 px-4 font-mono text-xs text-ink-2 max-sm:w-16 max-sm:pr-1 max-sm:pl-3">{event.type}</td>
    <td className="max-w-0 px-4 max-sm:px-2">
      <span className="flex min-w-0 items-center gap-2">
        <span className="min-w-0 truncate font-medium" title={event.title}>
          {truncate(event.title)}
        </span>
        {event.status === 'rejected' && (
          <Badge tone="danger" title={event.reason}>
            <CircleAlert aria-hidden className="size-3" />
            Rejected
          </Badge>
        )}
        {event.status === 'blocked' && (
          <Badge tone="warning" title="It does not fit the schema: kept, and not delivered.">
            <Ban aria-hidden className="size-3" />
            Blocked
          </Badge>
        )}
      </span>
    </td>
    <td className="w-20 px-4 max-sm:w-12 max-sm:px-1">
      {event.test ? <Badge tone="warning">Test</Badge> : <Badge tone="accent">Prod</Badge>}
    </td>
    <td className="w-32 px-4 text-right whitespace-nowrap text-ink-2 tabular max-sm:w-20 max-sm:pr-3 max-sm:pl-1 max-sm:text-xs">
      <time dateTime={event.receiveTime} title={utcTime(event.receiveTime)}>
        {clockTime(event.receiveTime)}
      </time>
    </td>
  </tr>
))
Row.displayName = 'Row'

const head =
  'sticky top-0 z-10 h-9 border-b border-line bg-canvas px-4 text-left text-xs font-medium whitespace-nowrap text-ink-3 max-sm:px-2'

const Table = ({
  state,
  dispatch,
  loading,
  onOpen,
  setupPath,
}: {
  state: LiveState
  dispatch: Dispatch<LiveAction>
  loading: boolean
  onOpen: (event: LiveEvent) => void
  setupPath: string
}) => {
  const area = useRef<HTMLElement>(null)
  const showNew = (): void => {
    area.current?.scrollTo({ top: 0 })
    dispatch({ type: 'takeIn' })
  }
  return (
    <div className="relative">
      <section
        ref={area}
        {...scrollable}
        aria-label="Event list"
        className="h-80 overflow-auto scroll-thin"
        onScroll={(event) => dispatch({ type: 'scrolled', atTop: event.currentTarget.scrollTop <= 4 })}
      >
        <table
          aria-label="Live events"
          aria-busy={loading}
          className="w-full border-separate border-spacing-0 text-sm [&_td]:border-b [&_td]:border-line"
        >
          <thead>
            <tr>
              <th scope="col" className={cn(head, 'max-sm:pl-3')}>
                <span className="max-sm:sr-only">Event </span>
                <span className="max-sm:capitalize">type</span>
              </th>
              <th scope="col" className={head}>
                Name
              </th>
              <th scope="col" className={head}>
                <span className="sr-only">Environment</span>
              </th>
              <th scope="col" className={cn(head, 'text-right max-sm:pr-3')}>
                Received
              </th>
            </tr>
          </thead>
          <tbody>
            {state.events.map((event) => (
              <Row key={event.messageId} event={event} onOpen={onOpen} />
            ))}
            {loading &&
              [0, 1, 2, 3, 4, 5].map((row) => (
                <tr key={row} aria-hidden className="h-10">
                  <td className="px-4">
                    <Skeleton className="h-3 w-12" />
                  </td>
                  <td className="px-4">
                    <Skeleton className="h-3 w-40" />
                  </td>
                  <td className="px-4">
                    <Skeleton className="h-3 w-10" />
                  </td>
                  <td className="px-4">
                    <Skeleton className="ml-auto h-3 w-16" />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
        {!loading && state.events.length === 0 && (
          <div className="absolute inset-x-0 top-9 bottom-0 flex flex-col items-center justify-center gap-4 px-6 text-center">
            <p className="text-ink-2">No events received yet. Waiting for data...</p>
            <ButtonLink to={setupPath} replace>
              <BookOpen aria-hidden />
              How to send the first event
            </ButtonLink>
          </div>
        )}
      </section>
      {!state.atTop && !state.paused && state.waitingCount > 0 && (
        <Button
          variant="success"
          size="sm"
          className="absolute top-12 left-1/2 z-20 -translate-x-1/2 rounded-full shadow-pop"
          onClick={showNew}
        >
          <ArrowUp aria-hidden />
          {newEventsLabel(state.waitingCount)}
        </Button>
      )}
    </div>
  )
}

/** The live table of a source with its controls and the dialog of one event. */
export const LiveEventsTab = ({ source, live }: { source: Source; live: LiveEvents }) => {
  const { state, dispatch, connection, stored } = live
  const [shown, setShown] = useState<LiveEvent | undefined>()
  const loading = stored.data === undefined && !stored.isError && state.events.length === 0
  const failed = stored.isError && state.events.length === 0 && stored.data === undefined
  return (
    <section aria-label="Live events" className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1.5">
        <ConnectionBadge state={connection} />
        <span className="mr-auto text-xs text-ink-3 max-sm:hidden">Newest first, the last 50</span>
        <Button variant="none" size="sm" onClick={() => dispatch({ type: 'paused', paused: !state.paused })}>
          {state.paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {state.paused ? 'Resume' : 'Pause'}
          {state.paused && state.waitingCount > 0 && <Badge tone="success">{newEventsLabel(state.waitingCount)}</Badge>}
        </Button>
        <Button
          variant="none"
          size="sm"
          disabled={state.events.length === 0 && state.waitingCount === 0}
          onClick={() => dispatch({ type: 'clear' })}
        >
          <Eraser aria-hidden />
          Clear
        </Button>
      </div>
      {!source.enabled && (
        <p className="flex items-start gap-2 border-b border-line bg-warning-soft px-4 py-2 text-xs text-warning-ink">
          <Info aria-hidden className="mt-px size-4 shrink-0" />
          This source is disabled: what is sent to it is refused. Enable it in its settings.
        </p>
      )}
      {state.skipped > 0 && (
        <output className="flex items-start gap-2 border-b border-line bg-accent-soft px-4 py-2 text-xs text-accent-ink">
          <Info aria-hidden className="mt-px size-4 shrink-0" />
          More events arrive than can be shown live: {count(state.skipped)} {pluralise(state.skipped, 'event')} left out
          of this list. All of them are stored and delivered.
        </output>
      )}
      {failed ? (
        <ErrorScreen error={stored.error} onRetry={() => void stored.refetch()} title="Failed to load the events" />
      ) : (
        <Table
          state={state}
          dispatch={dispatch}
          loading={loading}
          onOpen={setShown}
          setupPath={paths.source(source.name, 'setup')}
        />
      )}
      {shown !== undefined && <EventDialog event={shown} source={source.name} onClosed={() => setShown(undefined)} />}
    </section>
  )
}
