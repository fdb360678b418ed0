import type { Workspace } from '@tributary/contract'
import {
  ArrowLeftRight,
  BookOpen,
  Braces,
  ChevronsUpDown,
  CircleHelp,
  House,
  LogOut,
  Monitor,
  Moon,
  PanelLeftClose,
  PanelLeftOpen,
  Radio,
  Send,
  Sun,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { apiPages, paths } from '../lib/paths.ts'
import { useSession } from '../lib/session.ts'
import { truncate } from '../lib/text.ts'
import { setTheme, useSidebar, useUi } from '../lib/ui-store.ts'
import { useCurrentUser } from '../lib/workspace.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/menu.tsx'
import { Tooltip } from '../ui/tooltip.tsx'

const entries = (workspace: string) => [
  { to: paths.workspace(workspace), label: 'Home', icon: House, end: true, also: [] },
  { to: paths.sources(workspace), label: 'Sources', icon: Radio, end: false, also: [paths.catalogSources(workspace)] },
  {
    to: paths.destinations(workspace),
    label: 'Destinations',
    icon: Send,
    end: false,
    also: [paths.catalogDestinations(workspace)],
  },
]

const row =
  'flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-ink-2 transition-colors hover:bg-hover hover:text-ink'

const Hint = ({ text, when, children }: { text: string; when: boolean; children: React.ReactElement }) =>
  when ? (
    <Tooltip text={text} side="right">
      {children}
    </Tooltip>
  ) : (
    children
  )

const WorkspaceSwitcher = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const acting = useSession((state) => state.actOnBehalfOf !== null)
  return (
    <Menu
      header={
        <>
          <p className="text-sm font-medium">{truncate(workspace.title)}</p>
          <p className="text-xs text-ink-3">{truncate(workspace.organization?.title ?? '')}</p>
        </>
      }
      trigger={
        <button
          type="button"
          aria-label={`Workspace ${workspace.title}`}
          className={cn(row, 'h-10 text-ink', narrow && 'justify-center px-0')}
        >
          <Avatar title={workspace.title} size="sidebar" round="md" />
          {!narrow && (
            <>
              <span className="min-w-0 flex-1 truncate text-left font-semibold">{workspace.title}</span>
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

const HelpMenu = ({ narrow }: { narrow: boolean }) => (
  <Menu
    side="top"
    trigger={
      <button type="button" aria-label="Help" className={cn(row, narrow && 'justify-center px-0')}>
        <CircleHelp aria-hidden className="size-4 shrink-0" />
        {!narrow && 'Help'}
      </button>
    }
  >
    <MenuItem icon={<BookOpen />} href={apiPages.docs}>
      API documentation
    </MenuItem>
    <MenuItem icon={<Braces />} href={apiPages.openApi}>
      OpenAPI description
    </MenuItem>
  </Menu>
)

const UserMenu = ({ narrow }: { narrow: boolean }) => {
  const { user } = useCurrentUser()
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
          className={cn(row, 'h-10 text-ink', narrow && 'justify-center px-0')}
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
      <MenuRadio
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

/** The workspace's sidebar. `narrow` shows icons with tooltips only. */
export const Sidebar = ({
  workspace,
  narrow,
  pathname,
  onToggle,
  banner,
}: {
  workspace: Workspace
  narrow: boolean
  pathname: string
  onToggle?: () => void
  banner?: ReactNode
}) => (
  <div className="flex h-full flex-col gap-4 p-2">
    {banner}
    <div className={cn('flex items-center gap-1', narrow && 'flex-col')}>
      <div className="min-w-0 flex-1 self-stretch">
        <WorkspaceSwitcher workspace={workspace} narrow={narrow} />
      </div>
      {onToggle !== undefined && (
        <Tooltip text={narrow ? 'Expand sidebar' : 'Collapse sidebar'} side="right">
          <Button
            variant="none"
            size="sm"
            square
            aria-label={narrow ? 'Expand sidebar' : 'Collapse sidebar'}
            aria-expanded={!narrow}
            onClick={onToggle}
          >
            {narrow ? <PanelLeftOpen aria-hidden /> : <PanelLeftClose aria-hidden />}
          </Button>
        </Tooltip>
      )}
    </div>
    <nav aria-label="Workspace" className="flex flex-1 flex-col gap-0.5">
      {entries(workspace.name).map(({ to, label, icon: Icon, end, also }) => {
        const near = also.some((path) => pathname.startsWith(path))
        return (
          <Hint key={to} text={label} when={narrow}>
            <NavLink
              to={to}
              end={end}
              aria-label={narrow ? label : undefined}
              className={({ isActive }) =>
                cn(
                  row,
                  narrow && 'justify-center px-0',
                  (isActive || near) && 'bg-active font-medium text-ink hover:bg-active',
                )
              }
            >
              <Icon aria-hidden className="size-4 shrink-0" />
              {!narrow && label}
            </NavLink>
          </Hint>
        )
      })}
    </nav>
    <div className="space-y-0.5">
      <HelpMenu narrow={narrow} />
      <UserMenu narrow={narrow} />
    </div>
  </div>
)

/** Flips the remembered choice. */
export const toggleSidebar = (): void => {
  useSidebar.setState(({ collapsed }) => ({ collapsed: !collapsed }))
}
