import { useQuery } from '@tanstack/react-query'
import type { Source } from '@tributary/contract'
import { Plus, Radio } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { sourcesQuery } from '../../lib/workspace-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListBar } from '../../ui/list-bar.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DeletedKeys } from './deleted-keys.tsx'
import { isCreating } from './mutations.ts'
import { sourceRows, sourceState, sourceStates, stateTitles } from './source-rows.ts'
import { sourceTypeName } from './source-types.ts'
import { UnknownKeys } from './unknown-keys.tsx'
import { useSourceActions } from './use-source-actions.ts'

const toneOf = {
  waiting: { tone: 'warning', dot: true },
  receiving: { tone: 'success', dot: true },
  disabled: { tone: 'outline', dot: false },
} as const

const StateBadge = ({ source }: { source: Source }) => {
  if (isCreating(source))
    return (
      <Badge>
        <Spinner size="xs" /> Creating
      </Badge>
    )
  const state = sourceState(source)
  return <Badge {...toneOf[state]}>{stateTitles[state]}</Badge>
}

const Title = ({ source }: { source: Source }) => (
  <span className="flex min-w-0 items-center gap-3">
    <AppIcon icon={source.app.extra.app_icon} />
    {isCreating(source) ? (
      <span className="truncate font-medium">{source.title}</span>
    ) : (
      <Link
        to={paths.source(source.name)}
        className="truncate rounded-sm font-medium hover:underline"
        title={source.title}
      >
        {source.title}
      </Link>
    )}
  </span>
)

const columns: readonly Column<Source>[] = [
  {
    id: 'title',
    header: 'Source',
    value: (source) => source.title.toLowerCase(),
    cell: (source) => <Title source={source} />,
    className: 'max-w-64 sm:max-w-80',
  },
  {
    id: 'app',
    header: 'Type',
    value: (source) => source.app.display_name,
    cell: (source) => (
      <span className="block truncate text-ink-2">
        {source.app.display_name}
        {sourceTypeName(source.app.type) !== '' && (
          <span className="text-ink-3"> · {sourceTypeName(source.app.type)}</span>
        )}
      </span>
    ),
    wide: 'lg',
    width: 'sm:w-44',
  },
  {
    id: 'state',
    header: 'Status',
    value: (source) => sourceStates.indexOf(sourceState(source)),
    cell: (source) => <StateBadge source={source} />,
    width: 'sm:w-40',
  },
  {
    id: 'last',
    header: 'Last event',
    value: (source) => source.last_event_time ?? '',
    cell: (source) =>
      source.last_event_time === null ? (
        <span className="text-ink-3">Never</span>
      ) : (
        <RelativeTime time={source.last_event_time} className="text-ink-2" />
      ),
    align: 'right',
    wide: 'lg',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
  {
    id: 'created',
    header: 'Created',
    value: (source) => source.create_time,
    cell: (source) => <RelativeTime time={source.create_time} className="text-ink-2" />,
    align: 'right',
    wide: 'lg',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const filterNames = ['search', 'type', 'state'] as const
const nothingChosen: ReadonlySet<string> = new Set()
const titleOf = (source: Source): string => source.title
const idOf = (source: Source): string => source.name
const isThere = (source: Source): boolean => !isCreating(source)

const List = ({ sources, mayEdit }: { sources: Source[]; mayEdit: boolean }) => {
  const workspace = useWorkspace()
  const [filters, change] = useAddress(filterNames)
  const [selected, setSelected] = useState(nothingChosen)
  const { actions, refresh } = useSourceActions(workspace.name, selected.size > 0)
  const rows = useMemo(() => sourceRows(sources, filters), [sources, filters])
  const types = useMemo(() => [...new Set(sources.map(({ app }) => app.display_name))].toSorted(), [sources])
  return (
    <div className="space-y-4">
      <ListBar
        label="Search sources"
        noun="source"
        values={filters}
        onChange={change}
        shown={rows.length}
        total={sources.length}
        filters={[
          {
            name: 'type',
            label: 'Type',
            any: 'All types',
            options: types.map((type) => ({ value: type, title: type })),
          },
          {
            name: 'state',
            label: 'Status',
            any: 'Any status',
            options: sourceStates.map((state) => ({ value: state, title: stateTitles[state] })),
          },
        ]}
      />
      <DataTable
        label="Sources"
        columns={columns}
        rows={rows}
        rowId={idOf}
        selection={mayEdit ? { selected, onChange: setSelected, titleOf, selectable: isThere } : undefined}
      />
      <BulkBar
        noun="source"
        // Only what is listed: nobody should delete what a filter hides.
        rows={rows.filter(({ name }) => selected.has(name))}
        actions={actions}
        idOf={idOf}
        titleOf={titleOf}
        onSelect={setSelected}
        onSettled={refresh}
      />
    </div>
  )
}

/** All sources of the workspace. */
export const SourcesPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(sourcesQuery(workspace.name))
  const mayEdit = useMayEdit() === true
  const add = mayEdit && (
    <ButtonLink to={paths.catalogSources(workspace.name)} variant="primary">
      <Plus aria-hidden />
      Add source
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Sources"
        documentTitle="Sources"
        description="Where your events come from."
        action={(query.data?.length ?? 0) > 0 && add}
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the sources">
        {(sources) =>
          sources.length === 0 ? (
            <EmptyState icon={<Radio />} title="Add your first source" action={add}>
              A source is a website, an app or a server that sends events. Choose what yours is made of, copy the
              snippet, and watch the first event arrive.
            </EmptyState>
          ) : (
            <List sources={sources} mayEdit={mayEdit} />
          )
        }
      </QueryView>
      <DeletedKeys workspace={workspace.name} />
      <UnknownKeys />
    </>
  )
}
