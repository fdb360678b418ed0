import { useIsSidebarCollapsed } from '../../lib/browser/ui-store.ts'
import { cn } from '../../ui/cn.ts'
import { LoadingNote } from '../../ui/page/loading-note.tsx'
import { CardSkeleton, Skeleton } from '../../ui/page/skeleton.tsx'

/** The frame of a workspace page while the workspace is loading. */
export const ShellSkeleton = () => {
  const collapsed = useIsSidebarCollapsed()
  return (
    <div aria-busy className="flex min-h-dvh">
      <LoadingNote />
      <div className={cn('space-y-3 border-r border-line p-4 max-md:hidden', collapsed ? 'w-13' : 'w-56')}>
        <Skeleton className="h-6 w-full max-w-32" />
        <Skeleton className="mt-8 h-4 w-full max-w-24" />
        <Skeleton className="h-4 w-full max-w-28" />
        <Skeleton className="h-4 w-full max-w-28" />
      </div>
      <div className="mx-auto w-full max-w-5xl space-y-6 p-6">
        <Skeleton className="h-6 w-48" />
        <CardSkeleton />
      </div>
    </div>
  )
}
