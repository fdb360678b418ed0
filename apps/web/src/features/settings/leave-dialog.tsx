import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { useUi } from '../../lib/browser/ui-store.ts'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { useRemoveMember } from './membership-mutations.ts'

/** Asks whether to leave an organisation, ends the own membership and goes to the choice of workspaces. */
export const LeaveDialog = ({
  open,
  onOpenChange,
  organization,
  membership,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  organization: { name: string; display_name: string }
  membership: string
}) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const leave = useRemoveMember(organization.name)
  const left = async (): Promise<void> => {
    useUi.setState({ lastWorkspace: null })
    notify('success', 'Organization left')
    await navigate(paths.root(), { replace: true })
    // Nothing of it can be read any more.
    cache.removeQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'users' && kind !== 'config' })
    await cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
  }
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      kind="danger"
      title="Leave organization"
      confirmLabel="Leave"
      loading={leave.isPending}
      error={leave.error?.message}
      onConfirm={() => leave.mutate(membership, { onSuccess: () => void left() })}
    >
      You lose access to {organization.display_name} and all of its workspaces immediately. To come back, you need a new
      invitation.
    </ConfirmDialog>
  )
}
