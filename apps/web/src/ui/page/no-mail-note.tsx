import { Info } from 'lucide-react'
import type { ReactNode } from 'react'

/** A note that the server sends no email. `children` say what to do instead. */
export const NoMailNote = ({ children }: { children: ReactNode }) => (
  <p className="flex items-start gap-2 rounded-md bg-warning-soft px-3 py-2 text-xs text-warning-ink">
    <Info aria-hidden className="mt-px size-4 shrink-0" />
    <span className="min-w-0">No mail server is set up. {children}</span>
  </p>
)
