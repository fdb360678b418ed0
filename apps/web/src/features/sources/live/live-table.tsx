import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp, BookOpen, X } from 'lucide-react'
import {
  type Dispatch,
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { TooltipArea } from '../../../ui/overlays/tooltip.tsx'
import { scrollable } from '../../../ui/scrollable.ts'
import { type LiveEvent, validationOf } from './live-event.ts'
import { type LiveAction, type LiveState, newEventsLabel, shownEvents, waitingShown } from './live-events.ts'
import { noFilters } from './live-filters.ts'
import { LiveHead, LiveRow, LoadingRow, rowHeights } from './live-row.tsx'
import { useLiveView } from './live-view.ts'
import { useFillHeight } from './use-fill-height.ts'

const headHeight = 36

/** Returns the number of rows by which a key moves the focus; undefined for other keys. */
const stepOf = (key: string, rows: number): number | undefined => {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return 1
    case 'ArrowUp':
    case 'k':
      return -1
    case 'Home':
      return -rows
    case 'End':
      return rows
    default:
      return undefined
  }
}

/** The rows to render: those near the visible part, the open one and the focused one. */
const useRows = (area: HTMLElement | null, events: readonly LiveEvent[], kept: readonly number[]) => {
  const density = useLiveView((view) => view.density)
  const height = rowHeights[density]
  // oxlint-disable-next-line react/incompatible-library -- no compiler memoizes this application's components
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => area,
    estimateSize: () => height,
    overscan: 3,
    scrollPaddingEnd: headHeight,
    getItemKey: (index) => events[index]?.eventId ?? index,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...kept.filter((index) => index >= 0)])].sort((a, b) => a - b),
  })
  useEffect(() => virtual.measure(), [virtual, height])
  return { virtual, density, height }
}

const Note = ({ words, children }: { words: string; children: ReactNode }) => (
  <div className="absolute inset-x-0 top-9 bottom-0 flex flex-col items-center justify-center gap-4 px-6 text-center">
    <p className="text-ink-2">{words}</p>
    {children}
  </div>
)

const Space = ({ height }: { height: number }) => height > 0 && <tr aria-hidden style={{ height }} />

type TableProps = {
  state: LiveState
  dispatch: Dispatch<LiveAction>
  loading: boolean
  /** ID of the event whose panel is open. */
  openId: string | undefined
  onOpen: (event: LiveEvent) => void
  setupPath: string
  /** The property shown in a column; '' for none. */
  property: string
}

/** Moves the focus between rows by keys. If an event is open, the newly focused one opens. */
const useRowKeys = (
  area: HTMLElement | null,
  events: readonly LiveEvent[],
  { openId, onOpen }: Pick<TableProps, 'openId' | 'onOpen'>,
) => {
  const [active, setActive] = useState<string | undefined>()
  const wanted = useRef<string | undefined>(undefined)
  const steppedRef = useRef(false)
  const activeId = events.some(({ eventId }) => eventId === active) ? active : (openId ?? events[0]?.eventId)
  const rowOf = (id: string): HTMLElement | null =>
    area?.querySelector<HTMLElement>(`[data-event="${CSS.escape(id)}"]`) ?? null
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const row = rowOf(wanted.current)
    wanted.current = undefined
    row?.focus({ preventScroll: true })
  })
  const eventAt = (target: EventTarget): LiveEvent | undefined => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-event]') : null
    return row === null ? undefined : events.find(({ eventId }) => eventId === row.dataset['event'])
  }
  const onKeyDown = (key: KeyboardEvent): void => {
    const event = eventAt(key.target)
    if (event === undefined || key.ctrlKey || key.metaKey || key.altKey) return
    if (key.key === 'Enter' || key.key === ' ') {
      key.preventDefault()
      onOpen(event)
      return
    }
    const step = stepOf(key.key, events.length)
    if (step === undefined) return
    key.preventDefault()
    key.stopPropagation()
    const at = events.indexOf(event) + step
    const next = events[Math.min(events.length - 1, Math.max(0, at))]
    if (next === undefined || next === event) return
    wanted.current = next.eventId
    steppedRef.current = true
    setActive(next.eventId)
    if (openId !== undefined) onOpen(next)
  }
  return { activeId, setActive, eventAt, onKeyDown, steppedRef }
}

/** The index of an event in the list, or -1. */
const indexIn = (events: readonly LiveEvent[], id: string | undefined): number =>
  id === undefined ? -1 : events.findIndex(({ eventId }) => eventId === id)

