import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Invitation, type Member, methods, type Role } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { invitationIds, membershipIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { roleIndex } from '../../lib/people/roles.ts'
import { useSession } from '../../lib/people/session.ts'
import { membershipsQuery } from '../../lib/queries/account-queries.ts'
import { invitationsQuery, membersQuery } from '../../lib/queries/organization-queries.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

const useMembersChanged = (organization: string) => {
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  return (): void => {
    void cache.invalidateQueries({ queryKey: membersQuery(organization).queryKey })
    void cache.invalidateQueries({ queryKey: membershipsQuery(user).queryKey })
  }
}

/** Changes a member's role; the list shows it immediately and reverts on a refusal. */
export const useChangeRole = (organization: string) => {
  const cache = useQueryClient()
  const settled = useMembersChanged(organization)
  const list = membersQuery(organization).queryKey
  return useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) =>
      call(methods.memberships.update, {
        params: membershipIds(member.name),
        query: { update_mask: 'role' },
        body: { role: roleIndex(role) },
      }),
    onMutate: ({ member, role }) => {
      const before = cache.getQueryData<Member[]>(list)
      cache.setQueryData<Member[]>(
        list,
        before?.map((each) => (each.name === member.name ? { ...each, role: { value: role } } : each)),
      )
      return { before }
    },
    onError: (error, _change, context) => {
      cache.setQueryData(list, context?.before)
      notifyRefusal('Could not change the role', error)
    },
    onSuccess: () => notify('success', 'Role updated'),
    onSettled: settled,
  })
}

/** Ends a membership in the organization: that of another user, or that of the signed-in user. */
export const useRemoveMember = (organization: string) => {
  const settled = useMembersChanged(organization)
  return useMutation({
    mutationFn: (membership: string) => call(methods.memberships.delete, { params: membershipIds(membership) }),
    onSettled: settled,
  })
}

/** Emails an invitation again; the link in the previous email stops working. */
export const useResendInvitation = (organization: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ name }: Invitation) => call(methods.invitations.resend, { params: invitationIds(name), body: {} }),
    onError: (error) => notifyRefusal('Could not send the invitation', error),
    onSuccess: (_sent, { name }) => {
      track('Invitation Updated', { invitation: name })
      notify('success', 'Invitation Sent')
    },
    onSettled: () => cache.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey }),
  })
}

/** Revokes an invitation: its link stops working immediately. */
export const useRevokeInvitation = (organization: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ name }: Invitation) => call(methods.invitations.delete, { params: invitationIds(name) }),
    onSuccess: (_gone, { name }) => {
      track('Invitation Deleted', { invitation: name })
      notify('success', 'Invitation revoked')
    },
    onSettled: () => cache.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey }),
  })
}
