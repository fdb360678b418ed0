import type { SourceWithSchema } from '@tributary/contract'
import { Eraser, Info, Maximize2, Minimize2, Pause, Play } from 'lucide-react'
import { type Dispatch, type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import type { ConnectionState } from '../../../lib/api/realtime.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { Tooltip } from '../../../ui/overlays/tooltip.tsx'
import { EventPanel } from './event-panel.tsx'
import type { LiveEvent } from './live-event.ts'
import {
  type LiveAction,
  type LiveState,
  neighboursOf,
  newEventsLabel,
  shownEvents,
  waitingShown,
} from './live-events.ts'
import { LiveFilterBar } from './live-filter-bar.tsx'
import { LiveTable } from './live-table.tsx'
import { toggleExpanded, useLiveView } from './live-view.ts'
import { LiveViewMenu } from './live-view-menu.tsx'
import { useLiveAddress } from './use-live-address.ts'
import { type LiveEvents, useLive } from './use-live-events.ts'

const connectionText: Record<ConnectionState, { label: string; tone: string; help: string }> = {
  initialized: { label: 'Connecting', tone: 'bg-ink-3', help: 'Opening the live connection.' },
  connecting: {
    label: 'Connecting',
    tone: 'bg-warning',
    help: 'Opening the live connection. Until then, the list refreshes every five seconds.',
  },
  connected: { label: 'Live', tone: 'bg-success', help: 'New events appear as they arrive.' },
  unavailable: {
    label: 'Reconnecting',
    tone: 'bg-warning',
    help: 'The live connection was lost. Reconnecting; until then, the list refreshes every five seconds.',
  },
  failed: {
    label: 'Not live',
    tone: 'bg-danger',
    help: 'The live connection was refused. The list refreshes every five seconds instead.',
  },
  disconnected: {
    label: 'Not live',
    tone: 'bg-ink-3',
    help: 'The live connection is closed. The list refreshes every five seconds instead.',
  },
}

const pausedText: (typeof connectionText)[ConnectionState] = {
  label: 'Paused',
  tone: 'bg-ink-3',
  help: 'New events are counted and appear when you resume.',
}

const ConnectionBadge = ({ state, paused }: { state: ConnectionState; paused: boolean }) => {
  const isLive = state === 'connected' && !paused
  const { label, tone, help } = state === 'connected' && paused ? pausedText : connectionText[state]
  return (
    <Tooltip text={help}>
      <button
        type="button"
        className="flex h-7 items-center gap-2 rounded-md px-2 text-xs font-medium text-ink-2"
        aria-label={`Connection: ${label}`}
      >
        <span aria-hidden className={cn('size-2 rounded-full', tone, isLive && 'animate-pulse')} />
        {label}
      </button>
    </Tooltip>
  )
}

const ExpandButton = () => {
  const expanded = useLiveView((view) => view.expanded)
  const Icon = expanded ? Minimize2 : Maximize2
  return (
    <Button variant="none" size="sm" aria-pressed={expanded} onClick={toggleExpanded}>
      <Icon aria-hidden />
      {expanded ? 'Collapse' : 'Expand'}
    </Button>
  )
}

type ToolbarProps = {
  source: string
  state: LiveState
  dispatch: Dispatch<LiveAction>
  connection: ConnectionState
}

const Toolbar = ({ source, state, dispatch, connection }: ToolbarProps) => {
  const waiting = waitingShown(state)
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1.5">
      <ConnectionBadge state={connection} paused={state.paused} />
      <span className="text-xs text-ink-3 @max-2xl:hidden">Last 50 events, newest first</span>
      <div className="ml-auto flex flex-wrap items-center gap-1 @max-lg:ml-0">
        <Button variant="none" size="sm" onClick={() => dispatch({ type: 'paused', paused: !state.paused })}>
          {state.paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {state.paused ? 'Resume' : 'Pause'}
          {state.paused && waiting > 0 && <Badge tone="success">{newEventsLabel(waiting)}</Badge>}
        </Button>
        <Button
          variant="none"
          size="sm"
          disabled={state.events.length === 0 && state.waitingCount === 0}
          onClick={() => dispatch({ type: 'clear' })}
        >
          <Eraser aria-hidden />
          Clear list
        </Button>
        <LiveViewMenu source={source} state={state} onReset={() => dispatch({ type: 'reset' })} />
        <ExpandButton />
      </div>
    </div>
  )
}

const Notices = ({ enabled, leftOut }: { enabled: boolean; leftOut: number }) => (
  <>
    {!enabled && (
      <p className="flex items-start gap-2 border-b border-line bg-warning-soft px-4 py-2 text-xs text-warning-ink">
        <Info aria-hidden className="mt-px size-4 shrink-0" />
        This source is disabled and refuses events. Enable it in its settings.
      </p>
    )}
    {leftOut > 0 && (
      <output className="flex items-start gap-2 border-b border-line bg-accent-soft px-4 py-2 text-xs text-accent-ink">
        <Info aria-hidden className="mt-px size-4 shrink-0" />
        Too many events to show live: {count(leftOut)} {pluralise(leftOut, 'event')} skipped in this list. They are
        still stored and delivered.
      </output>
    )}
  </>
)

/** Whether Escape closes the open event. Escape in a field or an overlay does not close the event. */
const closesOnEscape = (key: KeyboardEvent): boolean =>
  key.key === 'Escape' &&
  !key.defaultPrevented &&
  key.target instanceof Element &&
  key.currentTarget.contains(key.target) &&
  key.target.closest('input, select') === null

/** Returns the open event, even after the list has dropped it, and the events above and below it. */
const useOpened = (state: LiveState, openId: string | undefined) => {
  const listed =
    openId === undefined ? undefined : [...state.events, ...state.waiting].find(({ eventId }) => eventId === openId)
  const [last, setLast] = useState(listed)
  if (listed !== undefined && listed !== last) setLast(listed)
  const opened = listed ?? (last?.eventId === openId ? last : undefined)
  const shown = useMemo(() => shownEvents(state), [state])
  return { opened, neighbours: { ...neighboursOf(shown, opened), count: shown.length } }
}

/** The list of events, or an error if it could not be loaded. */
const List = ({
  source,
  live: { dispatch, stored },
  state,
  openId,
  onOpen,
}: {
  source: string
  live: LiveEvents
  state: LiveState
  openId: string | undefined
  onOpen: (event: LiveEvent) => void
}) => {
  const property = useLiveView(({ properties }) => properties[source] ?? '')
  const nothing = stored.data === undefined && state.events.length === 0
  return nothing && stored.isError ? (
    <ErrorScreen error={stored.error} onRetry={() => void stored.refetch()} title="Failed to load the events" />
  ) : (
    <LiveTable
      state={state}
      dispatch={dispatch}
      loading={nothing}
      openId={openId}
      onOpen={onOpen}
      setupPath={paths.source(source, 'setup')}
      property={property}
    />
  )
}

/** Returns the row of an event. If the list has no such row, returns the list. */
const rowIn = (list: HTMLElement | null, eventId: string): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-event="${CSS.escape(eventId)}"]`) ??
  list?.querySelector<HTMLElement>('section') ??
  null

/** The live table of a source with its controls and the open event beside it. */
export const LiveEventsTab = ({ source, live }: { source: SourceWithSchema; live: LiveEvents }) => {
  const { dispatch, connection } = live
  const state = useLive(live, (whole) => whole)
  const { openId, open, close } = useLiveAddress(source.name, state.filters, dispatch)
  const { opened, neighbours } = useOpened(state, openId)
  const expanded = useLiveView((view) => view.expanded)
  const section = useRef<HTMLElement>(null)
  return (
    <div
      role="presentation"
      className="flex items-start gap-4"
      data-fill={expanded || undefined}
      onKeyDown={(key) => {
        if (openId !== undefined && closesOnEscape(key)) close()
      }}
    >
      <section
        ref={section}
        aria-label="Live events"
        className="@container min-w-0 flex-1 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
      >
        <Toolbar source={source.name} state={state} dispatch={dispatch} connection={connection} />
        <LiveFilterBar filters={state.filters} onFilters={(filters) => dispatch({ type: 'filtered', filters })} />
        <Notices enabled={source.enabled} leftOut={state.leftOut} />
        <List source={source.name} live={live} state={state} openId={openId} onOpen={open} />
      </section>
      {openId !== undefined && (
        <EventPanel
          eventId={openId}
          listed={opened}
          neighbours={neighbours}
          source={source}
          known={state}
          onRead={dispatch}
          onOpen={open}
          onClose={close}
          returnFocus={() => rowIn(section.current, openId)}
        />
      )}
    </div>
  )
}
