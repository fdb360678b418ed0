import { CloudOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { askServer, useReachability } from '../../lib/api/reachability.ts'
import { cn } from '../../ui/cn.ts'

/**
 * Wraps every page with a banner while the server is unreachable. `--away` is the banner's height, for sticky elements.
 * Its live region always exists, so that screen readers announce it when it gets content.
 */
export const AwayFrame = ({ children }: { children: ReactNode }) => {
  const { state, asking } = useReachability()
  const away = state === 'away'
  return (
    <div className={cn(away && '[--away:2.25rem] [--banner:var(--away)]')}>
      <output className={cn('block', away && 'sticky top-0 z-30')}>
        {away && (
          <span className="flex h-9 items-center justify-center gap-x-3 bg-warning px-4 text-sm text-on-warning">
            <CloudOff aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 truncate">
              <span className="font-medium">The server can't be reached.</span>
              <span className="max-sm:hidden"> Trying to reconnect. Changes can't be saved until then.</span>
            </span>
            <button
              type="button"
              aria-disabled={asking}
              onClick={() => void askServer()}
              className="h-6 shrink-0 rounded-md border border-on-warning/50 px-2 text-xs font-medium transition-colors hover:bg-on-warning/10 focus-visible:outline-on-warning"
            >
              Retry now
            </button>
          </span>
        )}
      </output>
      {children}
    </div>
  )
}
