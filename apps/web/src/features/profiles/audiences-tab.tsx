import { useQuery } from '@tanstack/react-query'
import type { Profile, ProfileAudience } from '@tributary/contract'
import { Target } from 'lucide-react'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { paths } from '../../lib/paths.ts'
import { profileAudiencesQuery } from '../../lib/queries/audience-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const stateOf = ({ as_of, enter_time }: ProfileAudience): string =>
  enter_time !== null ? 'In' : as_of === null ? 'Not computed yet' : 'Not in'

const columnsOf = (profile: string): readonly Column<ProfileAudience>[] => [
  {
    id: 'title',
    header: 'Audience',
    cell: ({ name, title }) => (
      <Link
        to={paths.audienceProfile(name, profile.split('/').at(-1) ?? '')}
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
    cell: (row) => <Badge tone={row.enter_time === null ? 'neutral' : 'success'}>{stateOf(row)}</Badge>,
    width: 'sm:w-40',
  },
  {
    id: 'since',
    header: 'Since',
    cell: ({ enter_time }) =>
      enter_time === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <RelativeTime time={enter_time} className="text-ink-2" />
      ),
    align: 'right',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: ProfileAudience): string => name

/** The audiences that contain the profile, each with the time of entry and a link to the reason. */
export const AudiencesTab = ({ profile }: { profile: Profile }) => {
  const query = useQuery(profileAudiencesQuery(profile.name))
  return (
    <QueryView
      query={query}
      skeleton={<TableSkeleton rows={3} columns={3} />}
      errorTitle="Failed to load the audiences"
    >
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState icon={<Target />} title="No audiences yet">
            Audiences that the profile is in show up here.
          </EmptyState>
        ) : (
          <DataTable label="Audiences" columns={columnsOf(profile.name)} rows={rows} rowId={idOf} />
        )
      }
    </QueryView>
  )
}
