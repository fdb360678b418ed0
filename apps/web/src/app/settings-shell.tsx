import type { Workspace } from '@tributary/contract'
import { ArrowLeft } from 'lucide-react'
import { useRef } from 'react'
import { Link, Navigate, NavLink, Outlet, useLocation } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useIsAdministrator, useWorkspace } from '../lib/workspace.ts'
import { cn } from '../ui/cn.ts'
import { CardSkeleton } from '../ui/skeleton.tsx'
import { CommandButton, CommandIcon } from './command-button.tsx'
import { InboxButton, InboxRow } from './inbox-row.tsx'
import { MobileBar } from './mobile-bar.tsx'
import { type SettingsGroup, useSettingsPages } from './settings-pages.ts'
import { sidebarRow } from './sidebar-row.tsx'
import { SkipLink } from './skip-link.tsx'

const Group = ({ group }: { group: SettingsGroup }) => (
  <section aria-label={group.title} className="space-y-0.5">
    <h2 className="px-2 pb-1 text-xs font-medium text-ink-3">{group.title}</h2>
    {group.entries.map(({ to, label, icon: Icon }) => (
      <NavLink
        key={to}
        to={to}
        end
        className={({ isActive }) => cn(sidebarRow, isActive && 'bg-active font-medium text-ink hover:bg-active')}
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        {label}
      </NavLink>
    ))}
  </section>
)

const SettingsSidebar = ({ workspace }: { workspace: Workspace }) => (
  <div className="flex h-full flex-col gap-5 overflow-y-auto scroll-thin p-2">
    <div>
      <Link to={paths.workspace(workspace.name)} className={cn(sidebarRow, 'h-10')}>
        <ArrowLeft aria-hidden className="size-4 shrink-0" />
        Back
      </Link>
      <CommandButton narrow={false} />
    </div>
    <nav aria-label="Settings" className="flex flex-1 flex-col gap-5">
      {useSettingsPages(workspace.name).map((group) => (
        <Group key={group.title} group={group} />
      ))}
    </nav>
    <InboxRow narrow={false} />
  </div>
)

/** The frame of the settings: its own sidebar with the way back, and the page. */
export const SettingsShell = () => {
  const workspace = useWorkspace()
  const { pathname } = useLocation()
  const content = useRef<HTMLElement>(null)
  return (
    <div className="md:flex">
      <SkipLink content={content} />
      <aside
        aria-label="Sidebar"
        className="sticky top-(--banner) h-[calc(100dvh-var(--banner))] w-56 shrink-0 border-r border-line bg-canvas max-md:hidden"
      >
        <SettingsSidebar workspace={workspace} />
      </aside>
      <MobileBar
        key={pathname}
        title="Settings"
        action={
          <>
            <CommandIcon />
            <InboxButton />
          </>
        }
      >
        <SettingsSidebar workspace={workspace} />
      </MobileBar>
      <main id="content" ref={content} tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-8 sm:py-8">
          <Outlet />
        </div>
      </main>
    </div>
  )
}

/** The first page of the settings: the organisation's for its administrators, everybody else's account. */
export const SettingsIndex = () => {
  const workspace = useWorkspace()
  const administrator = useIsAdministrator()
  if (administrator === 'unknown') return <CardSkeleton />
  return (
    <Navigate to={administrator ? paths.organizationSettings(workspace.name) : paths.account(workspace.name)} replace />
  )
}
