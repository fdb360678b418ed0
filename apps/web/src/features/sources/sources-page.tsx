import { useQuery } from '@tanstack/react-query'
import type { Source } from '@tributary/contract'
import { Plus, Radio } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { sourcesQuery } from '../../lib/workspace-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SearchInput } from '../../ui/input.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DeletedKeys } from './deleted-keys.tsx'
import { isCreating } from './mutations.ts'
import { sourceTypeName } from './source-types.ts'
import { UnknownKeys } from './unknown-keys.tsx'

const StateBadge = ({ source }: { source: Source }) => {
  if (isCreating(source))
    return (
      <Badge>
        <Spinner size="xs" /> Creating
      </Badge>
    )
  if (!source.enabled) return <Badge tone="outline">Disabled</Badge>
  return source.has_received ? (
    <Badge tone="success" dot>
      Receiving
    </Badge>
  ) : (
    <Badge tone="warning" dot>
      Waiting for data
    </Badge>
  )
}

const Title = ({ source }: { source: Source }) => (
  <span className="flex min-w-0 items-center gap-3">
    <AppIcon icon={source.app.extra.app_icon} />
    {isCreating(source) ? (
      <span className="truncate font-medium">{source.title}</span>
    ) : (
      <Link to={paths.source(source.name)} className="truncate rounded-sm font-medium hover:underline">
        {source.title}
      </Link>
    )}
  </span>
)

const columns: readonly Column<Source>[] = [
  {
    id: 'title',
    header: 'Source',
    value: (source) => source.title,
    cell: (source) => <Title source={source} />,
    className: 'max-w-64 sm:max-w-80',
  },
  {
    id: 'app',
    header: 'Type',
    value: (source) => source.app.display_name,
    cell: (source) => (
      <span className="text-ink-2">
        {source.app.display_name}
        {sourceTypeName(source.app.type) !== '' && (
          <span className="text-ink-3"> · {sourceTypeName(source.app.type)}</span>
        )}
      </span>
    ),
    wide: true,
  },
  {
    id: 'state',
    header: 'Status',
    value: (source) => `${source.enabled ? 0 : 1}${source.has_received ? 0 : 1}`,
    cell: (source) => <StateBadge source={source} />,
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
    wide: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'created',
    header: 'Created',
    value: (source) => source.create_time,
    cell: (source) => <RelativeTime time={source.create_time} className="text-ink-2" />,
    align: 'right',
    wide: true,
    className: 'whitespace-nowrap',
  },
]

const List = ({ sources, addTo }: { sources: Source[]; addTo: string | undefined }) => {
  const [search, setSearch] = useState('')
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === ''
      ? sources
      : sources.filter((source) => `${source.title} ${source.app.display_name}`.toLowerCase().includes(wanted))
  }, [sources, search])
  if (sources.length === 0)
    return (
      <EmptyState
        icon={<Radio />}
        title="Add your first source"
        action={
          addTo !== undefined && (
            <ButtonLink to={addTo} variant="primary">
              <Plus aria-hidden />
              Add source
            </ButtonLink>
          )
        }
      >
        A source is a website, an app or a server that sends events. Choose what yours is made of, copy the snippet, and
        watch the first event arrive.
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      <SearchInput label="Search sources" value={search} onChange={(event) => setSearch(event.target.value)} />
      <DataTable label="Sources" columns={columns} rows={rows} rowId={(source) => source.name} />
    </div>
  )
}

/** All sources of the workspace. */
export const SourcesPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(sourcesQuery(workspace.name))
  const mayEdit = useMayEdit()
  const addTo = mayEdit === true ? paths.catalogSources(workspace.name) : undefined
  return (
    <>
      <PageHeader
        title="Sources"
        documentTitle="Sources"
        description="Where your events come from."
        action={
          addTo !== undefined &&
          (query.data?.length ?? 0) > 0 && (
            <ButtonLink to={addTo} variant="primary">
              <Plus aria-hidden />
              Add source
            </ButtonLink>
          )
        }
      />
      <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the sources">
        {(sources) => <List sources={sources} addTo={addTo} />}
      </QueryView>
      <DeletedKeys workspace={workspace.name} />
      <UnknownKeys />
    </>
  )
}
