import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { useRemoveMember } from './membership-mutations.ts'
import { useOrganizationGone } from './use-organization-gone.ts'

/** Asks for confirmation, ends the membership of the user in an organization, and opens the choice of workspaces. */
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
  const gone = useOrganizationGone()
  const leave = useRemoveMember(organization.name)
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      kind="danger"
      title="Leave organization"
      confirmLabel="Leave"
      loading={leave.isPending}
      error={leave.error?.message}
      onConfirm={() => leave.mutate(membership, { onSuccess: () => void gone('Organization left') })}
    >
      You lose access to {organization.display_name} and all of its workspaces immediately. To come back, you need a new
      invitation.
    </ConfirmDialog>
  )
}
