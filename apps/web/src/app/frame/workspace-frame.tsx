import { useRef } from 'react'
import { Outlet, useLocation } from 'react-router'
import { toggleSidebar, useIsSidebarCollapsed } from '../../lib/browser/ui-store.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { CommandIcon } from '../commands/command-button.tsx'
import { InboxButton } from './inbox-row.tsx'
import { MobileBar } from './mobile-bar.tsx'
import { Sidebar } from './sidebar.tsx'
import { SkipLink } from './skip-link.tsx'

/** The frame of the pages of a workspace: the sidebar (an overlay below 768 px) and the page. */
export const WorkspaceFrame = () => {
  const workspace = useWorkspace()
  const { pathname } = useLocation()
  const collapsed = useIsSidebarCollapsed()
  const content = useRef<HTMLElement>(null)
  return (
    <div className="md:flex">
      <SkipLink content={content} />
      <aside
        aria-label="Sidebar"
        className={cn(
          'sticky top-(--banner) h-[calc(100dvh-var(--banner))] shrink-0 border-r border-line bg-canvas max-md:hidden',
          collapsed ? 'w-13' : 'w-56',
        )}
      >
        <Sidebar workspace={workspace} narrow={collapsed} pathname={pathname} onToggle={toggleSidebar} />
      </aside>
      <MobileBar
        key={pathname}
        title={workspace.title}
        action={
          <>
            <CommandIcon />
            <InboxButton />
          </>
        }
      >
        <Sidebar workspace={workspace} narrow={false} pathname={pathname} />
      </MobileBar>
      <main id="content" ref={content} tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto w-full max-w-5xl has-data-fill:max-w-none px-4 py-6 sm:px-8 sm:py-8">
          <Outlet />
        </div>
      </main>
    </div>
  )
}
