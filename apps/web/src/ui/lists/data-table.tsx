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
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type HTMLAttributes, type MouseEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import { rowKeys } from './row-keys.ts'
import { afterSwitch, type RowSelection, SelectAllHead, SelectCell } from './row-selection.tsx'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
})
type Features = typeof features

export type Column<Row extends RowData> = {
  id: string
  header: string
  /** The value by which the column sorts. Without it, the column cannot be sorted. */
  value?: (row: Row) => string | number
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** With true, the column is hidden below 640 px; with `lg`, below 1024 px. */
  wide?: boolean | 'lg'
  /**
   * The width of the column from 640 px on, as a class. If columns have a width, the first column gets the remaining
   * space. Rows that come into view then change no width, and the headers stay in view.
   */
  width?: string
  className?: string
}

const toDefinition = <Row extends RowData>(column: Column<Row>): ColumnDef<Features, Row> => ({
  id: column.id,
  header: column.header,
  enableSorting: column.value !== undefined,
  accessorFn: (row) => column.value?.(row) ?? '',
  cell: ({ row }) => column.cell(row.original),
})

/**
 * On a narrow page, the first column gets the space that the other columns leave. Its content is cut or wraps, so that
 * the table does not scroll sideways.
 */
const firstClass = 'max-sm:w-full max-sm:max-w-0'

const cellClass = <Row extends RowData>(column: Column<Row> | undefined, first: boolean): string =>
  cn(
    'px-4 max-sm:px-3',
    column?.align === 'right' && 'text-right tabular',
    column?.wide === true && 'max-sm:hidden',
    column?.wide === 'lg' && 'max-lg:hidden',
    column?.className,
    first && firstClass,
  )

/** Number of rows above which only the rows near the visible part are rendered. */
const windowFrom = 200
const rowHeight = 45

/** Returns the range of the `count` rows to render, and the space in px for the rows before and after it. */
const useWindow = (count: number) => {
  const [top, setTop] = useState(0)
  const measure = useCallback((table: HTMLTableElement | null): void => {
    if (table !== null) setTop(table.getBoundingClientRect().top + window.scrollY)
  }, [])
  const enabled = count > windowFrom
  // oxlint-disable-next-line react/incompatible-library -- no compiler memoizes this application's components
  const virtual = useWindowVirtualizer({
    count,
    enabled,
    estimateSize: () => rowHeight,
    overscan: 15,
    scrollMargin: top,
  })
  if (!enabled)
    return { measure, indexes: Array.from({ length: count }, (_, index) => index), before: 0, after: 0, all: undefined }
  const items = virtual.getVirtualItems()
  return {
    measure,
    row: virtual.measureElement,
    indexes: items.map(({ index }) => index),
    before: (items[0]?.start ?? top) - top,
    after: virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top),
    all: { count, show: (index: number) => virtual.scrollToIndex(index) },
  }
}

/**
 * Returns the classes of a header. Headers stay in view, below the bar of a narrow screen. The border of a collapsed
 * table would not move with them.
 */
const headClass = (sticky: boolean): string =>
  cn('h-9 bg-canvas shadow-[inset_0_-1px_0_var(--color-line)]', sticky && 'sticky top-(--banner) z-10 max-md:top-12')

const Head = <Row extends RowData>({
  column,
  first,
  sticky,
  sorted,
  onSort,
}: {
  column: Column<Row> | undefined
  first: boolean
  sticky: boolean
  sorted: false | 'asc' | 'desc'
  onSort: (() => void) | undefined
}) => {
  const Icon = sorted === 'desc' ? ChevronDown : ChevronUp
  return (
    <th
      scope="col"
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
      className={cn(
        headClass(sticky),
        'text-left text-xs font-medium whitespace-nowrap text-ink-3',
        cellClass(column, first),
        column?.width,
      )}
    >
      {onSort === undefined ? (
        column?.header
      ) : (
        <button
          type="button"
          onClick={onSort}
          className={cn(
            'group inline-flex items-center gap-1 rounded-sm align-middle hover:text-ink',
            column?.align === 'right' && 'flex-row-reverse',
          )}
        >
          {column?.header}
          <Icon aria-hidden className={cn('size-3.5', sorted === false && 'opacity-0 group-hover:opacity-60')} />
        </button>
      )}
    </th>
  )
}

/** Returns the properties that make a row a button, for click, Enter and Space. */
const asButton = (act: () => void): HTMLAttributes<HTMLTableRowElement> => ({
  tabIndex: 0,
  onClick: act,
  onKeyDown: (event) => {
    if (event.target !== event.currentTarget || (event.key !== 'Enter' && event.key !== ' ')) return
    event.preventDefault()
    act()
  },
})

/**
 * Returns the properties with which a click beside the link of a row opens the link. The link itself handles keys and
 * new tabs.
 */
const asLink = (open: () => void): HTMLAttributes<HTMLTableRowElement> => ({
  onClick: (event: MouseEvent<HTMLTableRowElement>) => {
    const onControl = event.target instanceof Element && event.target.closest('a, button, input') !== null
    if (!onControl && document.getSelection()?.isCollapsed !== false) open()
  },
})

