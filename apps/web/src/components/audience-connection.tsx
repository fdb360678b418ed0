import type { AudienceDestination } from '@tributary/contract'
import { Link } from 'react-router'
import { count, pluralise } from '../lib/format/text.ts'
import { Badge } from '../ui/badge.tsx'

type State = Pick<
  AudienceDestination,
  'state' | 'enabled' | 'fill_count' | 'fill_sent_count' | 'waiting_count' | 'dead_count' | 'last_error'
>

/** The progress of an audience at a destination. */
export const ConnectionState = ({ of }: { of: State }) => {
  const { state, enabled, fill_count, fill_sent_count } = of
  if (!enabled) return <Badge tone="neutral">Paused</Badge>
  if (state !== 'live') return <Badge tone="accent">{`Sent ${count(fill_sent_count)} of ${count(fill_count)}`}</Badge>
  return of.waiting_count + of.dead_count > 0 ? (
    <Badge tone="warning">Failing</Badge>
  ) : (
    <Badge tone="success">Live</Badge>
  )
}

/**
 * The failures of a connection, with the reason of the latest one. Shows nothing if there are no failures. `to` links
 * to the failures.
 */
export const ConnectionFailure = ({ of, to }: { of: State; to: string }) => {
  const { waiting_count, dead_count, last_error } = of
  if (waiting_count + dead_count === 0 || last_error === '') return null
  return (
    <Link to={to} className="block rounded-sm py-1 text-xs break-words text-danger-ink hover:underline">
      {dead_count > 0
        ? `${count(dead_count)} ${pluralise(dead_count, 'event')} failed: ${last_error}`
        : `${count(waiting_count)} ${pluralise(waiting_count, 'event')} to be retried: ${last_error}`}
    </Link>
  )
}
