import { compatibilities, eventTypes } from '@tributary/contract'
import { X } from 'lucide-react'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { Button } from '../../../ui/button.tsx'
import { SearchInput, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { isFiltered, type LiveFilters, noFilters, withFilter } from './live-filters.ts'

/** The filters of the live list. They narrow the shown events; events that do not match still arrive. */
export const LiveFilterBar = ({
  filters,
  onFilters,
}: {
  filters: LiveFilters
  onFilters: (filters: LiveFilters) => void
}) => {
  const control = (name: keyof LiveFilters) => ({
    value: filters[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onFilters(withFilter(filters, name, currentTarget.value)),
  })
  return (
    <search
      aria-label="Filter events"
      className="grid grid-cols-2 gap-2 border-b border-line px-3 py-2 @lg:flex @lg:flex-wrap @lg:items-center"
    >
      <SearchInput
        label="Search by name"
        {...control('text')}
        className="w-auto sm:w-auto @max-lg:col-span-2 @lg:w-52"
      />
      <Select aria-label="Event type" {...control('type')}>
        <option value="">Any type</option>
        <Options of={eventTypes} />
      </Select>
      <Select aria-label="Environment" {...control('environment')}>
        <option value="">Test and Prod</option>
        <option value="test">Test</option>
        <option value="prod">Prod</option>
      </Select>
      <Select aria-label="Compatibility" {...control('compatibility')} className="@max-lg:col-span-2">
        <option value="">Any compatibility</option>
        <Options of={compatibilities} title={(each) => compatibilityWords[each].title} />
      </Select>
      {isFiltered(filters) && (
        <Button variant="none" size="sm" onClick={() => onFilters(noFilters)} className="@max-lg:col-span-2">
          <X aria-hidden />
          Clear filters
        </Button>
      )}
    </search>
  )
}
