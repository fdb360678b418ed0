import type { Source } from '@tributary/contract'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { rejectionOf } from '../../../lib/events/rejection.ts'
import { truncate } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { WithCode } from '../../../ui/code/with-code.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import type { LiveEvent } from '../live/live-event.ts'

type State = 'disabled' | 'waiting' | 'rejected' | 'blocked' | 'held' | 'received'

const stateOf = (source: Source, received: boolean, newest: LiveEvent | undefined): State => {
  if (newest?.status === 'rejected' || newest?.status === 'blocked' || newest?.status === 'held') return newest.status
  if (newest !== undefined || received) return 'received'
  return source.enabled ? 'waiting' : 'disabled'
}

const tones: Record<State, string> = {
  waiting: 'border-line bg-surface text-ink-2 shadow-card',
  disabled: 'border-warning/40 bg-warning-soft text-warning-ink',
  rejected: 'border-warning/40 bg-warning-soft text-warning-ink',
  blocked: 'border-warning/40 bg-warning-soft text-warning-ink',
  held: 'border-warning/40 bg-warning-soft text-warning-ink',
  received: 'border-success/40 bg-success-soft text-success-ink',
}

const Sign = ({ state }: { state: State }) => {
  if (state === 'waiting') return <Spinner size="md" />
  return state === 'received' ? (
    <CircleCheck aria-hidden className="size-4.5 shrink-0" />
  ) : (
    <CircleAlert aria-hidden className="size-4.5 shrink-0" />
  )
}

const words: Record<State, string> = {
  waiting: 'Waiting for the first event…',
  disabled: 'This source is disabled and refuses events.',
  rejected: 'Received, but rejected',
  blocked: 'Received, but blocked by the schema',
  held: 'Received, and held by a limit of the plan',
  received: 'Received',
}

/**
 * Shows whether events arrive: waits for the first one, then names the newest with its time. A live region announces
 * changes.
 */
export const FirstEvent = ({
  source,
  received,
  newest,
}: {
  source: Source
  received: boolean
  newest: LiveEvent | undefined
}) => {
  const state = stateOf(source, received, newest)
  return (
    <div className={cn('flex flex-wrap items-center gap-3 rounded-lg border px-5 py-3', tones[state])}>
      <Sign state={state} />
      <output className="min-w-0 flex-1 basis-56 font-medium">
        {newest === undefined ? (
          state === 'received' ? (
            `${words.received}. This source is receiving events.`
          ) : (
            words[state]
          )
        ) : (
          <>
            {words[state]}: <span title={newest.title}>{truncate(newest.title)}</span>
          </>
        )}
      </output>
      {newest !== undefined && (
        <span className="text-sm">
          {newest.type === newest.title ? '' : `${newest.type}, `}
          <RelativeTime time={newest.receiveTime} />
        </span>
      )}
      {state === 'waiting' && (
        <ButtonLink to={paths.source(source.name, 'refused')} size="sm" replace>
          No events? Troubleshoot
        </ButtonLink>
      )}
      {state !== 'waiting' && state !== 'disabled' && (
        <ButtonLink to={paths.source(source.name)} size="sm" replace>
          Show live events
        </ButtonLink>
      )}
      {newest !== undefined && state === 'rejected' && (
        <p className="min-w-0 basis-full text-sm break-words">
          <WithCode text={rejectionOf(newest.reason).advice} />
        </p>
      )}
    </div>
  )
}
