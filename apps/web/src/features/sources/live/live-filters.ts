import { type Compatibility, compatibilities, type EventType, eventTypes } from '@tributary/contract'
import { type KnownSchemas, type LiveEvent, validationOf } from './live-event.ts'

/** The filters of the live list; '' means any. */
export type LiveFilters = {
  /** A part of the name of the event. Case is ignored. */
  text: string
  type: EventType | ''
  environment: 'test' | 'prod' | ''
  compatibility: Compatibility | ''
}

/** Matches every event. */
export const noFilters: LiveFilters = { text: '', type: '', environment: '', compatibility: '' }

/** Whether a filter is set. */
export const isFiltered = ({ text, type, environment, compatibility }: LiveFilters): boolean =>
  text.trim() !== '' || type !== '' || environment !== '' || compatibility !== ''

/** Whether an event matches all filters; its compatibility is the one shown in its row. */
export const matches = (event: LiveEvent, filters: LiveFilters, known: KnownSchemas): boolean =>
  (filters.type === '' || event.type === filters.type) &&
  (filters.environment === '' || event.test === (filters.environment === 'test')) &&
  event.title.toLowerCase().includes(filters.text.trim().toLowerCase()) &&
  (filters.compatibility === '' || validationOf(event, known)?.compatibility === filters.compatibility)

/** The filters in a URL: only the active ones. */
export const writeLiveFilters = ({ text, type, environment, compatibility }: LiveFilters): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ search: text, type, environment, compatibility }).filter(([, value]) => value !== ''),
  )

const choice = <Value extends string>(values: readonly Value[], text: string): Value | '' =>
  values.find((value) => value === text) ?? ''

/** Returns the filters after a control has set one of them. An unknown value means any. */
export const withFilter = (filters: LiveFilters, name: keyof LiveFilters, value: string): LiveFilters => {
  switch (name) {
    case 'text':
      return { ...filters, text: value }
    case 'type':
      return { ...filters, type: choice(eventTypes, value) }
    case 'environment':
      return { ...filters, environment: choice(['test', 'prod'], value) }
    case 'compatibility':
      return { ...filters, compatibility: choice(compatibilities, value) }
  }
}

/** Parses the filters in a URL. An absent or invalid filter means any. */
export const readLiveFilters = (query: URLSearchParams): LiveFilters => {
  const names = { text: 'search', type: 'type', environment: 'environment', compatibility: 'compatibility' } as const
  return (['text', 'type', 'environment', 'compatibility'] as const).reduce(
    (filters, name) => withFilter(filters, name, query.get(names[name]) ?? ''),
    noFilters,
  )
}
