import { useQuery } from '@tanstack/react-query'
import type { ComputedTraitSummary } from '@tributary/contract'
import { Plus, Sigma } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { ListPage } from '../../../components/list-page.tsx'
import { paths } from '../../../lib/paths.ts'
import { computedTraitsQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { definitionText, stateTitles, stateTones } from './computed-words.ts'

const columns: readonly Column<ComputedTraitSummary>[] = [
  {
    id: 'trait',
    header: 'Trait',
    value: ({ trait }) => trait.toLowerCase(),
    cell: ({ name, trait }) => (
      <Link
        to={paths.computedTrait(name)}
        title={trait}
        className="block w-fit max-w-full truncate rounded-sm py-1.5 font-mono text-xs font-medium hover:underline"
      >
        {trait}
      </Link>
    ),
    width: 'sm:w-56',
  },
  {
    id: 'definition',
    header: 'Definition',
    cell: ({ definition }) => (
      <span className="block truncate text-ink-2" title={definitionText(definition)}>
        {definitionText(definition)}
      </span>
    ),
    wide: 'lg',
  },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => stateTitles[state],
    cell: ({ state }) => (
      <Badge tone={stateTones[state]} dot={state === 'live'}>
        {stateTitles[state]}
      </Badge>
    ),
    width: 'sm:w-32',
  },
  {
    id: 'computed',
    header: 'Last computed',
    value: ({ as_of }) => as_of ?? '',
    cell: ({ as_of }) =>
      as_of === null ? <span className="text-ink-3">Never</span> : <RelativeTime time={as_of} className="text-ink-2" />,
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: ComputedTraitSummary): string => name

/** The computed traits of the workspace. */
export const ComputedTraitsPage = () => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const query = useQuery(computedTraitsQuery(workspace.name))
  const add = useMayEdit() === true && (
    <ButtonLink to={paths.newComputedTrait(workspace.name)} variant="primary">
      <Plus aria-hidden />
      New computed trait
    </ButtonLink>
  )
  return (
    <ListPage
      title="Computed traits"
      description="Traits of profiles that are made of their events, such as a number of orders."
      query={query}
      errorTitle="Failed to load the computed traits"
      crumbs={[{ label: 'Profiles', to: paths.profiles(workspace.name) }]}
      action={add}
      empty={{
        icon: <Sigma />,
        title: 'Create your first computed trait',
        text: 'A computed trait counts events of each profile, or takes a value of them, and changes seconds after an event.',
      }}
    >
      {(computedTraits) => (
        <DataTable
          label="Computed traits"
          columns={columns}
          rows={computedTraits}
          rowId={idOf}
          onRowClick={({ name }) => void navigate(paths.computedTrait(name))}
        />
      )}
    </ListPage>
  )
}
