import { cn } from '../cn.ts'
import { LoadingNote } from './loading-note.tsx'

/** A gray bar in place of text or a control that is loading. The region around it has aria-busy. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block animate-shimmer rounded-sm bg-active', className)} />
)

/** A table with `rows` rows of skeletons, which has the layout of the loaded list. */
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

/** A card with skeletons, which has the layout of the loaded settings card. */
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
