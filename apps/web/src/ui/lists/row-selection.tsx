import { type MouseEvent, useEffect, useRef } from 'react'
import { cn } from '../cn.ts'

/** The selected rows of a table, by their IDs. */
export type RowSelection<Row> = {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  /** The title of a row. */
  titleOf: (row: Row) => string
  /** Returns false for a row without possible actions. */
  selectable?: (row: Row) => boolean
}

/**
 * Returns the selected IDs after a click on the checkbox of `id`. If `from` is given (the ID clicked before), all rows
 * between the two in the order of `ids` get the same state as `id`.
 */
export const afterSwitch = (
  selected: ReadonlySet<string>,
  ids: readonly string[],
  id: string,
  from: string | undefined,
): ReadonlySet<string> => {
  const next = new Set(selected)
  const [start, end] = [from === undefined ? -1 : ids.indexOf(from), ids.indexOf(id)]
  const span = start < 0 || end < 0 ? [id] : ids.slice(Math.min(start, end), Math.max(start, end) + 1)
  for (const each of span)
    if (selected.has(id)) next.delete(each)
    else next.add(each)
  return next
}

const cell = 'w-9 pl-4 max-sm:pl-3'

/** The header of the column of checkboxes. Selects all listed rows, or none. */
export const SelectAllHead = ({
  ids,
  selected,
  className,
  onChange,
}: {
  ids: readonly string[]
  selected: ReadonlySet<string>
  className: string
  onChange: (selected: ReadonlySet<string>) => void
}) => {
  const box = useRef<HTMLInputElement>(null)
  const some = ids.some((id) => selected.has(id))
  const all = some && ids.every((id) => selected.has(id))
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = some && !all
  })
  return (
    <th scope="col" className={cn(cell, className)}>
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all"
        className="block size-4 accent-accent"
        checked={all}
        disabled={ids.length === 0}
        onChange={() => onChange(all ? new Set() : new Set(ids))}
      />
    </th>
  )
}

/** The checkbox of a row. A click with Shift selects all rows since the last click. */
export const SelectCell = ({
  title,
  checked,
  disabled,
  onSwitch,
}: {
  title: string
  checked: boolean
  disabled: boolean
  onSwitch: (shift: boolean) => void
}) => (
  <td className={cn('h-11', cell)}>
    <input
      type="checkbox"
      aria-label={`Select ${title}`}
      className="block size-4 accent-accent"
      checked={checked}
      disabled={disabled}
      // React also reports a press of the Space key as a click, with its modifier keys.
      onClick={(event: MouseEvent<HTMLInputElement>) => onSwitch(event.shiftKey)}
      onChange={() => undefined}
    />
  </td>
)
