import { type ComponentType, useEffect, useState } from 'react'
import type { InviteDialog } from '../features/members/invite-dialog.tsx'
import { closeInvite, useInvite } from '../lib/invite.ts'
import { doubtServer } from '../lib/reachability.ts'
import { notify } from '../ui/toast.tsx'

type Props = Parameters<typeof InviteDialog>[0]

/**
 * The window for inviting people to an organization (a resource name), opened from anywhere inside a workspace. Its code is
 * fetched when it is first opened; without it the page stays as it is, with what somebody has typed.
 */
export const Invite = ({ organization }: { organization: string }) => {
  const open = useInvite((state) => state.open)
  const [Dialog, setDialog] = useState<ComponentType<Props>>()
  const wanted = open && Dialog === undefined
  useEffect(() => {
    if (!wanted) return
    void import('../features/members/invite-dialog.tsx').then(
      (module) => setDialog(() => module.InviteDialog),
      () => {
        doubtServer()
        closeInvite()
        notify('error', 'Could not open the invitation', {
          description: 'It could not be loaded. Check your connection, reload the page and try again.',
          timeout: 10_000,
        })
      },
    )
  }, [wanted])
  return Dialog === undefined ? null : <Dialog open={open} onClose={closeInvite} organization={organization} />
}
