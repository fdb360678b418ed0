import type { Workspace } from '@tributary/contract'
import { ArrowLeft, Building2, CreditCard, Globe, KeyRound, Link2, UserRound, UserRoundCog, Users } from 'lucide-react'
import { useRef } from 'react'
import { Link, Navigate, NavLink, Outlet, useLocation } from 'react-router'
import { useFlag } from '../lib/flags.ts'
import { paths } from '../lib/paths.ts'
import { platformAdminsOnly, useAccess, useIsAdministrator, useWorkspace } from '../lib/workspace.ts'
import { cn } from '../ui/cn.ts'
import { CardSkeleton } from '../ui/skeleton.tsx'
import { InboxButton, InboxRow } from './inbox-row.tsx'
import { MobileBar } from './mobile-bar.tsx'
import { sidebarRow } from './sidebar-row.tsx'
import { SkipLink } from './skip-link.tsx'

const groups = (workspace: string, { customDomain }: { customDomain: boolean }) => ({
  organization: {
    title: 'Organization',
    entries: [
      { to: paths.organizationSettings(workspace), label: 'General', icon: Building2 },
      { to: paths.billing(workspace), label: 'Billing', icon: CreditCard },
      { to: paths.members(workspace), label: 'Members', icon: Users },
    ],
  },
  account: {
    title: 'My Account',
    entries: [
      { to: paths.account(workspace), label: 'Account', icon: UserRound },
      { to: paths.changePassword(workspace), label: 'Change password', icon: KeyRound },
    ],
  },
  admin: {
    title: 'Super Admin',
    entries: [
      { to: paths.actOnBehalf(workspace), label: 'Act on behalf', icon: UserRoundCog },
      { to: paths.onboardingLink(workspace), label: 'Onboarding link', icon: Link2 },
      ...(customDomain ? [{ to: paths.customDomain(workspace), label: 'Custom domain', icon: Globe }] : []),
    ],
  },
})

type Group = ReturnType<typeof groups>['organization']

const SettingsGroup = ({ group }: { group: Group }) => (
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

const SettingsSidebar = ({ workspace }: { workspace: Workspace }) => {
  const administrator = useIsAdministrator() === true
  const platformAdmin = useAccess(platformAdminsOnly) === true
  const customDomain = useFlag('custom-domain')
  const { organization, account, admin } = groups(workspace.name, { customDomain })
  return (
    <div className="flex h-full flex-col gap-5 overflow-y-auto scroll-thin p-2">
      <Link to={paths.workspace(workspace.name)} className={cn(sidebarRow, 'h-10')}>
        <ArrowLeft aria-hidden className="size-4 shrink-0" />
        Back
      </Link>
      <nav aria-label="Settings" className="flex flex-1 flex-col gap-5">
        {administrator && <SettingsGroup group={organization} />}
        <SettingsGroup group={account} />
        {platformAdmin && <SettingsGroup group={admin} />}
      </nav>
      <InboxRow narrow={false} />
    </div>
  )
}

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
      <MobileBar key={pathname} title="Settings" action={<InboxButton />}>
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
