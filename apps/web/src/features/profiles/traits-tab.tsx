import { useQuery } from '@tanstack/react-query'
import type { Profile, ProfileTrait } from '@tributary/contract'
import { History, Tags } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { allSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { traitText } from './profile-words.ts'
import { TraitHistoryDialog } from './trait-history-dialog.tsx'

const nameOf = (trait: ProfileTrait): string => trait.name

const columnsOf = (
  titleOf: (source: string) => string,
  onHistory: (trait: string) => void,
): readonly Column<ProfileTrait>[] => [
  {
    id: 'name',
    header: 'Trait',
    value: (trait) => trait.name,
    cell: (trait) => (
      <span className="block min-w-0 py-1.5">
        <span className="block truncate font-mono text-xs" title={trait.name}>
          {trait.name}
        </span>
      </span>
    ),
  },
  {
    id: 'value',
    header: 'Value',
    cell: ({ name, value, changed }) => (
      <span className="flex min-w-0 items-center gap-1">
        {value === null ? (
          <span className="text-ink-3">Too large to keep</span>
        ) : (
          <span className="block max-w-96 truncate max-sm:max-w-32" title={traitText(value)}>
            {traitText(value)}
          </span>
        )}
        {changed && (
          <IconButton
            size="xs"
            label={`Show history of ${name}`}
            icon={History}
            title="Show history"
            onClick={() => onHistory(name)}
          />
        )}
      </span>
    ),
    width: 'sm:w-96',
  },
  {
    id: 'source',
    header: 'Source',
    cell: ({ source, event }) =>
      event === '' ? (
        <Link to={paths.computedTrait(source)} className="block truncate rounded-sm text-ink-2 hover:underline">
          Computed
        </Link>
      ) : (
        <span className="block truncate text-ink-2">{titleOf(source)}</span>
      ),
    wide: 'lg',
    width: 'sm:w-40',
  },
  {
    id: 'time',
    header: 'Updated',
    value: (trait) => trait.time,
    cell: ({ time, event }) =>
      event === '' ? (
        <RelativeTime time={time} className="text-ink-2" />
      ) : (
        <Link to={paths.event(event)} title="The event it comes from" className="rounded-sm hover:underline">
          <RelativeTime time={time} className="text-ink-2" />
        </Link>
      ),
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

/** The traits of a person: the latest value of each, with its source and time. */
export const TraitsTab = ({ profile }: { profile: Profile }) => {
  const sources = useQuery(allSourcesQuery(useWorkspace().name)).data
  const [shown, setShown] = useState<string>()
  const titleOf = useCallback(
    (name: string) => sources?.find((source) => source.name === name)?.title ?? 'Deleted source',
    [sources],
  )
  const columns = useMemo(() => columnsOf(titleOf, setShown), [titleOf])
  if (profile.traits.length === 0)
    return (
      <EmptyState icon={<Tags />} title="No traits yet">
        Traits come from identify and group calls, and from context.traits of any event.
      </EmptyState>
    )
  return (
    <div className="space-y-3">
      <DataTable label="Traits" columns={columns} rows={profile.traits} rowId={nameOf} />
      {shown !== undefined && (
        <TraitHistoryDialog
          profile={profile.name}
          trait={shown}
          titleOf={titleOf}
          onClose={() => setShown(undefined)}
        />
      )}
      {profile.traits_left_out && (
        <p className="text-xs text-ink-3">Some traits aren't shown: an identifier keeps up to 500 names.</p>
      )}
    </div>
  )
}
