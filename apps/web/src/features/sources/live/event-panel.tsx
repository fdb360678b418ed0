import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { EventDetail, PendingEvent, SourceSchema, SourceWithSchema } from '@tributary/contract'
import { Ban, ChevronDown, ChevronUp, CircleAlert, Clock } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react'
import { EnvironmentBadge } from '../../../components/environment-badge.tsx'
import { EventDeliveries } from '../../../components/event-deliveries.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { rejectionOf } from '../../../lib/events/rejection.ts'
import { formatJson } from '../../../lib/format/json-text.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { localTime, utcTime } from '../../../lib/format/time.ts'
import { paths } from '../../../lib/paths.ts'
import { eventQuery, pendingMs } from '../../../lib/queries/event-queries.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { WithCode } from '../../../ui/code/with-code.tsx'
import { SidePanel } from '../../../ui/overlays/side-panel.tsx'
import { lazyPart } from '../../../ui/page/lazy-part.tsx'
import { LoadingNote } from '../../../ui/page/loading-note.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CompatibilityIcon } from '../compatibility/compatibility-icon.tsx'
import { type KnownSchemas, type LiveEvent, ofDetail, validationOf } from './live-event.ts'

// Loaded on first use: this tab is half of the code of the panel, and the list does not need it.
const CompatibilityTab = lazyPart(async () => (await import('../compatibility/compatibility-tab.tsx')).CompatibilityTab)

const Payload = ({ event }: { event: EventDetail }) => {
  const text = useMemo(() => formatJson(event.payload_text), [event.payload_text])
  return (
    <CodeBlock
      codes={[{ title: event.message_id, language: 'json', text }]}
      copyLabel="Copy"
      notice="Payload copied"
      className="max-h-[max(24rem,calc(100dvh-24rem))]"
    />
  )
}

const Loading = ({ pending = false }: { pending?: boolean }) => (
  <div aria-busy className="space-y-2 rounded-lg border border-line bg-code p-4">
    {pending ? (
      <output className="block pb-1 text-sm text-ink-2">
        This event was accepted and is being stored. It appears here in a moment.
      </output>
    ) : (
      <LoadingNote />
    )}
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
          This event was stored as rejected and not delivered. Fix the sender and send it again.
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

const Blocked = ({ replayed }: { replayed: string | null }) => (
  <div className="mb-4 flex gap-3 rounded-md bg-warning-soft px-4 py-3 text-warning-ink">
    <Ban aria-hidden className="mt-0.5 size-5 shrink-0" />
    <div className="min-w-0">
      <p className="font-semibold">It did not match the schema, and this source blocks non-conforming events.</p>
      <p className="mt-1 text-sm">
        {replayed === null ? (
          'It was stored but not delivered. Add it to the schema, then replay it.'
        ) : (
          <>
            The original stays blocked. It was replayed <RelativeTime time={replayed} />.
          </>
        )}
      </p>
    </div>
  </div>
)

const Held = ({ released }: { released: string | null }) => (
  <div className="mb-4 flex gap-3 rounded-md bg-warning-soft px-4 py-3 text-warning-ink">
    <Clock aria-hidden className="mt-0.5 size-5 shrink-0" />
    <div className="min-w-0">
      <p className="font-semibold">The organization was over a limit of its plan.</p>
      <p className="mt-1 text-sm">
        {released === null ? (
          'It was stored but not delivered yet. It is released when the plan is upgraded, or when the next period begins.'
        ) : (
          <>
            It was released <RelativeTime time={released} />.
          </>
        )}
      </p>
    </div>
  </div>
)

type ContentProps = {
  event: LiveEvent | undefined
  query: UseQueryResult<EventDetail | PendingEvent>
  source: SourceWithSchema
  schema: SourceSchema
  tab: readonly [id: string, choose: (id: string) => void]
}

const Content = ({ event, query, source, schema, tab }: ContentProps) => {
  const workspace = `workspaces/${sourceIds(source.name).workspace}`
  const panel = (children: (detail: EventDetail) => ReactNode) => (
    <QueryView query={query} skeleton={<Loading />} errorTitle="Failed to load the event">
      {(found) => (found.state === 'pending' ? <Loading pending /> : children(found))}
    </QueryView>
  )
  const replayed = query.data?.state === 'stored' ? query.data.replay_time : null
  return (
    <>
      {event?.status === 'rejected' && <Rejection reason={event.reason} />}
      {event?.status === 'blocked' && <Blocked replayed={replayed} />}
      {event?.status === 'held' && <Held released={replayed} />}
      <Tabs
        label="Event"
        chosen={tab}
        tabs={[
          { id: 'payload', name: 'Payload', content: panel((detail) => <Payload event={detail} />) },
          {
            id: 'compatibility',
            name: 'Compatibility',
            content: panel((detail) => <CompatibilityTab event={detail} source={source} schema={schema} />),
          },
          {
            id: 'deliveries',
            name: 'Deliveries',
            content: panel((detail) => <EventDeliveries event={detail} workspace={workspace} />),
          },
        ]}
      />
    </>
  )
}

const Description = ({ event, known }: { event: LiveEvent; known: KnownSchemas }) => {
  const validation = validationOf(event, known)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{event.type.toLowerCase()} event</span>
      <time dateTime={event.receiveTime} title={utcTime(event.receiveTime)}>
        Received at {localTime(event.receiveTime)}
      </time>
      <span className="flex items-center gap-1.5">
        <EnvironmentBadge test={event.test} />
        {validation !== undefined && <CompatibilityIcon compatibility={validation.compatibility} />}
      </span>
    </span>
  )
}

