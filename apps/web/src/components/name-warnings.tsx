import type { NameWarning } from '@tributary/contract'
import { createContext, useContext } from 'react'

/** Warnings about names that were never received. They come from the preview of a form. */
export const NameWarnings = createContext<readonly NameWarning[]>([])

const Warnings = ({ warnings }: { warnings: readonly NameWarning[] }) =>
  warnings.length > 0 && (
    <output className="block space-y-1 text-xs text-warning-ink">
      {warnings.map(({ id, field, message }) => (
        <span key={`${id}-${field}`} className="block break-words">
          {message}
        </span>
      ))}
    </output>
  )

/**
 * The warnings about some elements, such as a condition and its properties, below their fields. They do not prevent
 * saving.
 */
export const WarningsOf = ({ ids }: { ids: readonly string[] }) => (
  <Warnings warnings={useContext(NameWarnings).filter(({ id }) => ids.includes(id))} />
)

/** The warnings about one field, found by the name of the field in the request body, or the end of that name. */
export const WarningsAt = ({ field, id = '' }: { field: string; id?: string }) => (
  <Warnings
    warnings={useContext(NameWarnings).filter(
      (each) => (each.field === field || each.field.endsWith(`.${field}`)) && (id === '' || each.id === id),
    )}
  />
)
