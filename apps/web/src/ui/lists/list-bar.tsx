import type { ReactNode } from 'react'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { Button } from '../button.tsx'
import { SearchInput, Select } from '../forms/input.tsx'

/** A select box that filters a list. The value '' is no filter. */
export type ListFilter<Name extends string = string> = {
  name: Name
  label: string
  /** The label of the option without a filter. */
  any: string
  options: readonly { value: string; title: string }[]
}

/**
 * The filters of a list, and the number of matching rows: "12 of 512 sources". If no option has the value in the URL,
 * the value is added as an option, so that users can see and deselect it.
 */
export const ListBar = ({
  label,
  noun,
  filters,
  values,
  onChange,
  shown,
  total,
  children,
}: {
  /** The label of the search box. */
  label: string
  /** The kind of a row, such as "source". */
  noun: string
  filters: readonly ListFilter[]
  /** The values of the filters by their names, and the search text by `search`. */
  values: Readonly<Record<string, string>>
  onChange: (some: Record<string, string>) => void
  shown: number
  total: number
  /** Further controls at the end of the bar. */
  children?: ReactNode
}) => {
  const typed = useTyped(values['search'] ?? '', (search) => onChange({ search }))
  const narrowed = Object.entries(values).some(([, value]) => value !== '')
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <SearchInput label={label} maxLength={200} {...typed} />
      {filters.map(({ name, label: title, any, options }) => {
        const value = values[name] ?? ''
        return (
          <Select
            key={name}
            aria-label={title}
            className="max-sm:min-w-32 max-sm:flex-1 sm:w-40"
            value={value}
            onChange={(event) => onChange({ [name]: event.target.value })}
          >
            <option value="">{any}</option>
            {value !== '' && !options.some((option) => option.value === value) && (
              <option value={value}>{value}</option>
            )}
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.title}
              </option>
            ))}
          </Select>
        )
      })}
      {children}
      <span className="flex min-h-6 items-center gap-2 text-xs text-ink-3 max-sm:w-full sm:ml-auto">
        <output className="tabular">
          {narrowed ? `${count(shown)} of ${count(total)}` : count(total)} {pluralise(total, noun)}
        </output>
        {narrowed && (
          <Button
            variant="none"
            size="xs"
            onClick={() => onChange(Object.fromEntries(Object.keys(values).map((name) => [name, ''])))}
          >
            Clear filters
          </Button>
        )}
      </span>
    </search>
  )
}
