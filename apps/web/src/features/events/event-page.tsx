import { useQuery } from '@tanstack/react-query'
import { type EventDetail, problemMessages } from '@tributary/contract'
import { Check, CircleAlert, Inbox, Minus, RotateCw, ShieldAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { eventQuery } from '../../lib/event-queries.ts'
import { formatJson } from '../../lib/json-text.ts'
import { paths } from '../../lib/paths.ts'
import { localTime, utcTime } from '../../lib/time.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { sourcesQuery } from '../../lib/workspace-queries.ts'
import { Card } from '../../ui/card.tsx'
import { cn } from '../../ui/cn.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EnvironmentBadge } from '../../ui/environment-badge.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { CardSkeleton, Skeleton } from '../../ui/skeleton.tsx'
import { WithCode } from '../../ui/with-code.tsx'
import { Deliveries } from './deliveries.tsx'
import { StatusBadge } from './event-badges.tsx'
import { type FateStep, type FateTone, fateOf } from './fate.ts'

const icons: Record<FateStep['id'], Record<FateTone, typeof Check>> = {
  received: { neutral: Inbox, success: Inbox, warning: Inbox, danger: Inbox },
  rejected: { neutral: CircleAlert, success: CircleAlert, warning: CircleAlert, danger: CircleAlert },
  checked: { neutral: Minus, success: Check, warning: CircleAlert, danger: CircleAlert },
  blocked: { neutral: ShieldAlert, success: ShieldAlert, warning: ShieldAlert, danger: ShieldAlert },
  replayed: { neutral: RotateCw, success: RotateCw, warning: RotateCw, danger: RotateCw },
}

const tones: Record<FateTone, string> = {
  neutral: 'bg-hover text-ink-2',
  success: 'bg-success-soft text-success-ink',
  warning: 'bg-warning-soft text-warning-ink',
  danger: 'bg-danger-soft text-danger-ink',
}

const Moment = ({ time, className }: { time: string; className?: string }) => (
  <time dateTime={time} title={utcTime(time)} className={className}>
    {localTime(time)}
  </time>
)

const Problems = ({ problems }: Pick<EventDetail, 'problems'>) => (
  <ul aria-label="Problems" className="mt-2 divide-y divide-line rounded-md border border-line">
    {problems.map(({ property, kind }) => (
      <li key={`${kind} ${property}`} className="flex flex-wrap items-baseline justify-between gap-x-3 px-3 py-1.5">
        <code className="font-mono text-xs break-all">{property}</code>
        <span className="text-xs text-ink-2">{problemMessages[kind]}</span>
      </li>
    ))}
  </ul>
)

const Fate = ({ event }: { event: EventDetail }) => (
  <ol>
    {fateOf(event).map(({ id, title, text, tone, time }) => {
      const Icon = icons[id][tone]
      return (
        <li key={id} className="group relative flex gap-3 pb-5 last:pb-0">
          <span aria-hidden className="absolute top-7 bottom-1 left-3 border-l border-line-strong group-last:hidden" />
          <span aria-hidden className={cn('grid size-6 shrink-0 place-items-center rounded-full', tones[tone])}>
            <Icon className="size-3.5" />
          </span>
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-baseline justify-between gap-x-3">
              <h3 className="font-medium">{title}</h3>
              {time !== undefined && <Moment time={time} className="text-xs text-ink-3" />}
            </div>
            <p className="mt-0.5 text-sm break-words text-ink-2">
              <WithCode text={text} />
            </p>
            {id === 'checked' && event.problems.length > 0 && <Problems problems={event.problems} />}
          </div>
        </li>
      )
    })}
  </ol>
)

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="py-2">
    <dt className="text-xs text-ink-3">{name}</dt>
    <dd className="flex min-w-0 items-center gap-1 text-sm">{children}</dd>
  </div>
)

const Id = ({ name, id, to }: { name: string; id: string; to?: string }) =>
  id !== '' && (
    <Row name={name}>
      {to === undefined ? (
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{id}</code>
      ) : (
        <Link
          to={to}
          title="All events of this user"
          className="min-w-0 flex-1 rounded-sm font-mono text-xs break-all text-accent-ink hover:underline"
        >
          {id}
        </Link>
      )}
      <CopyButton text={id} name={`Copy ${name.toLowerCase()}`} notice={`${name} copied`} size="xs" />
    </Row>
  )

