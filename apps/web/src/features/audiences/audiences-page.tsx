import { useQuery } from '@tanstack/react-query'
import { type AudienceSummary, audienceStates } from '@tributary/contract'
import { Plus, Target } from 'lucide-react'
import { useCallback } from 'react'
import { Link } from 'react-router'
import { ListPage } from '../../components/list-page.tsx'
import { count } from '../../lib/format/text.ts'
import { useFlag } from '../../lib/integrations/flags.ts'
import { paths } from '../../lib/paths.ts'
import { audiencesQuery } from '../../lib/queries/audience-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import { ListView, stateFilter } from '../../ui/lists/list-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type AudienceFilters, audienceRows } from './audience-rows.ts'
import { stateText, stateTitles, stateTones } from './audience-words.ts'

const filters = [stateFilter(audienceStates, stateTitles)]

/** A column with the number of destinations or syncs of an audience. */
const counted = (id: 'destination_count' | 'sync_count', header: string, width: string): Column<AudienceSummary> => ({
  id,
  header,
  value: (audience) => audience[id],
  cell: (audience) => (audience[id] === 0 ? <span className="text-ink-3">–</span> : <span>{count(audience[id])}</span>),
  align: 'right',
  wide: 'lg',
  width,
  className: 'tabular',
})
const syncs = counted('sync_count', 'Syncs', 'sm:w-24')

const columns: readonly Column<AudienceSummary>[] = [
  {
    id: 'title',
    header: 'Audience',
    value: ({ title }) => title.toLowerCase(),
    cell: ({ name, title }) => (
      <Link
        to={paths.audience(name)}
        title={title}
        className="block w-fit max-w-full truncate rounded-sm py-1.5 font-medium hover:underline"
      >
        {title}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => stateTitles[state],
    cell: (audience) => (
      <Badge tone={stateTones[audience.state]} dot={audience.state === 'live'}>
        {stateText(audience)}
      </Badge>
    ),
    width: 'sm:w-36',
  },
  {
    id: 'size',
    header: 'Size',
    value: ({ size }) => size ?? -1,
    cell: ({ size }) => (size === null ? <span className="text-ink-3">–</span> : <span>{count(size)}</span>),
    align: 'right',
    width: 'sm:w-28',
    className: 'tabular',
  },
  counted('destination_count', 'Destinations', 'sm:w-32'),
  syncs,
  {
    id: 'updated',
    header: 'Updated',
    value: ({ as_of }) => as_of ?? '',
    cell: ({ as_of }) =>
      as_of === null ? <span className="text-ink-3">Never</span> : <RelativeTime time={as_of} className="text-ink-2" />,
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const withoutSyncs = columns.filter((column) => column !== syncs)

const idOf = ({ name }: AudienceSummary): string => name
const titleOf = ({ title }: AudienceSummary): string => title

/** The audiences of the workspace. */
export const AudiencesPage = () => {
  const workspace = useWorkspace()
  const hasSyncs = useFlag('syncs')
  const query = useQuery(audiencesQuery(workspace.name))
  const audiences = query.data
  const narrow = useCallback((values: AudienceFilters) => audienceRows(audiences ?? [], values), [audiences])
  const add = useMayEdit() === true && (
    <ButtonLink to={paths.newAudience(workspace.name)} variant="primary">
      <Plus aria-hidden />
      New audience
    </ButtonLink>
  )
  return (
    <ListPage
      title="Audiences"
      description="Sets of profiles by what they did and what is known of them."
      query={query}
      errorTitle="Failed to load the audiences"
      action={add}
      empty={{
        icon: <Target />,
        title: 'Create your first audience',
        text: 'An audience finds profiles by their events and traits, such as everyone who added a product and did not order.',
      }}
    >
      {(all) => (
        <ListView
          label="Audiences"
          noun="audience"
          total={all.length}
          filters={filters}
          narrow={narrow}
          columns={hasSyncs ? columns : withoutSyncs}
          idOf={idOf}
          titleOf={titleOf}
        />
      )}
    </ListPage>
  )
}
