import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type KnownColumn, methods, type DataTable as Table } from '@tributary/contract'
import { Table2 } from 'lucide-react'
import { useState } from 'react'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { dataSourceIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { tableQuery } from '../../lib/queries/data-source-queries.ts'
import { pagesQuery } from '../../lib/queries/query.ts'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'
import { SearchInput } from '../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { DatabaseError } from './database-error.tsx'

/**
 * Reads the tables of a data source by pages of 100. With a search text, reads only tables whose `schema.name` contains
 * it. Each read queries the database.
 */
const tablesQuery = (dataSource: string, search: string) =>
  pagesQuery(methods.dataSources.listTables, { params: dataSourceIds(dataSource), query: { page_size: 100, search } })

/** The names of a table, and its title. */
export type TableName = Pick<Table, 'schema' | 'name' | 'title'>

/** The title of a table. */
export const tableTitle = ({ schema, name, title }: TableName): string => title ?? `${schema}.${name}`

const isSame = (one: TableName, other: TableName | undefined): boolean =>
  one.schema === other?.schema && one.name === other.name

const TableList = ({
  dataSource,
  search,
  chosen,
  onChoose,
}: {
  dataSource: string
  search: string
  chosen: TableName | undefined
  onChoose: (table: TableName) => void
}) => {
  // The previous result stays until the next one arrives, because the user may be about to click on a table.
  const query = useInfiniteQuery({ ...tablesQuery(dataSource, search), placeholderData: keepPreviousData })
  if (query.data === undefined && query.isError)
    return (
      <DatabaseError
        dataSource={dataSource}
        error={query.error}
        onRetry={() => void query.refetch()}
        title="Failed to load the tables"
      />
    )
  if (query.data === undefined) return <TableSkeleton rows={6} columns={2} />
  const tables = query.data.pages.flatMap((page) => page.tables)
  if (tables.length === 0)
    return (
      <EmptyState icon={<Table2 />} title={search === '' ? 'No tables' : 'No table has this name'}>
        {search === ''
          ? 'The user can read no table yet. Grant it SELECT on the tables to read, as the setup guide shows.'
          : 'Search for a part of a schema or table name. Tables that the user can’t read are not listed.'}
      </EmptyState>
    )
  return (
    <div className="space-y-3">
      <ul
        aria-label="Tables"
        className="max-h-96 divide-y divide-line overflow-y-auto scroll-thin rounded-lg border border-line bg-surface"
      >
        {tables.map((table) => (
          <li key={`${table.schema}.${table.name}`}>
            <button
              type="button"
              aria-pressed={isSame(table, chosen)}
              onClick={() => onChoose({ schema: table.schema, name: table.name, title: table.title })}
              className={cn(
                'flex min-h-10 w-full items-center gap-3 px-3 py-1.5 text-left text-sm hover:bg-hover',
                isSame(table, chosen) && 'bg-hover font-medium',
              )}
            >
              <span className="min-w-0 flex-1 truncate" title={tableTitle(table)}>
                {table.title === undefined && <span className="text-ink-3">{table.schema}.</span>}
                {table.title ?? table.name}
              </span>
              {table.kind === 'view' && <Badge>View</Badge>}
              {table.rows !== null && (
                <span className="shrink-0 text-xs text-ink-3 tabular">
                  ~{count(table.rows)} {pluralise(table.rows, 'row')}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <LoadMore query={query} />
    </div>
  )
}

const columns: readonly Column<KnownColumn>[] = [
  {
    id: 'name',
    header: 'Column',
    value: ({ name }) => name.toLowerCase(),
    cell: ({ name, in_key }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-mono text-xs" title={name}>
          {name}
        </span>
        {in_key && <Badge tone="outline">Primary key</Badge>}
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    value: ({ type }) => type,
    cell: ({ type }) => <span className="block truncate text-xs text-ink-2">{type}</span>,
    width: 'sm:w-44',
  },
  {
    id: 'nullable',
    header: 'Nulls',
    value: ({ nullable }) => Number(nullable),
    cell: ({ nullable }) => <span className="text-xs text-ink-2">{nullable ? 'Allowed' : 'None'}</span>,
    width: 'sm:w-24',
    wide: true,
  },
]

const idOf = ({ name }: KnownColumn): string => name

/** The columns of a table. */
export const TableColumns = ({ dataSource, table }: { dataSource: string; table: TableName }) => {
  const query = useQuery(tableQuery(dataSource, table))
  if (query.data !== undefined)
    return <DataTable label={`Columns of ${tableTitle(table)}`} columns={columns} rows={query.data} rowId={idOf} />
  if (!query.isError) return <TableSkeleton rows={6} columns={2} />
  return (
    <DatabaseError
      dataSource={dataSource}
      error={query.error}
      onRetry={() => void query.refetch()}
      title="Failed to load the columns"
    />
  )
}

/** Lists the tables of a data source. The database searches them; the user can choose one. */
export const TableBrowser = ({
  dataSource,
  chosen,
  onChoose,
}: {
  /** A resource name. */
  dataSource: string
  chosen: TableName | undefined
  onChoose: (table: TableName) => void
}) => {
  const [search, setSearch] = useState('')
  const typed = useTyped(search, setSearch)
  return (
    <div className="space-y-3">
      <SearchInput
        label="Search tables"
        maxLength={200}
        {...typed}
        // Enter must not submit the form around the search box.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      <TableList dataSource={dataSource} search={search} chosen={chosen} onChoose={onChoose} />
    </div>
  )
}
