import type { Workspace } from '@tributary/contract'
import { Building2, ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { setTheme, useUi } from '../../lib/browser/ui-store.ts'
import { truncate } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { useCurrentUser, useIsAdministrator } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { cn } from '../../ui/cn.ts'
import { Menu, MenuIconRadio, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { sidebarRow } from './sidebar-row.tsx'

/** The signed-in user, with links to their own settings. */
export const UserMenu = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const { user } = useCurrentUser()
  const administrator = useIsAdministrator() === true
  const theme = useUi((state) => state.theme)
  const name = [user.data?.first_name, user.data?.last_name]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
  const email = user.data?.email ?? ''
  const shown = name === '' ? email : name
  return (
    <Menu
      side="top"
      header={
        <>
          <p className="text-sm font-medium" title={shown}>
            {truncate(shown)}
          </p>
          {name !== '' && (
            <p className="text-xs text-ink-3" title={email}>
              {truncate(email)}
            </p>
          )}
        </>
      }
      trigger={
        <button
          type="button"
          aria-label="User menu"
          className={cn(sidebarRow, 'h-10 text-ink', narrow && 'justify-center px-0')}
        >
          <Avatar title={shown} size="sidebar" {...(user.data === undefined ? {} : { image: user.data.photo_url })} />
          {!narrow && (
            <>
              <span className="min-w-0 flex-1 truncate text-left" title={shown}>
                {truncate(shown)}
              </span>
              <ChevronsUpDown aria-hidden className="size-4 text-ink-3" />
            </>
          )}
        </button>
      }
    >
      {administrator && (
        <MenuItem icon={<Building2 />} to={paths.organizationSettings(workspace.name)}>
          Organization settings
        </MenuItem>
      )}
      <MenuItem icon={<UserRound />} to={paths.account(workspace.name)}>
        My account
      </MenuItem>
      <MenuIconRadio
        label="Theme"
        value={theme}
        onChange={setTheme}
        options={[
          { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
          { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
          { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
        ]}
      />
      <MenuSeparator />
      <MenuItem icon={<LogOut />} to={paths.logout()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