const Rows = ({ area, state, openId, onOpen, property, loading }: TableProps & { area: HTMLElement | null }) => {
  const events = useMemo(() => shownEvents(state), [state])
  const { activeId, setActive, eventAt, onKeyDown, steppedRef } = useRowKeys(area, events, { openId, onOpen })
  const openAt = indexIn(events, openId)
  const activeAt = indexIn(events, activeId)
  const { virtual, density, height } = useRows(area, events, [openAt, activeAt])
  // New rows above move the other rows down. The open row, and the row that was last reached by key, stay in view.
  useLayoutEffect(() => {
    if (openAt >= 0) virtual.scrollToIndex(openAt, { align: 'auto' })
  }, [virtual, openAt])
  useLayoutEffect(() => {
    if (steppedRef.current && activeAt >= 0) virtual.scrollToIndex(activeAt, { align: 'auto' })
    steppedRef.current = false
  }, [virtual, activeAt, steppedRef])
  const unmarked = state.schema.events.size === 0
  const items = virtual.getVirtualItems()
  const end = items.at(-1)?.end ?? 0
  return (
    <table
      aria-label="Live events"
      aria-busy={loading}
      aria-rowcount={events.length + 1}
      className="w-full table-fixed border-separate border-spacing-0 text-sm [&_td]:border-b [&_td]:border-line"
    >
      <LiveHead property={property} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it handles events of its rows, which take the focus */}
      <tbody
        onClick={({ target }) => {
          const event = eventAt(target)
          if (event === undefined) return
          setActive(event.eventId)
          onOpen(event)
        }}
        onFocus={({ target }) => setActive(eventAt(target)?.eventId)}
        onKeyDown={onKeyDown}
      >
        {items.flatMap(({ index, start }, at) => {
          const event = events[index]
          if (event === undefined) return []
          const gap = start - (items[at - 1]?.end ?? 0)
          return [
            gap > 0 && <Space key={`before-${event.eventId}`} height={gap} />,
            <LiveRow
              key={event.eventId}
              event={event}
              compatibility={validationOf(event, state)?.compatibility}
              unmarked={unmarked}
              place={index + 2}
              density={density}
              property={property}
              isOpen={event.eventId === openId}
              isActive={event.eventId === activeId}
            />,
          ]
        })}
        <Space height={events.length * height - end} />
        {loading && [0, 1, 2, 3, 4, 5].map((row) => <LoadingRow key={row} density={density} property={property} />)}
      </tbody>
    </table>
  )
}

/** Why there are no rows, and what to do. */
const Nothing = ({ state, dispatch, setupPath }: Pick<TableProps, 'state' | 'dispatch' | 'setupPath'>) =>
  state.events.length === 0 ? (
    <Note words="No events received yet. Waiting for data...">
      <ButtonLink to={setupPath} replace>
        <BookOpen aria-hidden />
        How to send the first event
      </ButtonLink>
    </Note>
  ) : (
    shownEvents(state).length === 0 && (
      <Note words="No events match your filters.">
        <Button onClick={() => dispatch({ type: 'filtered', filters: noFilters })}>
          <X aria-hidden />
          Show all events
        </Button>
      </Note>
    )
  )

/** The scrolling table of the live events that match the filters, with the button for new events. */
export const LiveTable = (props: TableProps) => {
  const { state, dispatch, loading, setupPath } = props
  // Kept in a state: the area is mounted after the rows, which must then be rendered again.
  const [area, setArea] = useState<HTMLElement | null>(null)
  const expanded = useLiveView((view) => view.expanded)
  const height = useFillHeight(area, expanded)
  // Rows can be rendered in pieces, so that a click never waits until all are rendered.
  const listed = useDeferredValue(state)
  const waiting = waitingShown(state)
  const showNew = (): void => {
    area?.scrollTo({ top: 0 })
    dispatch({ type: 'takeIn' })
  }
  return (
    <div className="relative">
      <section
        ref={setArea}
        {...scrollable}
        aria-label="Event list"
        style={height === undefined ? undefined : { height }}
        className={cn('overflow-auto scroll-thin', height === undefined && 'h-80')}
        onScroll={(event) => dispatch({ type: 'scrolled', atTop: event.currentTarget.scrollTop <= 4 })}
      >
        {/* The tooltips open to the side, so that the icons of the rows above and below stay reachable. */}
        <TooltipArea area={area} side="left">
          {/* With another height, the area is measured again: the number of visible rows depends on it. */}
          <Rows key={height ?? 0} {...props} state={listed} area={area} />
        </TooltipArea>
        {!loading && <Nothing state={state} dispatch={dispatch} setupPath={setupPath} />}
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
