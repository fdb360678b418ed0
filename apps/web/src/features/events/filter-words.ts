import type { Source } from '@tributary/contract'
import { compatibilityWords } from '../../lib/events/compatibility-words.ts'
import type { EventFilters } from '../../lib/events/event-filters.ts'
import { rangePresets, viewOf } from '../../lib/format/date-range.ts'
import { humanise } from '../../lib/format/text.ts'
import { localTime } from '../../lib/format/time.ts'

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The texts of filter options. */
export const choiceWords = {
  type: capital,
  status: capital,
  compatibility: (value: string): string =>
    Object.entries(compatibilityWords).find(([name]) => name === value)?.[1].title ?? capital(humanise(value)),
  test: (value: string): string => (value === 'true' ? 'Test' : 'Production'),
  profile: (): string => 'No profile',
  by: (): string => 'When they happened',
} as const

/** One active filter as text, and the names of its parts. */
export type SetFilter = { label: string; value: string; names: (keyof EventFilters)[] }

/** The active filters as texts; a property counts only with its value. */
export const setFilters = (filters: EventFilters, sources: readonly Pick<Source, 'name' | 'title'>[]): SetFilter[] => {
  const found: SetFilter[] = []
  const add = (label: string, value: string, names: (keyof EventFilters)[]): void => {
    if (value !== '') found.push({ label, value, names })
  }
  add('Name contains', filters.search, ['search'])
  if (filters.source !== '')
    add('Source', sources.find(({ name }) => name === filters.source)?.title ?? 'Deleted source', ['source'])
  const preset = rangePresets.find((each) => each === filters.range)
  if (preset !== undefined) add('Time', viewOf(preset).title, ['range'])
  else {
    add('From', filters.from === '' ? '' : localTime(filters.from), ['from'])
    add('Before', filters.to === '' ? '' : localTime(filters.to), ['to'])
  }
  for (const [name, label] of [
    ['type', 'Type'],
    ['status', 'Status'],
    ['compatibility', 'Compatibility'],
    ['test', 'Environment'],
    ['profile', 'Profile'],
    ['by', 'Times'],
  ] as const)
    if (filters[name] !== '') add(label, choiceWords[name](filters[name]), [name])
  add('User', filters.user, ['user'])
  add('Message ID', filters.message, ['message'])
  if (filters.property !== '' && filters.value !== '') add(filters.property, filters.value, ['property', 'value'])
  return found
}
