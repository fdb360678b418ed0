import type { Compatibility } from '@tributary/contract'
import { ArrowUp, Ban, BookOpen, CircleAlert, X } from 'lucide-react'
import { type Dispatch, memo, useRef } from 'react'
import { truncate } from '../../lib/text.ts'
import { clockTime, utcTime } from '../../lib/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { CompatibilityIcon } from '../../ui/compatibility-icon.tsx'
import { EnvironmentBadge } from '../../ui/environment-badge.tsx'
import { NewSign } from '../../ui/new-sign.tsx'
import { rowKeys } from '../../ui/row-keys.ts'
import { scrollable } from '../../ui/scrollable.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { SharedTooltip } from '../../ui/tooltip.tsx'
import { judgementOf, type LiveEvent } from './live-event.ts'
import { type LiveAction, type LiveState, newEventsLabel, shownEvents, waitingShown } from './live-events.ts'
import { noFilters } from './live-filters.ts'

type RowProps = { event: LiveEvent; compatibility: Compatibility | undefined; onOpen: (event: LiveEvent) => void }

const Row = memo(({ event, compatibility, onOpen }: RowProps) => (
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
        {compatibility === undefined ? (
          <span aria-hidden className={cn('size-4 shrink-0', event.status === 'rejected' && 'max-sm:hidden')} />
        ) : (
          <CompatibilityIcon compatibility={compatibility} />
        )}
        <span className="min-w-0 truncate font-medium" title={event.title}>
          {truncate(event.title)}
        </span>
        {event.status === 'accepted' && <NewSign compatibility={compatibility} />}
        {event.status === 'rejected' && (
          <Badge tone="danger" title={event.reason}>
            <CircleAlert aria-hidden className="size-3 max-sm:hidden" />
            Rejected
          </Badge>
        )}
        {event.status === 'blocked' && (
          <Badge tone="warning" title="It does not fit the schema: kept, and not delivered.">
            <Ban aria-hidden className="size-3 max-sm:hidden" />
            Blocked
          </Badge>
        )}
      </span>
    </td>
    <td className="w-20 px-4 max-sm:w-12 max-sm:px-1">
      <EnvironmentBadge test={event.test} />
    </td>
    <td className="w-32 px-4 text-right whitespace-nowrap text-ink-2 tabular max-sm:w-20 max-sm:pr-3 max-sm:pl-1 max-sm:text-xs">
      <time dateTime={event.receiveTime} title={utcTime(event.receiveTime)}>
        {clockTime(event.receiveTime)}
      </time>
    </td>
  </tr>
))
Row.displayName = 'Row'

const onRowKeys = rowKeys()

const head =
  'sticky top-0 z-10 h-9 border-b border-line bg-canvas px-4 text-left text-xs font-medium whitespace-nowrap text-ink-3 max-sm:px-2'

/** The table of the live events that match the filters, in an area that scrolls, with the button of what is new. */
export const LiveTable = ({
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
  const shown = shownEvents(state)
  const waiting = waitingShown(state)
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
              <th scope="col" className={cn(head, 'w-28 max-sm:w-16 max-sm:pr-1 max-sm:pl-3')}>
                <span className="max-sm:sr-only">Event </span>
                <span className="max-sm:capitalize">type</span>
              </th>
              <th scope="col" className={head}>
                Name
              </th>
              <th scope="col" className={cn(head, 'w-20 max-sm:w-12 max-sm:px-1')}>
                <span className="sr-only">Environment</span>
              </th>
              <th scope="col" className={cn(head, 'w-32 text-right max-sm:w-20 max-sm:pr-3 max-sm:pl-1')}>
                Received
              </th>
            </tr>
          </thead>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among its rows, which are buttons */}
          <tbody onKeyDown={onRowKeys}>
            {/* To the side, so that the signs of the rows above and below can be hovered next. */}
            <SharedTooltip side="left">
              {shown.map((event) => (
                <Row
                  key={event.messageId}
                  event={event}
                  compatibility={judgementOf(event, state)?.compatibility}
                  onOpen={onOpen}
                />
              ))}
            </SharedTooltip>
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
        {!loading && state.events.length > 0 && shown.length === 0 && (
          <div className="absolute inset-x-0 top-9 bottom-0 flex flex-col items-center justify-center gap-4 px-6 text-center">
            <p className="text-ink-2">No event matches the filters.</p>
            <Button onClick={() => dispatch({ type: 'filtered', filters: noFilters })}>
              <X aria-hidden />
              Show all events
            </Button>
          </div>
        )}
      </section>
      {!state.atTop && !state.paused && waiting > 0 && (
        <Button
          variant="success"
          size="sm"
          className="absolute top-12 left-1/2 z-20 -translate-x-1/2 rounded-full shadow-pop"
          onClick={showNew}
        >
          <ArrowUp aria-hidden />
          {newEventsLabel(waiting)}
        </Button>
      )}
    </div>
  )
}
