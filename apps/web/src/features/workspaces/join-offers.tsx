import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { organizationIds, userIds } from '../../lib/format/names.ts'
import { membershipsQuery, workspacesQuery } from '../../lib/queries/account-queries.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/overlays/toast.tsx'

/** Reads the organizations that are open to the email domain of the user. Not cached. */
const joinableQuery = (user: string) =>
  rowsQuery(methods.organizations.listJoinable, { params: userIds(user) }, ({ organizations }) => organizations, {
    staleTime: 0,
  })

/** Joins an organization that is open to the email domain of the user. Then reloads workspaces and roles. */
const useJoin = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (organization: string) =>
      call(methods.organizations.join, { params: organizationIds(organization), body: { user } }),
    onSuccess: () => notify('success', 'Organization joined'),
    onError: (error) => notify('error', 'Could not join the organization', { description: error.message }),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: joinableQuery(user).queryKey }),
        cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey }),
        cache.invalidateQueries({ queryKey: membershipsQuery(user).queryKey }),
      ]),
  })
}

/** Offers the organizations that are open to the user's email domain. Shows nothing if there are none. */
export const JoinOffers = ({ user }: { user: string }) => {
  const joinable = useQuery(joinableQuery(user))
  const join = useJoin(user)
  if (joinable.data === undefined || joinable.data.length === 0) return null
  return (
    <section aria-label="Organizations you can join">
      <h2 className="text-sm font-medium text-ink-2">Organizations you can join</h2>
      <p className="mb-2 text-xs text-ink-3">Anyone with your email domain can join these.</p>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {joinable.data.map(({ name, display_name, logo }) => (
          <li key={name} className="flex flex-wrap items-center gap-3 px-4 py-3">
            <Avatar title={display_name} image={logo} size="md" round="md" />
            <span className="min-w-0 flex-1 truncate text-base font-medium">{display_name}</span>
            <Button loading={join.isPending && join.variables === name} onClick={() => join.mutate(name)}>
              {`Join ${display_name}`}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
