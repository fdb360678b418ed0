import { useQuery } from '@tanstack/react-query'
import type { Source, TargetProduct } from '@tributary/contract'
import { Plus, Radio } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { ListPage, TitleCell } from '../../components/list-page.tsx'
import { paths } from '../../lib/paths.ts'
import { sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import { ListView, stateFilter, typeFilter } from '../../ui/lists/list-view.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { isCreating } from './mutations.ts'
import { DeletedKeys } from './refused/deleted-keys.tsx'
import { UnknownKeys } from './refused/unknown-keys.tsx'
import { sourcePlaces } from './source-places.ts'
import { type SourceFilters, sourceRows, sourceState, sourceStates, stateTitles } from './source-rows.ts'
import { sourceTypeName } from './source-types.ts'
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

const columns: readonly Column<Source>[] = [
  {
    id: 'title',
    header: 'Source',
    value: (source) => source.title.toLowerCase(),
    cell: (source) => (
      <TitleCell
        icon={source.app.extra.app_icon}
        title={source.title}
        to={isCreating(source) ? undefined : paths.source(source.name)}
      />
    ),
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

const byState = stateFilter(sourceStates, stateTitles)
const titleOf = (source: Source): string => source.title
const idOf = (source: Source): string => source.name
const isThere = (source: Source): boolean => !isCreating(source)

const List = ({ sources, mayEdit }: { sources: readonly Source[]; mayEdit: boolean }) => {
  const [some, setSome] = useState(false)
  const bulk = useSourceActions(useWorkspace().name, some)
  const filters = useMemo(() => [typeFilter(sources.map(({ app }) => app.display_name)), byState], [sources])
  const narrow = useCallback((values: SourceFilters) => sourceRows(sources, values), [sources])
  return (
    <ListView
      label="Sources"
      noun="source"
      total={sources.length}
      filters={filters}
      narrow={narrow}
      columns={columns}
      idOf={idOf}
      titleOf={titleOf}
      bulk={mayEdit ? { ...bulk, selectable: isThere, onChosen: setSome } : undefined}
    />
  )
}

const Page = ({
  product,
  title,
  description,
  crumbs,
  empty,
}: {
  product: TargetProduct
  title: string
  description: string
  crumbs?: readonly { label: string; to: string }[]
  empty: { title: string; text: string }
}) => {
  const workspace = useWorkspace()
  const query = useQuery(sourcesQuery(workspace.name, product))
  const mayEdit = useMayEdit() === true
  const add = mayEdit && (
    <ButtonLink to={sourcePlaces(workspace.name, product).catalog} variant="primary">
      <Plus aria-hidden />
      Add source
    </ButtonLink>
  )
  return (
    <ListPage
      title={title}
      description={description}
      query={query}
      errorTitle="Failed to load the sources"
      {...(crumbs === undefined ? {} : { crumbs })}
      action={add}
      empty={{ icon: <Radio />, ...empty }}
    >
      {(sources) => <List sources={sources} mayEdit={mayEdit} />}
    </ListPage>
  )
}

/** The sources of the workspace, except those for signals. */
export const SourcesPage = () => (
  <>
    <Page
      product="CDP"
      title="Sources"
      description="Where your events come from."
      empty={{
        title: 'Add your first source',
        text: 'A source is a website, app, or server that sends events. Choose its platform, copy the snippet, and watch the first event arrive.',
      }}
    />
    <DeletedKeys workspace={useWorkspace().name} />
    <UnknownKeys />
  </>
)

/** The workspace's sources for signals. */
export const SignalSourcesPage = () => (
  <Page
    product="SIGNALS"
    title="Signal sources"
    description="Where your conversions come from."
    crumbs={[{ label: 'Signals', to: paths.signals(useWorkspace().name) }]}
    empty={{
      title: 'Add your first signal source',
      text: 'A signal source is a website with the tag of Tributary, a shop, a payment service, a form, or your server. It begins with the schema of the commerce and lead events.',
    }}
  />
)
