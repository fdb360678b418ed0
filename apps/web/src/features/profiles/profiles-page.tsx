import { useInfiniteQuery } from '@tanstack/react-query'
import type { ProfileSummary } from '@tributary/contract'
import { SearchX, Settings2, Sigma, UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { ProfileCell } from '../../components/profile-cell.tsx'
import { useAddress } from '../../lib/browser/use-address.ts'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { profilesQuery } from '../../lib/queries/profile-queries.ts'
import { stillEmpty } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { SearchInput } from '../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CoverageNotes } from './coverage-notes.tsx'
import { kindOf } from './profile-words.ts'

const columns: readonly Column<ProfileSummary>[] = [
  {
    id: 'profile',
    header: 'Profile',
    cell: (profile) => <ProfileCell profile={profile} />,
  },
  {
    id: 'identifiers',
    header: 'Identifiers',
    width: 'sm:w-80',
    cell: ({ identifiers, identifier_count }) => (
      <span className="block truncate text-xs text-ink-2">
        {identifiers.slice(0, 1).map(({ type, value }) => (
          <span key={type} title={value}>
            {kindOf(type)} <span className="font-mono">{value}</span>
          </span>
        ))}
        {identifier_count > 1 && ` and ${count(identifier_count - 1)} more`}
      </span>
    ),
    wide: 'lg',
  },
  {
    id: 'created',
    header: 'First seen',
    width: 'sm:w-36',
    cell: (profile) => <RelativeTime time={profile.create_time} className="text-ink-2" />,
    align: 'right',
    className: 'whitespace-nowrap',
  },
]

const idOf = (profile: ProfileSummary): string => profile.name

const Nothing = ({ searched, onClear }: { searched: boolean; onClear: () => void }) => {
  const workspace = useWorkspace().name
  return searched ? (
    <EmptyState
      icon={<SearchX />}
      title="No profile has this value"
      action={<Button onClick={onClear}>Clear search</Button>}
    >
      Search for a whole identifier, email address, or value of a trait, with the same letter case.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<UsersRound />}
      title="No profiles yet"
      action={
        <ButtonLink to={paths.sources(workspace)} variant="primary">
          See sources
        </ButtonLink>
      }
    >
      Every user ID and anonymous ID in your events gets a profile. Send an event to see the first one.
    </EmptyState>
  )
}

const List = ({ search, onClear }: { search: string; onClear: () => void }) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const query = useInfiniteQuery({
    ...profilesQuery(workspace.name, search),
    placeholderData: stillEmpty(search !== '', ({ profiles }) => profiles),
  })
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.profiles) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the profiles" />
  if (query.data === undefined) return <TableSkeleton rows={8} columns={3} />
  if (rows.length === 0) return <Nothing searched={search !== ''} onClear={onClear} />
  return (
    <div className="space-y-4">
      <DataTable
        label="Profiles"
        columns={columns}
        rows={rows}
        rowId={idOf}
        onRowClick={(profile) => void navigate(paths.profile(profile.name))}
      />
      <LoadMore query={query} />
      <output className="block text-center text-xs text-ink-3">
        {count(rows.length)} {pluralise(rows.length, 'profile')} shown{query.hasNextPage ? '' : ', no more'}
      </output>
    </div>
  )
}

const names = ['search'] as const

/** The profiles of a workspace, searchable by any identifier or trait. */
export const ProfilesPage = () => {
  const workspace = useWorkspace()
  const masked = useMayEdit() === false
  const [{ search }, change] = useAddress(names)
  const typed = useTyped(search, (text) => change({ search: text }))
  return (
    <>
      <PageHeader
        title="Profiles"
        description={`What is known of each user across events.${masked ? ' Guests see values masked.' : ''}`}
        action={
          <>
            <ButtonLink to={paths.computedTraits(workspace.name)}>
              <Sigma aria-hidden />
              Computed traits
            </ButtonLink>
            <ButtonLink to={paths.profileSettings(workspace.name)}>
              <Settings2 aria-hidden />
              Settings
            </ButtonLink>
          </>
        }
      />
      <div className="space-y-5">
        <search aria-label="Filters">
          <SearchInput label="Search identifier or trait" maxLength={500} {...typed} className="sm:w-80" />
        </search>
        <List search={search} onClear={() => change({ search: '' })} />
        {/* Placed below the list because it loads later: rows that moved down under the pointer would lose a click. */}
        <CoverageNotes />
      </div>
    </>
  )
}