/** The position of the open event in its list, and the events above and below it. */
type Neighbours = {
  newer: LiveEvent | undefined
  older: LiveEvent | undefined
  /** Position of the event, starting with 0; -1 if the list does not contain it. */
  place: number
  /** The number of events in the list. */
  count: number
}

const Steps = ({ neighbours: { newer, older, place, count }, onOpen }: Pick<PanelProps, 'neighbours' | 'onOpen'>) => {
  const step = (name: string, event: LiveEvent | undefined, icon: ReactNode) => (
    <Button
      size="sm"
      square
      aria-label={name}
      title={name}
      aria-disabled={event === undefined}
      onClick={() => event !== undefined && onOpen(event)}
    >
      {icon}
    </Button>
  )
  return (
    <span className="mr-auto flex items-center gap-1">
      {step('Previous event', newer, <ChevronUp aria-hidden />)}
      {step('Next event', older, <ChevronDown aria-hidden />)}
      <span aria-live="polite" className="ml-1.5 text-xs text-ink-3 tabular">
        {place >= 0 && `${place + 1} of ${count}`}
      </span>
    </span>
  )
}

/** Selects elements that use the arrow keys or letters themselves. */
const keyUsers =
  'input, textarea, select, [contenteditable], [role="tab"], [role="combobox"], pre[tabindex], [role="region"][tabindex]'

/** Opens the event above or below with ↑ and ↓, or k and j, unless the focused element uses these keys. */
const stepByKey = (key: KeyboardEvent, { newer, older }: Neighbours, onOpen: (event: LiveEvent) => void): void => {
  if (key.ctrlKey || key.metaKey || key.altKey || key.defaultPrevented) return
  if (!(key.target instanceof Element) || !key.currentTarget.contains(key.target)) return
  const isLetter = key.key === 'j' || key.key === 'k'
  if (key.target.closest(isLetter ? 'input, textarea, select, [contenteditable]' : keyUsers) !== null) return
  const next =
    key.key === 'ArrowDown' || key.key === 'j' ? older : key.key === 'ArrowUp' || key.key === 'k' ? newer : undefined
  if (next === undefined) return
  key.preventDefault()
  onOpen(next)
}

type PanelProps = {
  eventId: string
  listed: LiveEvent | undefined
  neighbours: Neighbours
  source: SourceWithSchema
  /** The schemas that validate events. */
  known: KnownSchemas
  onRead: (action: { type: 'detailed'; events: LiveEvent[] }) => void
  onOpen: (event: LiveEvent) => void
  onClose: () => void
  /** The element that gets the focus when the panel closes. */
  returnFocus: () => HTMLElement | null
}

/**
 * One event beside its list: its data, its validation, and its outcome at each destination. `listed` is the event as
 * the list has it, `onRead` receives the loaded event.
 */
export const EventPanel = (props: PanelProps) => {
  const { eventId, listed, neighbours, source, known, onRead, onOpen, onClose, returnFocus } = props
  const workspace = `workspaces/${sourceIds(source.name).workspace}`
  const query = useQuery({
    ...eventQuery(workspace, eventId),
    refetchInterval: ({ state: { data: found } }) =>
      found?.state === 'pending' ? pendingMs : found?.deliveries.length === 0 ? 2000 : false,
  })
  const data = query.data?.state === 'stored' ? query.data : undefined
  useEffect(() => {
    if (data !== undefined) onRead({ type: 'detailed', events: [ofDetail(data)] })
  }, [data, onRead])
  const event = data === undefined ? listed : ofDetail(data)
  const tab = useState('payload')
  return (
    <SidePanel
      onClose={onClose}
      returnFocus={returnFocus}
      onKeyDown={(key) => stepByKey(key, neighbours, onOpen)}
      title={event === undefined ? 'Event' : event.title}
      description={event !== undefined && <Description event={event} known={known} />}
      footer={
        <>
          <Steps neighbours={neighbours} onOpen={onOpen} />
          {event !== undefined && (
            <ButtonLink to={paths.event(`${workspace}/events/${eventId}`)} variant="none">
              Open in the explorer
            </ButtonLink>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <Content event={event} query={query} source={source} schema={known.schema} tab={tab} />
    </SidePanel>
  )
}
