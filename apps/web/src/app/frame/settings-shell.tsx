import type { Workspace } from '@tributary/contract'
import { ArrowLeft } from 'lucide-react'
import { useRef } from 'react'
import { Link, Navigate, NavLink, Outlet, useLocation } from 'react-router'
import { useIsWide } from '../../lib/browser/use-is-wide.ts'
import { paths } from '../../lib/paths.ts'
import { useIsAdministrator, useWorkspace } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { CommandButton, CommandIcon } from '../commands/command-button.tsx'
import { type SettingsGroup, useSettingsPages } from '../settings-pages.ts'
import { InboxButton, InboxRow } from './inbox-row.tsx'
import { MobileBar } from './mobile-bar.tsx'
import { Hint, sidebarRow } from './sidebar-row.tsx'
import { SkipLink } from './skip-link.tsx'

const Group = ({ group, narrow }: { group: SettingsGroup; narrow: boolean }) => (
  <section aria-label={group.title} className={cn('space-y-0.5', narrow && 'border-t border-line pt-2')}>
    {!narrow && <h2 className="px-2 pb-1 text-xs font-medium text-ink-3">{group.title}</h2>}
    {group.entries.map(({ to, label, icon: Icon }) => (
      <Hint key={to} text={label} when={narrow}>
        <NavLink
          to={to}
          end
          aria-label={narrow ? label : undefined}
          className={({ isActive }) =>
            cn(
              sidebarRow,
              narrow && 'justify-center px-0',
              isActive && 'bg-active font-medium text-ink hover:bg-active',
            )
          }
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          {!narrow && label}
        </NavLink>
      </Hint>
    ))}
  </section>
)

/** The sidebar of the settings. `narrow` shows icons with tooltips only. */
const SettingsSidebar = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => (
  <div className={cn('flex h-full flex-col overflow-y-auto scroll-thin p-2', narrow ? 'gap-2' : 'gap-5')}>
    <div>
      <Hint text="Back" when={narrow}>
        <Link
          to={paths.workspace(workspace.name)}
          aria-label={narrow ? 'Back' : undefined}
          className={cn(sidebarRow, 'h-10', narrow && 'justify-center px-0')}
        >
          <ArrowLeft aria-hidden className="size-4 shrink-0" />
          {!narrow && 'Back'}
        </Link>
      </Hint>
      <CommandButton narrow={narrow} />
    </div>
    <nav aria-label="Settings" className={cn('flex flex-1 flex-col', narrow ? 'gap-2' : 'gap-5')}>
      {useSettingsPages(workspace.name).map((group) => (
        <Group key={group.title} group={group} narrow={narrow} />
      ))}
    </nav>
    <InboxRow narrow={narrow} />
  </div>
)

/** The frame of the settings: their own sidebar with a way back, which shows only icons if the page needs the space. */
export const SettingsShell = () => {
  const workspace = useWorkspace()
  const { pathname } = useLocation()
  const content = useRef<HTMLElement>(null)
  const narrow = !useIsWide()
  return (
    <div className="md:flex">
      <SkipLink content={content} />
      <aside
        aria-label="Sidebar"
        className={cn(
          'sticky top-(--banner) h-[calc(100dvh-var(--banner))] shrink-0 border-r border-line bg-canvas max-md:hidden',
          narrow ? 'w-13' : 'w-56',
        )}
      >
        <SettingsSidebar workspace={workspace} narrow={narrow} />
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
        <SettingsSidebar workspace={workspace} narrow={false} />
      </MobileBar>
      <main id="content" ref={content} tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-8 sm:py-8">
          <Outlet />
        </div>
      </main>
    </div>
  )
}

/**
 * The first page of the settings: for administrators that of the organization, for all other users that of the account.
 */
export const SettingsIndex = () => {
  const workspace = useWorkspace()
  const administrator = useIsAdministrator()
  if (administrator === 'unknown') return <CardSkeleton />
  return (
    <Navigate to={administrator ? paths.organizationSettings(workspace.name) : paths.account(workspace.name)} replace />
  )
}
