import { cn } from '../cn.ts'
import { LoadingNote } from './loading-note.tsx'

/** A grey bar where text or a control will be. The region around it carries aria-busy. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block animate-shimmer rounded-sm bg-active', className)} />
)

/** The final layout of a list while its rows load: a framed table with `rows` rows. */
export const TableSkeleton = ({ rows = 5, columns = 4 }: { rows?: number; columns?: number }) => (
  <div aria-busy className="overflow-hidden rounded-lg border border-line bg-surface">
    <LoadingNote />
    <div className="h-9 border-b border-line bg-canvas" />
    {Array.from({ length: rows }, (_, row) => (
      // oxlint-disable-next-line react/no-array-index-key -- rows without identity
      <div key={row} className="flex h-11 items-center gap-6 border-b border-line px-4 last:border-0">
        {Array.from({ length: columns }, (_cell, column) => (
          // oxlint-disable-next-line react/no-array-index-key -- cells without identity
          <Skeleton key={column} className={cn('h-3', column === 0 ? 'w-48' : 'ml-auto w-16 max-sm:hidden')} />
        ))}
      </div>
    ))}
  </div>
)

/** The final layout of a settings card while it loads. */
export const CardSkeleton = ({ lines = 3 }: { lines?: number }) => (
  <div aria-busy className="space-y-4 rounded-lg border border-line bg-surface p-5">
    <LoadingNote />
    <Skeleton className="h-4 w-40" />
    {Array.from({ length: lines }, (_, line) => (
      // oxlint-disable-next-line react/no-array-index-key -- lines without identity
      <Skeleton key={line} className={cn('h-3', line % 2 === 0 ? 'w-full' : 'w-2/3')} />
    ))}
  </div>
)
