import type { ReactNode } from 'react'
import { Wordmark } from './wordmark.tsx'

/**
 * The frame of a page outside of the application's navigation: the product's name and one card, with further links
 * below it. Without a title, the content contains the heading.
 */
export const EntryFrame = ({
  title,
  description,
  footer,
  children,
}: {
  title?: string
  description?: ReactNode
  footer?: ReactNode
  children?: ReactNode
}) => (
  <main className="grid min-h-dvh place-items-center px-4 py-10">
    <div className="w-full max-w-104">
      <div className="mb-6 flex justify-center">
        <Wordmark />
      </div>
      <div className="rounded-xl border border-line bg-surface p-6 shadow-card">
        {title !== undefined && <h1 className="text-lg font-semibold tracking-tight text-balance">{title}</h1>}
        {description !== undefined && <p className="mt-0.5 text-sm break-words text-ink-2">{description}</p>}
        {title === undefined ? children : children !== undefined && <div className="mt-5">{children}</div>}
      </div>
      {footer !== undefined && <div className="mt-5 space-y-2 text-center text-sm text-ink-2">{footer}</div>}
    </div>
  </main>
)
