import { useQuery } from '@tanstack/react-query'
import { type DroppedEvent, methods } from '@tributary/contract'
import { QueryView } from '../../../components/query-view.tsx'
import { sourceIds } from '../../../lib/format/names.ts'
import { count, humanise } from '../../../lib/format/text.ts'
import { hourSpan, utcTime } from '../../../lib/format/time.ts'
import { query } from '../../../lib/queries/query.ts'
import { WithCode } from '../../../ui/code/with-code.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'

/** Accepted events of a source that were not stored in the last 24 hours, by reason. */
const droppedQuery = (source: string) =>
  query(
    methods.droppedEvents.listBySource,
    { params: sourceIds(source), query: { page_size: 200 } },
    { refetchInterval: 10_000, read: ({ dropped_events }) => dropped_events },
  )

const known: Readonly<Record<string, { title: string; advice: string }>> = {
  duplicate: {
    title: 'Duplicate messageId',
    advice:
      'Expected when a sender retries a request: the first copy is stored. If these were different events, give each its own messageId.',
  },
  duplicate_rejected: {
    title: 'Duplicate of a rejected event',
    advice:
      'The first copy is under Live events, with its reason. Fix the problem and send the event again; you can reuse the messageId.',
  },
}

const titleOf = (reason: string): string => {
  const words = humanise(reason)
  return known[reason]?.title ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const columns: readonly Column<DroppedEvent>[] = [
  {
    id: 'reason',
    header: 'Reason',
    value: (row) => titleOf(row.reason),
    cell: (row) => (
      <span className="block py-2">
        <span className="block font-medium">{titleOf(row.reason)}</span>
        {row.message !== '' && (
          <span className="mt-0.5 block text-xs text-ink-2">
            <WithCode text={row.message} />
          </span>
        )}
        {known[row.reason] !== undefined && (
          <span className="mt-0.5 block text-xs text-ink-2">{known[row.reason]?.advice}</span>
        )}
      </span>
    ),
  },
  {
    id: 'count',
    header: 'Count, 24 h',
    value: (row) => row.count,
    cell: (row) => count(row.count),
    align: 'right',
    className: 'whitespace-nowrap',
  },
  {
    id: 'last',
    header: 'Last seen (hour)',
    value: (row) => row.last_hour,
    cell: (row) => (
      <time dateTime={row.last_hour} title={`In the hour starting ${utcTime(row.last_hour)}`} className="text-ink-2">
        {hourSpan(row.last_hour)}
      </time>
    ),
    align: 'right',
    wide: true,
    className: 'whitespace-nowrap',
  },
]

/** Accepted events of a source that were deliberately not stored, by reason, with advice. */
export const LeftOut = ({ source }: { source: string }) => {
  const query = useQuery(droppedQuery(source))
  return (
    <section aria-labelledby="left-out">
      <h2 id="left-out" className="text-base font-semibold">
        Duplicates
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">
        Events accepted in the last 24 hours but not stored, because a copy is already stored.
      </p>
      <QueryView
        query={query}
        skeleton={<TableSkeleton rows={1} columns={3} />}
        errorTitle="Failed to load the duplicates"
      >
        {(rows) =>
          rows.length === 0 ? (
            <p className="rounded-lg border border-dashed border-line-strong bg-surface px-6 py-8 text-center text-sm text-ink-2">
              No duplicates. Every event accepted in the last 24 hours is stored.
            </p>
          ) : (
            <DataTable label="Duplicates" columns={columns} rows={rows} rowId={(row) => row.reason} />
          )
        }
      </QueryView>
    </section>
  )
}
