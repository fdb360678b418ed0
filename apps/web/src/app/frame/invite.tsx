import { closeInvite, useInvite } from '../../lib/people/invite.ts'
import { lazyDialog } from '../../ui/overlays/lazy-dialog.tsx'

const InviteDialog = lazyDialog(
  'Could not open the invitation',
  async () => (await import('../../features/invitations/invite-dialog.tsx')).InviteDialog,
)

/** The window for inviting people to an organization (a resource name), opened from anywhere inside a workspace. */
export const Invite = ({ organization }: { organization: string }) => {
  const open = useInvite((state) => state.open)
  return <InviteDialog open={open} onClose={closeInvite} organization={organization} />
}
