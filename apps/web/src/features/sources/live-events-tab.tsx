import type { SourceWithSchema } from '@tributary/contract'
import { Eraser, Info, Pause, Play, RotateCcw } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import type { ConnectionState } from '../../lib/realtime.ts'
import { count, pluralise } from '../../lib/text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { ErrorScreen } from '../../ui/error-screen.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { EventDialog } from './event-dialog.tsx'
import type { LiveEvent } from './live-event.ts'
import { newEventsLabel, waitingShown } from './live-events.ts'
import { LiveFilterBar } from './live-filter-bar.tsx'
import { isFiltered } from './live-filters.ts'
import { LiveTable } from './live-table.tsx'
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

const pausedText: (typeof connectionText)[ConnectionState] = {
  label: 'Paused',
  tone: 'bg-ink-3',
  help: 'New events are counted, and shown once you resume.',
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

/**
 * The event that the address names: opening one is a step that Back takes back, and closing one that was opened here is
 * that step back. `last` stays until the dialog has gone.
 */
const useOpenEvent = (source: string) => {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const { state } = useLocation()
  const id = query.get('event')
  const [last, setLast] = useState(id)
  if (id !== null && id !== last) setLast(id)
  const openedHere = typeof state === 'object' && state !== null && 'opened' in state
  const open = useCallback(
    ({ eventId }: LiveEvent) =>
      void navigate(paths.sourceEvent(source, eventId), { state: { opened: true }, preventScrollReset: true }),
    [navigate, source],
  )
  const close = (): void => {
    if (id === null) return
    if (openedHere) void navigate(-1)
    else void navigate(paths.source(source), { replace: true, preventScrollReset: true })
  }
  return { isOpen: id !== null, last, open, close, onClosed: () => setLast(null) }
}

/** The live table of a source with its controls and the dialog of one event. */
export const LiveEventsTab = ({ source, live }: { source: SourceWithSchema; live: LiveEvents }) => {
  const { state, dispatch, connection, stored } = live
  const { isOpen, last, open, close, onClosed } = useOpenEvent(source.name)
  const waiting = waitingShown(state)
  const loading = stored.data === undefined && !stored.isError && state.events.length === 0
  const failed = stored.isError && state.events.length === 0 && stored.data === undefined
  return (
    <section aria-label="Live events" className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1.5">
        <ConnectionBadge state={connection} paused={state.paused} />
        <span className="mr-auto text-xs text-ink-3 max-sm:hidden">Newest first, the last 50</span>
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
          Clear
        </Button>
        {isFiltered(state.filters) && (
          <Button variant="none" size="sm" onClick={() => dispatch({ type: 'reset' })}>
            <RotateCcw aria-hidden />
            Reset
          </Button>
        )}
      </div>
      <LiveFilterBar filters={state.filters} onFilters={(filters) => dispatch({ type: 'filtered', filters })} />
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
          of this list. Nothing is lost: they are handled like all others.
        </output>
      )}
      {failed ? (
        <ErrorScreen error={stored.error} onRetry={() => void stored.refetch()} title="Failed to load the events" />
      ) : (
        <LiveTable
          state={state}
          dispatch={dispatch}
          loading={loading}
          onOpen={open}
          setupPath={paths.source(source.name, 'setup')}
        />
      )}
      {last !== null && (
        <EventDialog
          key={last}
          open={isOpen}
          eventId={last}
          listed={[...state.events, ...state.waiting].find(({ eventId }) => eventId === last)}
          source={source}
          known={state}
          onRead={dispatch}
          onClose={close}
          onClosed={onClosed}
        />
      )}
    </section>
  )
}
