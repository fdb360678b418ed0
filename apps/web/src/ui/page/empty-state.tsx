import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

/** Shown in an empty list or area: its purpose, and the next action. */
export const EmptyState = ({
  icon,
  title,
  children,
  action,
  className,
}: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  className?: string
}) => (
  <div
    className={cn(
      'flex flex-col items-center rounded-lg border border-dashed border-line-strong bg-surface px-6 py-14 text-center',
      className,
    )}
  >
    {icon !== undefined && (
      <span
        aria-hidden
        className="mb-4 grid size-10 place-items-center rounded-lg border border-line bg-canvas text-ink-2 shadow-card [&_svg]:size-5"
      >
        {icon}
      </span>
    )}
    <h2 className="text-base font-semibold">{title}</h2>
    {children !== undefined && <p className="mt-1 max-w-md text-sm text-balance text-ink-2">{children}</p>}
    {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
)
