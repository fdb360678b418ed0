import { useQuery } from '@tanstack/react-query'
import type { Source, Violation } from '@tributary/contract'
import { ShieldCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { propertyPath } from '../../../lib/events/property-path.ts'
import { count } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { violationsQuery } from '../../../lib/queries/schema-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { SearchInput } from '../../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { AddLink, canBeAdded, FixedLink, ViolationDialog } from './violation-dialog.tsx'
import { problemTitle, violationEvent } from './violation-words.ts'
import { BlockedEvents } from './violations-blocked.tsx'

const countColumn = (
  id: 'last_24_hours' | 'last_7_days' | 'last_30_days',
  header: string,
  wide = false,
): Column<Violation> => ({
  id,
  header,
  value: (row) => row[id],
  cell: (row) => count(row[id]),
  align: 'right',
  wide,
  className: 'whitespace-nowrap',
})

const State = ({ row: { problem, fixed_in_version: fixed }, source }: { row: Violation; source: string }) =>
  fixed === null ? (
    <Badge tone={problem === 'new_event' ? 'accent' : 'warning'}>{problemTitle(problem)}</Badge>
  ) : (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs whitespace-nowrap">
      <FixedLink source={source} version={fixed} />
      <span className="text-ink-3">{problemTitle(problem)}</span>
    </span>
  )

const columnsOf = (source: string, mayEdit: boolean): readonly Column<Violation>[] => [
  {
    id: 'event',
    header: 'Event and property',
    value: (row) => `${violationEvent(row)} ${propertyPath(row.property)}`,
    cell: (row) => (
      <span className="block py-2">
        <span className="block font-medium break-words">{violationEvent(row)}</span>
        {row.property !== '' && (
          <code className="block font-mono text-xs break-words text-ink-2">{propertyPath(row.property)}</code>
        )}
        <span className="mt-0.5 block text-xs text-ink-3 sm:hidden">
          {row.fixed_in_version !== null && (
            <>
              <FixedLink source={source} version={row.fixed_in_version} />,{' '}
            </>
          )}
          {problemTitle(row.problem)}, last seen <RelativeTime time={row.last_seen_time} />
        </span>
      </span>
    ),
  },
  {
    id: 'problem',
    header: 'Problem',
    value: (row) => problemTitle(row.problem),
    cell: (row) => <State row={row} source={source} />,
    wide: true,
  },
  countColumn('last_24_hours', '24 h'),
  countColumn('last_7_days', '7 d'),
  countColumn('last_30_days', '30 d', true),
  {
    id: 'last',
    header: 'Last seen',
    value: (row) => row.last_seen_time,
    cell: (row) => <RelativeTime time={row.last_seen_time} className="text-ink-2" />,
    align: 'right',
    wide: 'lg',
    className: 'whitespace-nowrap',
  },
  ...(mayEdit
    ? [
        {
          id: 'add',
          header: 'Actions',
          cell: (row: Violation) => canBeAdded(row) && <AddLink source={source} violation={row} size="sm" />,
          align: 'right' as const,
          wide: 'lg' as const,
          className: 'whitespace-nowrap',
        },
      ]
    : []),
]

const rowId = ({ type, event, property, problem }: Violation): string =>
  JSON.stringify([type, event, property, problem])

const Violations = ({ source, rows, mayEdit }: { source: Source; rows: readonly Violation[]; mayEdit: boolean }) => {
  const [search, setSearch] = useState('')
  const columns = useMemo(() => columnsOf(source.name, mayEdit), [source.name, mayEdit])
  const [shown, setShown] = useState<Violation | undefined>()
  const wanted = search.trim().toLowerCase()
  const found = useMemo(
    () =>
      wanted === ''
        ? rows
        : rows.filter((row) =>
            `${violationEvent(row)} ${propertyPath(row.property)} ${problemTitle(row.problem)}`
              .toLowerCase()
              .includes(wanted),
          ),
    [rows, wanted],
  )
  return (
    <>
      <SearchInput
        label="Search events and properties"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        className="sm:w-72"
      />
      <DataTable label="Violations" columns={columns} rows={found} rowId={rowId} onRow={setShown} />
      {shown !== undefined && (
        <ViolationDialog
          violation={shown}
          source={source.name}
          mayEdit={mayEdit}
          onClosed={() => setShown(undefined)}
        />
      )}
    </>
  )
}

/** The violations of a source's schema in the last 30 days, and the blocked events. */
export const ViolationsTab = ({ source }: { source: Source }) => {
  const mayEdit = useMayEdit() === true
  const query = useQuery(violationsQuery(source.name))
  return (
    <QueryView
      query={query}
      skeleton={<TableSkeleton rows={5} columns={5} />}
      errorTitle="Failed to load the violations"
    >
      {({ rows, blocked }) => (
        <div className="space-y-4">
          <BlockedEvents source={source} blocked={blocked} mayEdit={mayEdit} />
          {rows.length === 0 ? (
            <EmptyState
              icon={<ShieldCheck />}
              title="No violations"
              className="py-10"
              action={<ButtonLink to={paths.source(source.name, 'schema')}>Open schema</ButtonLink>}
            >
              Every event in the last 30 days matched the schema. Unknown events, missing or unknown properties, and
              values of the wrong type appear here.
            </EmptyState>
          ) : (
            <Violations source={source} rows={rows} mayEdit={mayEdit} />
          )}
        </div>
      )}
    </QueryView>
  )
}
