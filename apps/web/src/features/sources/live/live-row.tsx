import type { Compatibility } from '@tributary/contract'
import { Ban, CircleAlert, Clock } from 'lucide-react'
import { memo } from 'react'
import { EnvironmentBadge } from '../../../components/environment-badge.tsx'
import { truncate } from '../../../lib/format/text.ts'
import { clockTime, utcTime } from '../../../lib/format/time.ts'
import { Badge } from '../../../ui/badge.tsx'
import { cn } from '../../../ui/cn.ts'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { CompatibilityIcon } from '../compatibility/compatibility-icon.tsx'
import type { LiveEvent } from './live-event.ts'
import { propertyText } from './live-property.ts'
import type { Density } from './live-view.ts'
import { NewSign } from './new-sign.tsx'

/** Height of a row in px. */
export const rowHeights: Record<Density, number> = { comfortable: 40, compact: 28 }

const heightClass: Record<Density, string> = { comfortable: 'h-10', compact: 'h-7' }

/** Width and spacing of each column, for its header and its cells: the area may be as narrow as a phone. */
export const columnClass = {
  type: 'w-28 px-4 @max-lg:w-17 @max-lg:pr-0 @max-lg:pl-2',
  name: 'px-4 @max-lg:px-1.5',
  environment: 'w-20 px-4 @max-lg:w-12 @max-lg:px-0.5',
  time: 'w-32 px-4 @max-lg:w-23 @max-lg:pr-2 @max-lg:pl-0',
  user: 'w-36 px-4 @max-4xl:hidden',
  property: 'w-36 px-4 @max-2xl:hidden',
} as const

/** Explains why a value is missing. */
const unread = 'This value is read about a second after the event arrives. Pause the list to see it.'

const Text = ({ text, mono = false }: { text: string; mono?: boolean }) => (
  <span className={cn('block truncate text-ink-2', mono && 'font-mono text-xs')} title={text}>
    {text === '' ? <span className="text-ink-3">–</span> : text}
  </span>
)

/** The value of the selected property, or a placeholder if it is not loaded. */
const Property = ({ text }: { text: string | undefined }) =>
  text === undefined ? (
    // The placeholder is not animated: at 200 events a second, too many would move.
    <span className="block py-1" title={unread}>
      <span aria-hidden className="block h-2 w-12 rounded-sm bg-active" />
      <span className="sr-only">Reading</span>
    </span>
  ) : (
    <Text text={text} />
  )

const Status = ({ event: { status, reason } }: { event: LiveEvent }) =>
  status === 'rejected' ? (
    <Badge tone="danger" title={reason}>
      <CircleAlert aria-hidden className="size-3 @max-lg:hidden" />
      Rejected
    </Badge>
  ) : status === 'blocked' ? (
    <Badge tone="warning" title="Does not match the schema. Stored, not delivered.">
      <Ban aria-hidden className="size-3 @max-lg:hidden" />
      Blocked
    </Badge>
  ) : status === 'held' ? (
    <Badge tone="warning" title="Over a limit of the plan. Stored, not delivered yet.">
      <Clock aria-hidden className="size-3 @max-lg:hidden" />
      Held
    </Badge>
  ) : null

type RowProps = {
  event: LiveEvent
  compatibility: Compatibility | undefined
  /** True if the schema has no events: every event would be new then, so none is marked as new. */
  unmarked: boolean
  /** The position of the row in the whole table. The header is the first row. */
  place: number
  density: Density
  /** The property shown in a column; '' for none. */
  property: string
  /** Whether the panel of the event is open. */
  isOpen: boolean
  /** Whether Tab focuses this row. */
  isActive: boolean
}

/** One event of the live table. The table handles its clicks and keys. */
export const LiveRow = memo(
  ({ event, compatibility, unmarked, place, density, property, isOpen, isActive }: RowProps) => (
    <tr
      tabIndex={isActive ? 0 : -1}
      aria-rowindex={place}
      aria-current={isOpen ? 'true' : undefined}
      data-event={event.eventId}
      className={cn(
        'cursor-pointer focus-visible:-outline-offset-2',
        heightClass[density],
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <td className={cn('truncate font-mono text-xs text-ink-2', columnClass.type)}>{event.type}</td>
      <td className={columnClass.name}>
        <span className="flex min-w-0 items-center gap-2">
          {compatibility === undefined ? (
            <span aria-hidden className={cn('size-4 shrink-0', event.status === 'rejected' && '@max-lg:hidden')} />
          ) : (
            <CompatibilityIcon compatibility={compatibility} />
          )}
          <span className="min-w-0 truncate font-medium" title={event.title}>
            {truncate(event.title)}
          </span>
          {event.status === 'accepted' && !unmarked && <NewSign compatibility={compatibility} />}
          <Status event={event} />
        </span>
      </td>
      <td className={columnClass.environment}>
        <EnvironmentBadge test={event.test} />
      </td>
      <td
        className={cn('text-right whitespace-nowrap text-ink-2 tabular @max-lg:text-xs', columnClass.time)}
        title={utcTime(event.receiveTime)}
      >
        <time dateTime={event.receiveTime}>{clockTime(event.receiveTime)}</time>
      </td>
      <td className={columnClass.user}>
        <Text mono text={event.user} />
      </td>
      {property !== '' && (
        <td className={columnClass.property}>
          <Property text={propertyText(event, property)} />
        </td>
      )}
    </tr>
  ),
)
LiveRow.displayName = 'LiveRow'

const bars = ['w-12', 'w-40', 'w-10', 'ml-auto w-16', 'w-24', 'w-16'] as const

/** A placeholder row while events are loading. */
export const LoadingRow = ({ density, property }: { density: Density; property: string }) => (
  <tr aria-hidden className={heightClass[density]}>
    {Object.values(columnClass)
      .slice(0, property === '' ? 5 : 6)
      .map((className, index) => (
        <td key={className} className={className}>
          <Skeleton className={cn('h-3 max-w-full', bars[index])} />
        </td>
      ))}
  </tr>
)

const head =
  'sticky top-0 z-10 h-9 border-b border-line bg-canvas text-left text-xs font-medium whitespace-nowrap text-ink-3'

/** The header of the live table. */
export const LiveHead = ({ property }: { property: string }) => (
  <thead>
    <tr aria-rowindex={1}>
      <th scope="col" className={cn(head, columnClass.type)}>
        <span className="@max-lg:sr-only">Event </span>
        <span className="@max-lg:capitalize">type</span>
      </th>
      <th scope="col" className={cn(head, columnClass.name)}>
        Name
      </th>
      <th scope="col" className={cn(head, columnClass.environment)}>
        <span className="sr-only">Environment</span>
      </th>
      <th scope="col" className={cn(head, 'text-right', columnClass.time)}>
        Received
      </th>
      <th scope="col" className={cn(head, columnClass.user)}>
        User
      </th>
      {property !== '' && (
        <th scope="col" className={cn(head, 'truncate font-mono', columnClass.property)} title={property}>
          {property}
        </th>
      )}
    </tr>
  </thead>
)
