import type { Source } from '@tributary/contract'
import { SlidersHorizontal, X } from 'lucide-react'
import { useId, useState } from 'react'
import { type EventFilters, noFilters } from '../../lib/events/event-filters.ts'
import { Button } from '../../ui/button.tsx'
import { MainFields, MoreFields, TimeFields } from './filter-fields.tsx'
import { type SetFilter, setFilters } from './filter-words.ts'

const inBar: readonly (keyof EventFilters)[] = ['search', 'source', 'range', 'from', 'to']

const Chip = ({ filter, onRemove }: { filter: SetFilter; onRemove: () => void }) => (
  <li className="flex max-w-full min-w-0 items-center rounded-full bg-accent-soft py-0.5 pr-1 pl-2.5 text-xs text-accent-ink">
    <span className="min-w-0 truncate" title={`${filter.label}: ${filter.value}`}>
      {filter.label}: <span className="font-medium">{filter.value}</span>
    </span>
    <button
      type="button"
      aria-label={`Remove filter ${filter.label}`}
      onClick={onRemove}
      className="ml-1 grid size-5 shrink-0 place-items-center rounded-full hover:bg-hover"
    >
      <X aria-hidden className="size-3" />
    </button>
  </li>
)

/** The filters of the list, and the active ones as a row of removable tags. */
export const FiltersBar = ({
  filters,
  change,
  sources,
}: {
  filters: EventFilters
  change: (some: Partial<EventFilters>) => void
  sources: readonly Source[]
}) => {
  const id = useId()
  const set = setFilters(filters, sources)
  const [open, setOpen] = useState(set.some(({ names }) => names.some((name) => !inBar.includes(name))))
  const remove = (names: readonly (keyof EventFilters)[]): void =>
    change(Object.fromEntries(names.map((name) => [name, ''])))
  return (
    <search aria-label="Filters" className="space-y-4">
      <div className="flex flex-wrap items-center gap-2">
        <MainFields filters={filters} change={change} sources={sources} />
        <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <SlidersHorizontal aria-hidden />
          {open ? 'Fewer filters' : 'More filters'}
        </Button>
      </div>
      <TimeFields filters={filters} change={change} />
      <div id={id} hidden={!open} className="rounded-lg border border-line bg-surface p-4">
        {open && <MoreFields filters={filters} change={change} />}
      </div>
      {set.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <ul aria-label="Active filters" className="flex max-w-full min-w-0 flex-wrap gap-2">
            {set.map((filter) => (
              <Chip key={filter.label} filter={filter} onRemove={() => remove(filter.names)} />
            ))}
          </ul>
          <Button variant="none" size="xs" onClick={() => change(noFilters)}>
            Clear filters
          </Button>
        </div>
      )}
    </search>
  )
}
