import { UserRoundPlus } from 'lucide-react'
import { openInvite } from '../../lib/people/invite.ts'
import { useIsAdministrator } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { Hint, sidebarRow } from './sidebar-row.tsx'

/** Opens the window for inviting people. For users other than administrators, it is disabled and shows why. */
export const InviteMenu = ({ narrow }: { narrow: boolean }) => {
  const administrator = useIsAdministrator()
  const refused = administrator === false
  const button = (
    <button
      type="button"
      aria-label="Invite"
      aria-haspopup="dialog"
      aria-disabled={administrator !== true || undefined}
      onClick={() => {
        if (administrator === true) openInvite()
      }}
      className={cn(sidebarRow, narrow && 'justify-center px-0')}
    >
      <UserRoundPlus aria-hidden className="size-4 shrink-0" />
      {!narrow && 'Invite'}
    </button>
  )
  if (refused)
    return (
      <Tooltip text="Only administrators can invite people" side="right">
        {button}
      </Tooltip>
    )
  return (
    <Hint text="Invite" when={narrow}>
      {button}
    </Hint>
  )
}
