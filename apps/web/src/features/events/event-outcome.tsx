import { type EventDetail, problemMessages } from '@tributary/contract'
import { Check, CircleAlert, CirclePlus, Clock, Inbox, Minus, RotateCw, ShieldAlert } from 'lucide-react'
import { Link } from 'react-router'
import { propertyPath } from '../../lib/events/property-path.ts'
import { sourceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { cn } from '../../ui/cn.ts'
import { WithCode } from '../../ui/code/with-code.tsx'
import { Moment } from './moment.tsx'
import { type OutcomeStep, type OutcomeTone, outcomeOf } from './outcome.ts'

const icons: Record<OutcomeStep['id'], Record<OutcomeTone, typeof Check>> = {
  received: { neutral: Inbox, success: Inbox, warning: Inbox, danger: Inbox, accent: Inbox },
  rejected: {
    neutral: CircleAlert,
    success: CircleAlert,
    warning: CircleAlert,
    danger: CircleAlert,
    accent: CircleAlert,
  },
  noted: { neutral: Clock, success: Clock, warning: Clock, danger: Clock, accent: Clock },
  checked: { neutral: Minus, success: Check, warning: CircleAlert, danger: CircleAlert, accent: CirclePlus },
  blocked: {
    neutral: ShieldAlert,
    success: ShieldAlert,
    warning: ShieldAlert,
    danger: ShieldAlert,
    accent: ShieldAlert,
  },
  held: { neutral: Clock, success: Clock, warning: Clock, danger: Clock, accent: Clock },
  replayed: { neutral: RotateCw, success: RotateCw, warning: RotateCw, danger: RotateCw, accent: RotateCw },
}

const tones: Record<OutcomeTone, string> = {
  neutral: 'bg-hover text-ink-2',
  success: 'bg-success-soft text-success-ink',
  warning: 'bg-warning-soft text-warning-ink',
  danger: 'bg-danger-soft text-danger-ink',
  accent: 'bg-accent-soft text-accent-ink',
}

const Problems = ({ problems }: Pick<EventDetail, 'problems'>) => (
  <ul aria-label="Problems" className="mt-2 divide-y divide-line rounded-md border border-line">
    {problems.map(({ property, kind }) => (
      <li key={`${kind} ${property}`} className="flex flex-wrap items-baseline justify-between gap-x-3 px-3 py-1.5">
        <code className="font-mono text-xs break-words">{propertyPath(property)}</code>
        <span className="text-xs text-ink-2">{problemMessages[kind]}</span>
      </li>
    ))}
  </ul>
)

/** The link of a step: to the violated schema, or to the replayed event. */
const Next = ({ id, event }: { id: OutcomeStep['id']; event: EventDetail }) => {
  const { workspace } = sourceIds(event.source)
  const look = 'mt-1 inline-block rounded-sm text-sm font-medium text-accent-ink hover:underline'
  if (id === 'blocked' && event.replay_time === null)
    return (
      <Link to={paths.source(event.source, 'violations')} className={look}>
        Fix the schema and replay it
      </Link>
    )
  if (id === 'replayed')
    return (
      <Link to={paths.events(`workspaces/${workspace}`, { message: event.message_id })} className={look}>
        See both events
      </Link>
    )
  return null
}

/** The steps of an event before its delivery, with advice. */
export const EventOutcome = ({ event }: { event: EventDetail }) => (
  <ol>
    {outcomeOf(event).map(({ id, title, text, tone, time }) => {
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
            <Next id={id} event={event} />
          </div>
        </li>
      )
    })}
  </ol>
)
