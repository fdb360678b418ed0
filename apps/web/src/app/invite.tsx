import { lazy, Suspense } from 'react'
import { closeInvite, useInvite } from '../lib/invite.ts'

const InviteDialog = lazy(async () => ({
  default: (await import('../features/members/invite-dialog.tsx')).InviteDialog,
}))

/** The window for inviting people to an organisation (a resource name), opened from anywhere inside a workspace. */
export const Invite = ({ organization }: { organization: string }) => {
  const open = useInvite((state) => state.open)
  return (
    <Suspense fallback={null}>
      <InviteDialog open={open} onClose={closeInvite} organization={organization} />
    </Suspense>
  )
}
