import { useQuery } from '@tanstack/react-query'
import type { AudienceSummary } from '@tributary/contract'
import { Plus, Target } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { count } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { audiencesQuery } from '../../lib/queries/audience-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ListPage } from '../../parts/list-page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { stateText, stateTitles, stateTones } from './audience-words.ts'

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

const idOf = ({ name }: AudienceSummary): string => name

/** The audiences of the workspace. */
export const AudiencesPage = () => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const query = useQuery(audiencesQuery(workspace.name))
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
      {(audiences) => (
        <DataTable
          label="Audiences"
          columns={columns}
          rows={audiences}
          rowId={idOf}
          onRowClick={({ name }) => void navigate(paths.audience(name))}
        />
      )}
    </ListPage>
  )
}