const Time = ({ name, time }: { name: string; time: string | null }) =>
  time !== null && (
    <Row name={name}>
      <Moment time={time} />
    </Row>
  )

const Facts = ({ event }: { event: EventDetail }) => {
  const workspace = useWorkspace().name
  const sources = useQuery(sourcesQuery(workspace)).data
  const source = sources?.find(({ name }) => name === event.source)
  const ofUser = (user: string) => (user === '' ? {} : { to: paths.events(workspace, { user }) })
  return (
    <dl className="-my-2 divide-y divide-line">
      <Row name="Source">
        {source === undefined ? (
          <span className="text-ink-2">{sources === undefined ? '…' : 'Deleted source'}</span>
        ) : (
          <Link to={paths.source(source.name)} className="rounded-sm text-accent-ink break-words hover:underline">
            {source.title}
          </Link>
        )}
      </Row>
      <Row name="Environment">
        <EnvironmentBadge test={event.test} />
      </Row>
      <Id name="Message id" id={event.message_id} />
      <Id name="User id" id={event.user_id} {...ofUser(event.user_id)} />
      <Id name="Anonymous id" id={event.anonymous_id} {...ofUser(event.anonymous_id)} />
      <Id name="Group id" id={event.group_id} />
      <Id name="Previous id" id={event.previous_id} />
      <Time name="Happened" time={event.timestamp} />
      <Time name="Time as sent" time={event.original_timestamp} />
      <Time name="Sent" time={event.sent_at} />
      <Time name="Received" time={event.receive_time} />
      <Id name="Event id" id={event.event_id} />
    </dl>
  )
}

const isWithin = (path: unknown, list: string): path is string =>
  typeof path === 'string' && (path === list || path.startsWith(`${list}?`))

/** The list as it was narrowed when this event was opened from it, else the whole one. */
const useWayBack = (): string => {
  const list = paths.events(useWorkspace().name)
  const state: unknown = useLocation().state
  const before = typeof state === 'object' && state !== null && 'search' in state ? state.search : undefined
  return isWithin(before, list) ? before : list
}

const Content = ({ event }: { event: EventDetail }) => {
  const workspace = useWorkspace()
  const back = useWayBack()
  const text = useMemo(() => formatJson(event.original), [event.original])
  return (
    <>
      <PageHeader
        title={event.title === '' ? 'Event' : event.title}
        documentTitle={event.title === '' ? 'Event' : event.title}
        description={`${event.type === '' ? 'unknown' : event.type.toLowerCase()} event`}
        crumbs={[{ label: 'Events', to: back }]}
        action={<StatusBadge event={event} />}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0 space-y-5">
          <Card title="What happened">
            <Fate event={event} />
          </Card>
          <Card title="Deliveries">
            <Deliveries event={event} workspace={workspace.name} />
          </Card>
          <Card title="Payload" description="The event as it was received.">
            <CodeBlock
              codes={[{ title: event.message_id, language: 'json', text }]}
              copyLabel="Copy"
              notice="Payload copied"
              className="max-h-160"
            />
          </Card>
        </div>
        <Card title="Details">
          <Facts event={event} />
        </Card>
      </div>
    </>
  )
}

const Loading = () => (
  <>
    <div aria-busy className="mb-6 space-y-2">
      <Skeleton className="h-3 w-20" />
      <Skeleton className="h-6 w-56" />
      <Skeleton className="h-3 w-28" />
    </div>
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="space-y-5">
        <CardSkeleton lines={4} />
        <CardSkeleton lines={6} />
      </div>
      <CardSkeleton lines={8} />
    </div>
  </>
)

/** How long (ms) after its arrival first attempts to deliver an event are still looked for. */
const fresh = 60_000

/** One event with its whole fate: received, checked, kept back or replayed, and delivered to each destination. */
export const EventPage = () => {
  const workspace = useWorkspace()
  const { eventId } = useParams()
  const query = useQuery({
    ...eventQuery(workspace.name, eventId ?? ''),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.deliveries.length === 0 && Date.now() - Date.parse(data.receive_time) < fresh
        ? 2_000
        : false,
  })
  return (
    <QueryView page query={query} skeleton={<Loading />} errorTitle="Failed to load the event">
      {(event) => <Content key={event.name} event={event} />}
    </QueryView>
  )
}