const rowClass = (opens: boolean, selected: boolean): string =>
  cn(
    'border-b border-line last:border-0',
    opens && 'cursor-pointer hover:bg-hover focus-visible:-outline-offset-2',
    selected && 'bg-accent-soft/50',
  )

const Space = ({ height }: { height: number }) => height > 0 && <tr aria-hidden style={{ height }} />

const EmptyRow = ({ columns, children }: { columns: number; children: ReactNode }) => (
  <tr>
    <td colSpan={columns} className="h-24 px-4 text-center text-ink-3">
      {children}
    </td>
  </tr>
)

type DataTableProps<Row extends RowData> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  onRow?: (row: Row) => void
  onRowClick?: (row: Row) => void
  selection?: RowSelection<Row> | undefined
  /** The initial order. A click on a header changes it. */
  sorted?: { id: string; desc: boolean } | undefined
  empty?: ReactNode
}

const none: ReadonlySet<string> = new Set()

const useSortedTable = <Row extends RowData>({
  columns,
  rows,
  rowId,
  sorted,
}: Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowId' | 'sorted'>) => {
  const definitions = useMemo(() => columns.map(toDefinition), [columns])
  return useTable({
    features,
    data: rows,
    columns: definitions,
    getRowId: rowId,
    sortDescFirst: false,
    ...(sorted === undefined ? {} : { initialState: { sorting: [sorted] } }),
  })
}

/** The selected rows, the IDs of those that can be selected, and the switch of one row or, with Shift, of a range. */
const useRowSelection = <Row,>(
  selection: RowSelection<Row> | undefined,
  rows: readonly { id: string; original: Row }[],
) => {
  const lastSwitched = useRef<string>(undefined)
  const { selected, selectable = () => true } = selection ?? { selected: none }
  const ids = selection === undefined ? [] : rows.filter(({ original }) => selectable(original)).map(({ id }) => id)
  return {
    selected,
    selectable,
    ids,
    switchRow: (id: string, shift: boolean): void => {
      selection?.onChange(afterSwitch(selected, ids, id, shift ? lastSwitched.current : undefined))
      lastSwitched.current = id
    },
  }
}

/**
 * A table that sorts by the column whose header is clicked. `columns` and `rows` must be stable between renders. With
 * `onRow`, a row is a button; with `onRowClick`, a click on a row opens its link. The arrow keys, Home and End move
 * between rows. If there are thousands of rows, only those near the visible part are rendered.
 */
export const DataTable = <Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  onRow,
  onRowClick,
  selection,
  sorted,
  empty = 'No Entries Found',
}: DataTableProps<Row>) => {
  const table = useSortedTable({ columns, rows, rowId, sorted })
  const sortedRows = table.getRowModel().rows
  const { measure, row: measureRow, indexes, before, after, all } = useWindow(sortedRows.length)
  const fixed = columns.some(({ width }) => width !== undefined)
  const { selected, selectable, ids, switchRow } = useRowSelection(selection, sortedRows)
  const act = (row: Row): HTMLAttributes<HTMLTableRowElement> =>
    onRow !== undefined ? asButton(() => onRow(row)) : onRowClick !== undefined ? asLink(() => onRowClick(row)) : {}
  return (
    <div
      className={cn(
        'scroll-thin rounded-lg border border-line bg-surface shadow-card',
        // An element that scrolls would hold the headers inside it. A table whose columns have widths never scrolls.
        fixed ? 'overflow-clip' : 'overflow-x-auto',
      )}
    >
      <table
        ref={measure}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={cn('w-full border-collapse text-sm', fixed && 'sm:table-fixed')}
      >
        <thead>
          <tr className="bg-canvas">
            {selection !== undefined && (
              <SelectAllHead ids={ids} selected={selected} className={headClass(fixed)} onChange={selection.onChange} />
            )}
            {table.getFlatHeaders().map(({ id, column }, index) => (
              <Head
                key={id}
                first={index === 0}
                sticky={fixed}
                column={columns.find((each) => each.id === column.id)}
                sorted={column.getIsSorted()}
                onSort={column.getCanSort() ? () => column.toggleSorting(column.getIsSorted() === 'asc') : undefined}
              />
            ))}
          </tr>
        </thead>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among what is interactive in the rows */}
        <tbody onKeyDown={rowKeys(all)}>
          {rows.length === 0 && (
            <EmptyRow columns={columns.length + (selection === undefined ? 0 : 1)}>{empty}</EmptyRow>
          )}
          <Space height={before} />
          {indexes.map((index) => {
            const row = sortedRows[index]
            if (row === undefined) return null
            return (
              <tr
                key={row.id}
                ref={measureRow}
                data-index={index}
                className={rowClass((onRow ?? onRowClick) !== undefined, selected.has(row.id))}
                {...act(row.original)}
              >
                {selection !== undefined && (
                  <SelectCell
                    title={selection.titleOf(row.original)}
                    checked={selected.has(row.id)}
                    disabled={!selectable(row.original)}
                    onSwitch={(shift) => switchRow(row.id, shift)}
                  />
                )}
                {columns.map((column, place) => (
                  <td key={column.id} className={cn('h-11', cellClass(column, place === 0))}>
                    {column.cell(row.original)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Space height={after} />
        </tbody>
      </table>
    </div>
  )
}
