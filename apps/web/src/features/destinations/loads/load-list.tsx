import type { Destination, WarehouseLoad } from '@tributary/contract'
import { Database } from 'lucide-react'
import { bytesText } from '../../../lib/format/bytes.ts'
import { paths } from '../../../lib/paths.ts'
import { isOpen } from '../../../lib/queries/warehouse-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { RelativeTime, useCurrentTime } from '../../../ui/relative-time.tsx'
import { everyText, loadDuration, loadStates, loadTitle, movedText, rowsText, starterOf } from './load-words.ts'

const Duration = ({ load }: { load: WarehouseLoad }) => {
  const now = useCurrentTime()
  const text = loadDuration(load, now)
  return text === '' ? <span className="text-ink-3">–</span> : text
}

const Work = ({ load }: { load: WarehouseLoad }) => {
  const { kind, reason, unfit_count, state } = load
  return (
    <span className="block min-w-0 py-1.5">
      <span className="block font-medium wrap-anywhere">{loadTitle(load)}</span>
      {reason !== '' && state !== 'succeeded' ? (
        <span className="line-clamp-2 text-xs wrap-anywhere text-danger-ink" title={reason}>
          {reason}
        </span>
      ) : (
        kind === 'load' && !isOpen(load) && <span className="block text-xs text-ink-2">{rowsText(load)}</span>
      )}
      {unfit_count > 0 && <span className="block text-xs text-warning-ink">{movedText(unfit_count)}</span>}
    </span>
  )
}

const columns: readonly Column<WarehouseLoad>[] = [
  { id: 'work', header: 'Work', cell: (load) => <Work load={load} /> },
  {
    id: 'state',
    header: 'State',
    width: 'sm:w-32',
    cell: ({ state }) => (
      <Badge tone={loadStates[state].tone} dot={state === 'running'}>
        {loadStates[state].label}
      </Badge>
    ),
  },
  {
    id: 'bytes',
    header: 'Size',
    width: 'sm:w-28',
    align: 'right',
    wide: 'lg',
    cell: ({ kind, bytes }) => (kind === 'load' ? bytesText(bytes) : <span className="text-ink-3">–</span>),
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 'sm:w-28',
    align: 'right',
    wide: true,
    cell: (load) => <Duration load={load} />,
  },
  {
    id: 'starter',
    header: 'Started by',
    width: 'sm:w-36',
    wide: 'lg',
    cell: (load) => (
      <span className="block truncate text-ink-2" title={starterOf(load)}>
        {starterOf(load)}
      </span>
    ),
  },
  {
    id: 'time',
    header: 'Time',
    width: 'sm:w-32',
    align: 'right',
    className: 'whitespace-nowrap',
    cell: ({ create_time }) => <RelativeTime time={create_time} className="text-ink-2" />,
  },
]

const idOf = ({ name }: WarehouseLoad): string => name

/** What to do so that a warehouse without loads gets its first one. */
export const NoLoads = ({ destination, everyMinutes }: { destination: Destination; everyMinutes: number }) => (
  <EmptyState
    icon={<Database />}
    title="No loads yet"
    action={
      <ButtonLink to={paths.destination(destination.name, destination.enabled ? 'connections' : 'settings')} replace>
        {destination.enabled ? 'See connections' : 'See settings'}
      </ButtonLink>
    }
  >
    {destination.enabled
      ? `Connect a source and send an event. Loads run ${everyText(everyMinutes)} while events are staged, and each one is listed here.`
      : 'Resume this destination. Then its events are staged and loaded, and each load is listed here.'}
  </EmptyState>
)

/** The loads of a warehouse and the changes of its columns, newest first. A click on one opens it. */
export const LoadList = ({
  loads,
  onOpen,
}: {
  loads: readonly WarehouseLoad[]
  onOpen: (load: WarehouseLoad) => void
}) => <DataTable label="Loads" columns={columns} rows={loads} rowId={idOf} onRow={onOpen} />
