import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Audience, type MethodResponse, methods } from '@tributary/contract'
import { Download, UsersRound, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { ProfileCell } from '../../components/profile-cell.tsx'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { paths } from '../../lib/paths.ts'
import { pagesQuery, refresh } from '../../lib/queries/query.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { exportMembers } from './export-members.ts'

/** Removes a profile (a resource name) from the list of an audience. */
const useRemoveFromList = ({ name }: Pick<Audience, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (profile: string) =>
      call(methods.audiences.removeFromList, { params: audienceIds(name), body: { profile } }),
    onSuccess: () => {
      track('Audience Updated', { audience: name })
      notify('success', 'Profile Removed')
    },
    onSettled: () => {
      const { workspace } = audienceIds(name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

/**
 * Reads the members of an audience, by pages of 50. `changeTime` is the time at which the audience changed last: pages
 * of different times are different lists.
 */
const audienceMembersQuery = (audience: string, changeTime: string | null) =>
  pagesQuery(
    methods.audiences.listMembers,
    { params: audienceIds(audience), query: { page_size: 50 } },
    { clocked: { of: changeTime, at: () => ({}) } },
  )

type Member = MethodResponse<typeof methods.audiences.listMembers>['members'][number]
type Profile = Member['profile']

const columnsFor = (onRemove: ((profile: Profile) => void) | undefined): readonly Column<Member>[] => [
  {
    id: 'profile',
    header: 'Profile',
    cell: ({ profile }) => <ProfileCell profile={profile} />,
  },
  {
    id: 'entered',
    header: 'Entered',
    cell: ({ enter_time }) => <RelativeTime time={enter_time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
  ...(onRemove === undefined
    ? []
    : [
        {
          id: 'remove',
          header: 'Remove',
          cell: ({ profile }: Member) => (
            <IconButton
              size="sm"
              label={`Remove ${profile.title} from the list`}
              icon={X}
              onClick={(event) => {
                event.stopPropagation()
                onRemove(profile)
              }}
            />
          ),
          align: 'right' as const,
          width: 'sm:w-28',
        },
      ]),
]

const idOf = ({ profile }: Member): string => profile.name

const Export = ({ audience }: { audience: Audience }) => {
  const run = useMutation({
    mutationFn: () => exportMembers(audience),
    onError: (error) => notifyRefusal('Could not export the profiles', error),
  })
  return (
    <Button loading={run.isPending} onClick={() => run.mutate()}>
      <Download aria-hidden />
      Export CSV
    </Button>
  )
}

/** Asks for confirmation before a profile is removed from the list. */
const Removal = ({ audience, profile, onClose }: { audience: Audience; profile: Profile; onClose: () => void }) => {
  const remove = useRemoveFromList(audience)
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      kind="danger"
      title={`Remove ${profile.title}?`}
      confirmLabel="Remove"
      loading={remove.isPending}
      error={remove.isError ? failureText(remove.error) : undefined}
      onConfirm={() => remove.mutate(profile.name, { onSuccess: onClose })}
    >
      All identifiers of the profile leave the list, and the profile leaves {audience.title}. You can restore an earlier
      version.
    </ConfirmDialog>
  )
}

/** The members of an audience at its last computation. */
export const MembersTab = ({ audience }: { audience: Audience }) => {
  const navigate = useNavigate()
  const mayEdit = useMayEdit() === true
  const [removed, setRemoved] = useState<Profile>()
  const isList = audience.list !== null
  const columns = useMemo(() => columnsFor(mayEdit && isList ? setRemoved : undefined), [mayEdit, isList])
  const query = useInfiniteQuery(audienceMembersQuery(audience.name, audience.change_time))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.members) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the profiles" />
  if (query.data === undefined) return <TableSkeleton rows={6} columns={2} />
  if (rows.length === 0)
    return (
      <EmptyState icon={<UsersRound />} title={audience.as_of === null ? 'Not computed yet' : 'No profiles'}>
        {audience.as_of === null
          ? 'Profiles show up here once the audience is computed.'
          : isList
            ? 'No profile is on the list any longer.'
            : 'No profile meets the conditions. Profiles show up here once they do.'}
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      {mayEdit && (
        <div className="flex justify-end">
          <Export audience={audience} />
        </div>
      )}
      <DataTable
        label="Profiles"
        columns={columns}
        rows={rows}
        rowId={idOf}
        onRowClick={({ profile }) => void navigate(paths.profile(profile.name))}
      />
      <LoadMore query={query} />
      {removed !== undefined && <Removal audience={audience} profile={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}
