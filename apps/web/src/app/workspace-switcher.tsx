import type { Workspace } from '@tributary/contract'
import { ArrowLeftRight, ChevronsUpDown } from 'lucide-react'
import { paths } from '../lib/paths.ts'
import { useSession } from '../lib/session.ts'
import { truncate } from '../lib/text.ts'
import { Avatar } from '../ui/avatar.tsx'
import { cn } from '../ui/cn.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { sidebarRow } from './sidebar-row.tsx'

/** Says in which workspace the page is, and leads to the others. */
export const WorkspaceSwitcher = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const acting = useSession((state) => state.actOnBehalfOf !== null)
  const organization = workspace.organization?.display_name ?? ''
  return (
    <Menu
      header={
        <>
          <p className="text-sm font-medium" title={workspace.title}>
            {truncate(workspace.title)}
          </p>
          <p className="text-xs text-ink-3" title={organization}>
            {truncate(organization)}
          </p>
        </>
      }
      trigger={
        <button
          type="button"
          aria-label={`Workspace ${workspace.title}`}
          className={cn(sidebarRow, 'h-11 text-ink', narrow && 'justify-center px-0')}
        >
          <Avatar title={workspace.title} size="sidebar" round="md" />
          {!narrow && (
            <>
              <span className="min-w-0 flex-1 text-left leading-tight">
                <span className="block truncate font-semibold">{workspace.title}</span>
                {organization !== '' && <span className="block truncate text-xs text-ink-3">{organization}</span>}
              </span>
              <ChevronsUpDown aria-hidden className="size-4 text-ink-3" />
            </>
          )}
        </button>
      }
    >
      <MenuItem icon={<ArrowLeftRight />} to={paths.root()} disabled={acting} tooltip="Stop acting on behalf first">
        Change workspace
      </MenuItem>
    </Menu>
  )
}
