import type { ReactElement } from 'react'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'

/** The look of every row of the sidebar. */
export const sidebarRow =
  'flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-ink-2 transition-colors hover:bg-hover hover:text-ink aria-disabled:cursor-not-allowed aria-disabled:opacity-55'

/** A tooltip with the name of a row whose text is hidden. */
export const Hint = ({ text, when, children }: { text: string; when: boolean; children: ReactElement }) =>
  when ? (
    <Tooltip text={text} side="right">
      {children}
    </Tooltip>
  ) : (
    children
  )
