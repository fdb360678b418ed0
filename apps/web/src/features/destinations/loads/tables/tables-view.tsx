import { useQuery } from '@tanstack/react-query'
import type { Destination, WarehouseTableResource } from '@tributary/contract'
import { Table2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ErrorScreen } from '../../../../components/error-screen.tsx'
import { useTyped } from '../../../../lib/browser/use-typed.ts'
import { count, pluralise } from '../../../../lib/format/text.ts'
import { paths } from '../../../../lib/paths.ts'
import { warehouseTablesQuery } from '../../../../lib/queries/warehouse-queries.ts'
import { ButtonLink } from '../../../../ui/button.tsx'
import { cn } from '../../../../ui/cn.ts'
import { SearchInput } from '../../../../ui/forms/input.tsx'
import { EmptyState } from '../../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../../ui/page/skeleton.tsx'
import { ColumnList } from './column-list.tsx'
import { foundTables } from './found-tables.ts'

const TableList = ({
  tables,
  chosen,
  onChoose,
}: {
  tables: readonly WarehouseTableResource[]
  chosen: WarehouseTableResource | undefined
  onChoose: (table: string) => void
}) => (
  <ul
    aria-label="Tables"
    className="max-h-[28rem] divide-y divide-line overflow-y-auto scroll-thin rounded-lg border border-line bg-surface shadow-card max-lg:max-h-52"
  >
    {tables.map((each) => (
      <li key={each.table}>
        <button
          type="button"
          aria-pressed={each === chosen}
          onClick={() => onChoose(each.table)}
          className={cn(
            'flex min-h-9 w-full items-center gap-3 px-3 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2',
            each === chosen && 'bg-hover font-medium',
          )}
        >
          <span className="min-w-0 flex-1 truncate font-mono text-xs" title={each.table}>
            {each.table}
          </span>
          <span className="shrink-0 text-xs text-ink-3 tabular">
            {count(each.columns.length)} {pluralise(each.columns.length, 'column')}
          </span>
        </button>
      </li>
    ))}
  </ul>
)

const SendAgain = ({ destination }: { destination: Destination }) => (
  <p className="text-sm text-ink-2">
    Events are missing?{' '}
    <Link
      to={paths.newReplay(destination.name, { kind: 'history' })}
      className="rounded-sm text-accent-ink underline underline-offset-3"
    >
      Send stored events again
    </Link>
    : rows that exist are kept.
  </p>
)

type ViewProps = {
  destination: Destination
  /** The name of the chosen table; '' for the first. */
  chosen: string
  onChoose: (table: string) => void
  /** Called when a change of a column has been started. */
  onChanging: () => void
}

const Found = ({
  destination,
  chosen,
  onChoose,
  onChanging,
  tables,
  types,
}: ViewProps & { tables: readonly WarehouseTableResource[]; types: readonly string[] }) => {
  const [search, setSearch] = useState('')
  const typed = useTyped(search, setSearch)
  const found = foundTables(tables, search)
  const table = found.find((each) => each.table === chosen) ?? found[0]
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SearchInput label="Search tables and columns" maxLength={200} {...typed} />
        <SendAgain destination={destination} />
      </div>
      {table === undefined ? (
        <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">No tables match.</p>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,18rem)_minmax(0,1fr)]">
          <TableList tables={found} chosen={table} onChoose={onChoose} />
          <ColumnList
            key={table.table}
            destination={destination.name}
            table={table}
            types={types}
            onChanging={onChanging}
          />
        </div>
      )}
    </div>
  )
}

/** The tables of a warehouse with their columns, as the warehouse lists them now, and the changes of a column. */
export const TablesView = (props: ViewProps) => {
  const { destination } = props
  const query = useQuery(warehouseTablesQuery(destination.name))
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen
        error={query.error}
        onRetry={() => void query.refetch()}
        title="Failed to load the tables"
        onUnreachable={
          <ButtonLink to={paths.destination(destination.name, 'settings')} replace>
            Connection settings
          </ButtonLink>
        }
      />
    )
  if (query.data === undefined) return <TableSkeleton rows={6} columns={2} />
  if (query.data.tables.length === 0)
    return (
      <EmptyState icon={<Table2 />} title="No tables yet">
        The first load creates the tables. Each event gets its own, with a column for each property.
      </EmptyState>
    )
  return <Found {...props} tables={query.data.tables} types={query.data.types} />
}
