import type { ReactNode } from 'react'

/** A list that fills a card to its edges; its rows are `CardRow`s. */
export const CardList = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ul aria-label={label} className="-mx-5 -mb-4 divide-y divide-line border-t border-line">
    {children}
  </ul>
)

/** A row of a list in a card: its content and its actions. On a narrow page, the actions are below the content. */
export const CardRow = ({ label, children }: { label?: string; children: ReactNode }) => (
  <li aria-label={label} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-5 py-3">
    {children}
  </li>
)
