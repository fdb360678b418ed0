import { useQuery } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { refusedQuery } from '../../../lib/queries/event-queries.ts'
import { ButtonLink } from '../../../ui/button.tsx'

/** Shows that the server currently responds with 429 because too many events wait for processing, and what to do. */
export const BacklogNotice = ({ source }: { source: string }) => {
  const rows = useQuery(refusedQuery(source)).data
  const refused = rows?.find(({ reason, ongoing }) => reason === 'WORKSPACE_BACKLOG' && ongoing)
  if (refused === undefined) return null
  return (
    <section
      aria-label="Events are being refused"
      className="mb-4 flex items-start gap-3 rounded-lg border border-warning/40 bg-warning-soft px-4 py-3 text-sm text-warning-ink"
    >
      <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 space-y-1">
        <p className="font-medium">Events are being refused</p>
        <p>
          This workspace has more unprocessed events than its share of the queue, so new requests get status 429 (
          {count(refused.count)} {pluralise(refused.count, 'request')} in the last 24 hours). SDKs keep the events and
          send them again later.
        </p>
        <p>
          Slow down or stop imports and backfills. If this continues, ask your server's operator to check processing and{' '}
          <code className="font-mono text-xs">TRIBUTARY_WORKSPACE_BACKLOG_MB</code>.
        </p>
        <ButtonLink size="sm" to={paths.source(source, 'refused')} className="mt-1">
          Refused requests
        </ButtonLink>
      </div>
    </section>
  )
}
