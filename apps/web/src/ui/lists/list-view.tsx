import type { RowData } from '@tanstack/react-table'
import { type ReactNode, useMemo, useState } from 'react'
import { useAddress } from '../../lib/browser/use-address.ts'
import { type BulkAction, BulkBar } from './bulk-bar.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { ListBar, type ListFilter } from './list-bar.tsx'

const nothingChosen: ReadonlySet<string> = new Set()

/** Returns a filter by the type of a row. Its options are the existing types. */
export const typeFilter = (kinds: Iterable<string>): ListFilter<'type'> => ({
  name: 'type',
  label: 'Type',
  any: 'All types',
  options: [...new Set(kinds)].toSorted().map((kind) => ({ value: kind, title: kind })),
})

/** Returns a filter by the state of a row. Its options are all possible states, each with its title. */
export const stateFilter = <State extends string>(
  states: readonly State[],
  titles: Readonly<Record<State, string>>,
): ListFilter<'state'> => ({
  name: 'state',
  label: 'Status',
  any: 'Any status',
  options: states.map((state) => ({ value: state, title: titles[state] })),
})

type ListBulk<Row> = {
  actions: readonly BulkAction<Row>[]
  refresh: () => void
  selectable?: (row: Row) => boolean
  /** Called with whether any row is selected, for data that the actions need. */
  onChosen?: (some: boolean) => void
}

type ListViewProps<Row extends RowData, Name extends string> = {
  /** The name of the table, such as "Sources". */
  label: string
  /** The kind of a row, such as "source". */
  noun: string
  /** The number of rows without filters. */
  total: number
  filters: readonly ListFilter<Name>[]
  /** Returns the rows that match the search text and the filters; '' is no filter. */
  narrow: (values: Record<Name | 'search', string>) => readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  titleOf: (row: Row) => string
  /** The actions on selected rows. Without them, rows cannot be selected. */
  bulk?: ListBulk<Row> | undefined
  /** The initial order. */
  sorted?: { id: string; desc: boolean } | undefined
  /** The text of the table when no row matches. */
  empty?: ReactNode
  /** The number of rows from which on search and filters are shown. */
  barFrom?: number
  /** Further controls after the filters. */
  controls?: ReactNode
  /** Shown between the filters and the table, such as an error. */
  notice?: ReactNode
  /** Shown below the table, such as a definition of its figures. */
  note?: ReactNode
}

/**
 * A list with search, filters, sorting and actions. Search and filters are in the URL of the page, so that it can be
 * shared and Back restores it. The number of matching rows is announced. The props `filters`, `narrow`, `columns`,
 * `idOf` and `titleOf` must be stable between renders.
 */
export const ListView = <Row extends RowData, Name extends string = never>({
  label,
  noun,
  total,
  filters,
  narrow,
  columns,
  idOf,
  titleOf,
  bulk,
  sorted,
  empty,
  barFrom = 0,
  controls,
  notice,
  note,
}: ListViewProps<Row, Name>) => {
  const names = useMemo(() => ['search' as const, ...filters.map(({ name }) => name)], [filters])
  const [values, change] = useAddress<Name | 'search'>(names)
  const [selected, setSelected] = useState(nothingChosen)
  const choose = (chosen: ReadonlySet<string>): void => {
    setSelected(chosen)
    bulk?.onChosen?.(chosen.size > 0)
  }
  const rows = useMemo(() => narrow(values), [narrow, values])
  return (
    <div className="space-y-4">
      {total >= barFrom && (
        <ListBar
          label={`Search ${label.toLowerCase()}`}
          noun={noun}
          values={values}
          // The bar changes only the filters that it received as `values`.
          onChange={(some) => change(some as Partial<typeof values>)}
          shown={rows.length}
          total={total}
          filters={filters}
        >
          {controls}
        </ListBar>
      )}
      {notice}
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowId={idOf}
        sorted={sorted}
        {...(empty === undefined ? {} : { empty })}
        selection={
          bulk && {
            selected,
            onChange: choose,
            titleOf,
            ...(bulk.selectable === undefined ? {} : { selectable: bulk.selectable }),
          }
        }
      />
      {note}
      {bulk !== undefined && (
        <BulkBar
          noun={noun}
          // Only listed rows: a user must not delete rows that a filter hides.
          rows={rows.filter((row) => selected.has(idOf(row)))}
          actions={bulk.actions}
          idOf={idOf}
          titleOf={titleOf}
          onSelect={choose}
          onSettled={bulk.refresh}
        />
      )}
    </div>
  )
}
