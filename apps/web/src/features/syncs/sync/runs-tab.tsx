import { useInfiniteQuery } from '@tanstack/react-query'
import type { Sync, SyncRun } from '@tributary/contract'
import { History } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useNavigate } from 'react-router'
import { QueryView } from '../../../components/query-view.tsx'
import { count } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { syncRunsQuery } from '../../../lib/queries/sync-queries.ts'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { RunBadge } from '../run-badge.tsx'
import { runDuration, runSummary, runTitle } from '../sync-words.ts'

const columns: readonly Column<SyncRun>[] = [
  {
    id: 'begun',
    header: 'Run',
    value: ({ create_time }) => create_time,
    cell: (run) => (
      <span className="block min-w-0 py-1.5">
        <Link to={paths.syncRun(run.name)} className="rounded-sm font-medium hover:underline">
          <RelativeTime time={run.create_time} />
        </Link>
        <span className="block truncate text-xs text-ink-2" title={runSummary(run)}>
          {run.message === '' ? runSummary(run) : run.message}
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => state,
    cell: (run) => <RunBadge run={run} />,
    width: 'sm:w-56',
  },
  {
    id: 'read',
    header: 'Rows read',
    value: ({ counts }) => counts?.read ?? -1,
    cell: ({ counts }) => (counts === null ? <span className="text-ink-3">–</span> : count(counts.read)),
    align: 'right',
    wide: true,
    width: 'sm:w-28',
  },
  {
    id: 'trigger',
    header: 'Started by',
    value: runTitle,
    cell: (run) => <span className="text-ink-2">{runTitle(run)}</span>,
    wide: 'lg',
    width: 'sm:w-28',
  },
  {
    id: 'duration',
    header: 'Duration',
    cell: (run) => <span className="text-ink-2">{runDuration(run)}</span>,
    align: 'right',
    wide: true,
    width: 'sm:w-28',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: SyncRun): string => name

/** The runs of a sync, newest first. */
export const RunsTab = ({ sync }: { sync: Sync }) => {
  const navigate = useNavigate()
  const query = useInfiniteQuery(syncRunsQuery(sync.name))
  const { data } = query
  const runs = useMemo(() => data?.pages.flatMap((page) => page.runs) ?? [], [data])
  return (
    <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the runs">
      {() =>
        runs.length === 0 ? (
          <EmptyState icon={<History />} title="No runs yet">
            The first run reads all rows and sends them. Later runs send only what changed.
          </EmptyState>
        ) : (
          <div className="space-y-4">
            <DataTable
              label="Runs"
              columns={columns}
              rows={runs}
              rowId={idOf}
              onRowClick={({ name }) => void navigate(paths.syncRun(name))}
            />
            <LoadMore query={query} />
          </div>
        )
      }
    </QueryView>
  )
}
