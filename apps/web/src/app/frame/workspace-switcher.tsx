import type { Workspace } from '@tributary/contract'
import { administrators } from '@tributary/contract'
import { ArrowLeftRight, ChevronsUpDown } from 'lucide-react'
import { useLocation } from 'react-router'
import { groupWorkspaces } from '../../features/workspaces/group-workspaces.ts'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/people/session.ts'
import { sameArea } from '../../lib/same-area.ts'
import { useAccessCheck } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { cn } from '../../ui/cn.ts'
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { sidebarRow } from './sidebar-row.tsx'

const searchFrom = 9
const search = { label: 'Find a workspace', empty: 'No workspace matches' }

/** Returns the URL to which choosing another workspace leads, from the page that is open. */
export const useSwitchTarget = (workspace: Workspace): ((to: Workspace) => string) => {
  useLocation()
  const check = useAccessCheck()
  // The router's location changes only after the next page has loaded; the address bar changes immediately.
  const { pathname } = globalThis.location
  return (to) => sameArea(pathname, workspace.name, to.name, check(to.organization?.name, administrators) === true)
}

const Choices = ({ workspace, available }: { workspace: Workspace; available: readonly Workspace[] }) => {
  const target = useSwitchTarget(workspace)
  const groups = groupWorkspaces(available, workspace.name, '')
  return groups.map((group) => (
    <MenuGroup key={group.name} heading={group.title}>
      {group.workspaces.map((each) => (
        <MenuItem
          key={each.name}
          icon={<Avatar title={each.title} size="xs" round="md" />}
          label={each.title}
          to={target(each)}
          current={each.name === workspace.name}
        >
          <span className="min-w-0 truncate" title={each.title}>
            {each.title}
          </span>
        </MenuItem>
      ))}
    </MenuGroup>
  ))
}

/**
 * Shows the workspace of the page, and switches to others. While acting on behalf, there is only the acted-on
 * workspace.
 */
export const WorkspaceSwitcher = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const acting = useSession((state) => state.actOnBehalfOf !== null)
  const own = useSession((state) => state.availableWorkspaces)
  const available = acting || own.length === 0 ? [workspace] : own
  const organization = workspace.organization?.display_name ?? ''
  return (
    <Menu
      {...(available.length >= searchFrom ? { search } : {})}
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
      footer={
        <>
          <MenuSeparator />
          <MenuItem icon={<ArrowLeftRight />} to={paths.root()} disabled={acting} tooltip="Stop acting on behalf first">
            Change workspace
          </MenuItem>
        </>
      }
    >
      <Choices workspace={workspace} available={available} />
    </Menu>
  )
}
