import type { Destination, WarehouseStatus } from '@tributary/contract'
import { Scale } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { type ComparedTable, comparedTables, differenceText } from './load-words.ts'

const Difference = ({ difference }: Pick<ComparedTable, 'difference'>) =>
  difference === 0 ? (
    <span className="text-ink-3">{differenceText(difference)}</span>
  ) : (
    <Badge tone={difference < 0 ? 'danger' : 'warning'}>{differenceText(difference)}</Badge>
  )

const columns: readonly Column<ComparedTable>[] = [
  {
    id: 'table',
    header: 'Table',
    value: ({ table }) => table,
    cell: ({ table, event_count, row_count }) => (
      <span className="block min-w-0 py-1.5">
        <span className="block truncate font-mono text-xs" title={table}>
          {table}
        </span>
        <span className="block text-xs text-ink-2 sm:hidden">
          {count(event_count)} {pluralise(event_count, 'event')}, {count(row_count)} {pluralise(row_count, 'row')}
        </span>
      </span>
    ),
  },
  {
    id: 'events',
    header: 'Delivered events',
    value: ({ event_count }) => event_count,
    cell: ({ event_count }) => count(event_count),
    align: 'right',
    width: 'sm:w-40',
    wide: true,
  },
  {
    id: 'rows',
    header: 'Rows',
    value: ({ row_count }) => row_count,
    cell: ({ row_count }) => count(row_count),
    align: 'right',
    width: 'sm:w-32',
    wide: true,
  },
  {
    id: 'difference',
    header: 'Difference',
    value: ({ difference }) => Math.abs(difference),
    cell: (row) => <Difference difference={row.difference} />,
    align: 'right',
    width: 'sm:w-52',
  },
]

const idOf = ({ table }: ComparedTable): string => table

/** The number of tables that differ from the delivered events, beside the name of the tab. */
export const DifferenceCount = ({ comparison }: Pick<WarehouseStatus, 'comparison'>) => {
  const differing = comparedTables(comparison?.tables ?? []).filter(({ difference }) => difference !== 0).length
  return (
    differing > 0 && (
      <Badge tone="warning">
        {count(differing)}
        <span className="sr-only"> different</span>
      </Badge>
    )
  )
}

/** The rows of each table of a warehouse that were received on the last whole day, beside the delivered events. */
export const Comparison = ({
  destination,
  comparison,
}: { destination: Destination } & Pick<WarehouseStatus, 'comparison'>) => {
  const mayEdit = useMayEdit() === true
  const rows = useMemo(() => comparedTables(comparison?.tables ?? []), [comparison])
  if (comparison === null)
    return (
      <EmptyState icon={<Scale />} title="Not compared yet">
        Each night, the events of the day before are counted in each table, and compared with the delivered events. The
        first result is here tomorrow.
      </EmptyState>
    )
  const differing = rows.filter(({ difference }) => difference !== 0).length
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-2">
        Events received on {comparison.day} (UTC), counted <RelativeTime time={comparison.compare_time} />.{' '}
        {comparison.reason === '' &&
          (differing === 0 ? (
            'All tables are equal.'
          ) : (
            <>
              {differing === 1 ? '1 table differs' : `${count(differing)} tables differ`}.{' '}
              {mayEdit && (
                <Link
                  to={paths.newReplay(destination.name, { kind: 'history' })}
                  className="rounded-sm text-accent-ink underline underline-offset-3"
                >
                  Send stored events again
                </Link>
              )}
            </>
          ))}
      </p>
      {comparison.reason !== '' && <Alert>Could not compare: {sentence(comparison.reason)}</Alert>}
      {rows.length > 0 ? (
        <DataTable label="Comparison" columns={columns} rows={rows} rowId={idOf} />
      ) : (
        comparison.reason === '' && <p className="text-sm text-ink-3">No events were received on that day.</p>
      )}
    </div>
  )
}
