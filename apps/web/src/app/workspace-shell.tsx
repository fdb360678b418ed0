import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '@tributary/contract'
import { Menu as MenuIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useParams } from 'react-router'
import { workspaceQuery, workspacesQuery } from '../lib/queries.ts'
import { useSession, workspaceEntered, workspacesLoaded } from '../lib/session.ts'
import { useSidebar, useUi } from '../lib/ui-store.ts'
import { resolveWorkspace, WorkspaceProvider } from '../lib/workspace.ts'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { ErrorScreen } from '../ui/error-screen.tsx'
import { LoadingNote } from '../ui/loading-note.tsx'
import { CardSkeleton, Skeleton } from '../ui/skeleton.tsx'
import { Sidebar, toggleSidebar } from './sidebar.tsx'

const ShellSkeleton = () => (
  <div aria-busy className="flex min-h-dvh">
    <LoadingNote />
    <div className="w-56 space-y-3 border-r border-line p-4 max-md:hidden">
      <Skeleton className="h-6 w-32" />
      <Skeleton className="mt-8 h-4 w-24" />
      <Skeleton className="h-4 w-28" />
      <Skeleton className="h-4 w-28" />
    </div>
    <div className="mx-auto w-full max-w-5xl space-y-6 p-6">
      <Skeleton className="h-6 w-48" />
      <CardSkeleton />
    </div>
  </div>
)

const MobileBar = ({ workspace, pathname }: { workspace: Workspace; pathname: string }) => {
  const [open, setOpen] = useState(false)
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-canvas px-2 md:hidden">
      <Button variant="none" square aria-label="Open navigation" onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden />
      </Button>
      <span className="min-w-0 truncate font-semibold">{workspace.title}</span>
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
          <Dialog.Popup
            aria-label="Navigation"
            className="fixed inset-y-0 left-0 z-30 w-56 bg-canvas shadow-dialog transition-transform duration-150 outline-none data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
          >
            <Sidebar workspace={workspace} narrow={false} pathname={pathname} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  )
}

const Frame = ({ workspace }: { workspace: Workspace }) => {
  const { pathname } = useLocation()
  const collapsed = useSidebar((state) => state.collapsed)
  const content = useRef<HTMLElement>(null)
  return (
    <div className="md:flex">
      <a
        href="#content"
        onClick={(event) => {
          // The hash of the address belongs to the tabs of the page.
          event.preventDefault()
          content.current?.focus()
        }}
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
      >
        Skip to content
      </a>
      <aside
        aria-label="Sidebar"
        className={cn(
          'sticky top-0 h-dvh shrink-0 border-r border-line bg-canvas max-md:hidden',
          collapsed ? 'w-13' : 'w-56',
        )}
      >
        <Sidebar workspace={workspace} narrow={collapsed} pathname={pathname} onToggle={toggleSidebar} />
      </aside>
      <MobileBar key={pathname} workspace={workspace} pathname={pathname} />
      <main id="content" ref={content} tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-8 sm:py-8">
          <Outlet />
        </div>
      </main>
    </div>
  )
}

/** The frame of every page of a workspace. It finds the workspace, shows its faults, and gives it to the pages. */
export const WorkspaceShell = () => {
  const { workspaceId } = useParams()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const actOnBehalfOf = useSession((state) => state.actOnBehalfOf)
  const name = `workspaces/${workspaceId ?? ''}`
  const list = useQuery(workspacesQuery(user))
  const own = useQuery({ ...workspaceQuery(name), enabled: workspaceId !== undefined })
  useEffect(() => {
    if (list.data !== undefined) workspacesLoaded(list.data)
    if (own.data === undefined) return
    workspaceEntered(own.data)
    useUi.setState({ lastWorkspace: own.data.name })
  }, [list.data, own.data])

  const failed = own.isError ? own : list.isError ? list : undefined
  if (failed !== undefined && failed.data === undefined)
    return (
      <main>
        <ErrorScreen page error={failed.error} onRetry={() => void failed.refetch()} />
      </main>
    )
  if (list.data === undefined || own.data === undefined) return <ShellSkeleton />
  let workspace: Workspace
  try {
    workspace = resolveWorkspace(workspaceId, list.data, actOnBehalfOf)
  } catch (error) {
    return (
      <main>
        <ErrorScreen page error={error} />
      </main>
    )
  }
  return (
    <WorkspaceProvider value={workspace}>
      <Frame key={workspace.name} workspace={workspace} />
    </WorkspaceProvider>
  )
}
