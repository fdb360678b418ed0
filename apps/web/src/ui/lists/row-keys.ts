import type { KeyboardEvent } from 'react'

/** The element of a row that takes the focus: the row itself if it is a button, otherwise its first link or button. */
const openerOf = (row: HTMLTableRowElement | null | undefined): HTMLElement | null => {
  if (row === null || row === undefined) return null
  return row.tabIndex === 0 ? row : row.querySelector<HTMLElement>('a[href], button:not(:disabled)')
}

/** Maximum number of frames before a row is rendered to which the table has scrolled. */
const patience = 30

const focusIndex = (body: HTMLTableSectionElement, index: number, frames = 0): void => {
  const opener = openerOf(body.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`))
  if (opener !== null) opener.focus()
  else if (frames < patience) requestAnimationFrame(() => focusIndex(body, index, frames + 1))
}

/**
 * Moves the focus between the rows of a table body: ↑ and ↓ by one row, Home and End to the first and the last. The row
 * itself handles Enter. If only some rows are rendered, each has its position as `data-index`. `all` then has the
 * number of all rows, and a function that scrolls to one.
 */
export const rowKeys =
  (all?: { count: number; show: (index: number) => void }) =>
  (event: KeyboardEvent<HTMLTableSectionElement>): void => {
    const { key, currentTarget: body, target } = event
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !(target instanceof HTMLElement)) return
    if (!['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(key)) return
    const row = target.closest('tr')
    if (row === null || openerOf(row) !== target) return
    event.preventDefault()
    const openers = Array.from(body.querySelectorAll('tr')).flatMap((each) => openerOf(each) ?? [])
    const at = openers.indexOf(target)
    if (key === 'ArrowDown') return openers[at + 1]?.focus()
    if (key === 'ArrowUp') return openers[at - 1]?.focus()
    if (all === undefined) return (key === 'Home' ? openers[0] : openers.at(-1))?.focus()
    const index = key === 'Home' ? 0 : all.count - 1
    all.show(index)
    focusIndex(body, index)
  }

/** Moves the focus from a search box to the first row of the list. Returns false if there are no rows. */
export const focusFirstRow = (page: ParentNode): boolean => {
  for (const row of page.querySelectorAll<HTMLTableRowElement>('main tbody tr')) {
    const opener = openerOf(row)
    if (opener === null || opener.getClientRects().length === 0) continue
    opener.focus()
    return true
  }
  return false
}
