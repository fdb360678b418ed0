import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '@tributary/contract'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { NavLink } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { sourceQuery } from '../../lib/queries/workspace-queries.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useAreas } from '../areas.ts'
import { CommandButton } from '../commands/command-button.tsx'
import { HelpMenu } from './help-menu.tsx'
import { InboxRow } from './inbox-row.tsx'
import { InviteMenu } from './invite-menu.tsx'
import { Hint, sidebarRow } from './sidebar-row.tsx'
import { UpgradeLink } from './upgrade-link.tsx'
import { UserMenu } from './user-menu.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

/** Whether the open page belongs to a source that feeds signals; false until the page has loaded its source. */
const useOfSignals = (workspace: Workspace, pathname: string): boolean => {
  const [, open] = /^\/(workspaces\/[^/]+\/sources\/[^/]+)/.exec(pathname) ?? []
  const { data } = useQuery({ ...sourceQuery(open ?? `${workspace.name}/sources/none`), enabled: false })
  return open !== undefined && data?.target_product === 'SIGNALS'
}

const Areas = ({ workspace, narrow, pathname }: { workspace: Workspace; narrow: boolean; pathname: string }) => {
  const ofSignals = useOfSignals(workspace, pathname)
  return (
    <nav aria-label="Workspace" className="flex flex-1 flex-col gap-0.5">
      {useAreas(workspace.name).map(({ to, label, icon: Icon, end, also }) => {
        const near =
          also.some((path) => pathname.startsWith(path)) || (ofSignals && to === paths.signals(workspace.name))
        return (
          <Hint key={to} text={label} when={narrow}>
            <NavLink
              to={to}
              end={end || (ofSignals && to === paths.sources(workspace.name))}
              aria-label={narrow ? label : undefined}
              className={({ isActive }) =>
                cn(
                  sidebarRow,
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
  )
}

/** The workspace's sidebar. `narrow` shows icons with tooltips only. */
export const Sidebar = ({
  workspace,
  narrow,
  pathname,
  onToggle,
}: {
  workspace: Workspace
  narrow: boolean
  pathname: string
  onToggle?: () => void
}) => (
  <div className="flex h-full flex-col gap-4 overflow-y-auto scroll-thin p-2">
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
    <CommandButton narrow={narrow} />
    <Areas workspace={workspace} narrow={narrow} pathname={pathname} />
    <div className="space-y-0.5">
      <InboxRow narrow={narrow} />
      <UpgradeLink workspace={workspace} narrow={narrow} />
      <InviteMenu narrow={narrow} />
      <HelpMenu narrow={narrow} />
      <UserMenu workspace={workspace} narrow={narrow} />
    </div>
  </div>
)
