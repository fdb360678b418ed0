import type { ReactNode } from 'react'
import { cn } from './cn.ts'

/** A framed section with an optional heading, an explanation in one line, and a row of actions. */
export const Card = ({
  title,
  description,
  action,
  footer,
  tone = 'normal',
  children,
  className,
}: {
  title?: ReactNode
  description?: ReactNode
  action?: ReactNode
  footer?: ReactNode
  tone?: 'normal' | 'danger'
  children?: ReactNode
  className?: string
}) => (
  <section
    className={cn(
      'rounded-lg border bg-surface shadow-card',
      tone === 'danger' ? 'border-danger/40' : 'border-line',
      className,
    )}
  >
    {(title !== undefined || action !== undefined) && (
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-4">
        <div className="min-w-0 flex-1 basis-52">
          {title !== undefined && <h2 className="text-base font-semibold">{title}</h2>}
          {description !== undefined && <p className="mt-0.5 text-sm text-ink-2">{description}</p>}
        </div>
        {action}
      </header>
    )}
    {children !== undefined && <div className="px-5 py-4">{children}</div>}
    {footer !== undefined && (
      <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-lg border-t border-line bg-canvas px-5 py-3">
        {footer}
      </footer>
    )}
  </section>
)
