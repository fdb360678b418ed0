import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { cn } from './cn.ts'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
})
type Features = typeof features

export type Column<Row extends RowData> = {
  id: string
  header: string
  /** What sorting compares; without it the column does not sort. */
  value?: (row: Row) => string | number
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Left out below 640 px. */
  wide?: boolean
  className?: string
}

const toDefinition = <Row extends RowData>(column: Column<Row>): ColumnDef<Features, Row> => ({
  id: column.id,
  header: column.header,
  enableSorting: column.value !== undefined,
  accessorFn: (row) => column.value?.(row) ?? '',
  cell: ({ row }) => column.cell(row.original),
})

const cellClass = <Row extends RowData>(column: Column<Row> | undefined): string =>
  cn(
    'px-4',
    column?.align === 'right' && 'text-right tabular',
    column?.wide === true && 'max-sm:hidden',
    column?.className,
  )

/**
 * A table whose columns sort by a click on their head. `columns` and `rows` must be stable between renders. With
 * `onRow` a row is a button: click, Enter or Space.
 */
export const DataTable = <Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  onRow,
  empty = 'No Entries Found',
}: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  onRow?: (row: Row) => void
  empty?: ReactNode
}) => {
  const definitions = useMemo(() => columns.map(toDefinition), [columns])
  const table = useTable({
    features,
    data: rows,
    columns: definitions,
    getRowId: rowId,
    sortDescFirst: false,
  })
  const byId = new Map(columns.map((column) => [column.id, column]))
  return (
    <div className="overflow-x-auto scroll-thin rounded-lg border border-line bg-surface shadow-card">
      <table aria-label={label} className="w-full border-collapse text-sm">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-b border-line bg-canvas">
              {group.headers.map((header) => {
                const column = byId.get(header.column.id)
                const sorted = header.column.getIsSorted()
                const Icon = sorted === 'desc' ? ChevronDown : ChevronUp
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
                    className={cn('h-9 text-left text-xs font-medium whitespace-nowrap text-ink-3', cellClass(column))}
                  >
                    {header.column.getCanSort() ? (
                      <button
                        type="button"
                        onClick={() => header.column.toggleSorting(sorted === 'asc')}
                        className={cn(
                          'group inline-flex items-center gap-1 rounded-sm hover:text-ink',
                          column?.align === 'right' && 'flex-row-reverse',
                        )}
                      >
                        {column?.header}
                        <Icon
                          aria-hidden
                          className={cn('size-3.5', sorted === false && 'opacity-0 group-hover:opacity-60')}
                        />
                      </button>
                    ) : (
                      column?.header
                    )}
                  </th>
                )
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {rows.length === 0 && (
            <tr>
              <td colSpan={columns.length} className="h-24 px-4 text-center text-ink-3">
                {empty}
              </td>
            </tr>
          )}
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              className={cn(
                'border-b border-line last:border-0',
                onRow !== undefined && 'cursor-pointer hover:bg-hover focus-visible:-outline-offset-2',
              )}
              {...(onRow === undefined
                ? {}
                : {
                    tabIndex: 0,
                    onClick: () => onRow(row.original),
                    onKeyDown: (event) => {
                      if (event.target !== event.currentTarget || (event.key !== 'Enter' && event.key !== ' ')) return
                      event.preventDefault()
                      onRow(row.original)
                    },
                  })}
            >
              {columns.map((column) => (
                <td key={column.id} className={cn('h-11', cellClass(column))}>
                  {column.cell(row.original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
