import { compatibilities, eventStatuses, eventTypes, type MethodQuery, type methods } from '@tributary/contract'
import { rangeOf, rangePresets } from '../format/date-range.ts'

/** The filters of the list of events; '' is no filter. The names are those of the URL parameters. */
export type EventFilters = {
  /** Resource name of a source. */
  source: string
  /** Part of the event's name. */
  search: string
  type: string
  status: string
  compatibility: string
  /** `true` for test events, `false` for all other events. */
  test: string
  /** A complete user ID or anonymous ID. */
  user: string
  /** A complete message ID. */
  message: string
  /** `none` for events without a profile. */
  profile: string
  /** A property or trait, and its value. Both are needed for a filter. */
  property: string
  value: string
  /** A preset of `lib/format/date-range.ts`. It takes precedence over `from` and `to` (RFC 3339; `to` is exclusive). */
  range: string
  from: string
  to: string
  /** `event_time` if events are listed and filtered by when they happened; '' for the time of receipt. */
  by: string
}

/** No filter at all. */
export const noFilters: EventFilters = {
  source: '',
  search: '',
  type: '',
  status: '',
  compatibility: '',
  test: '',
  user: '',
  message: '',
  profile: '',
  property: '',
  value: '',
  range: '',
  from: '',
  to: '',
  by: '',
}

const isName = (name: string): name is keyof EventFilters => Object.hasOwn(noFilters, name)

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text))

const choices: Partial<Record<keyof EventFilters, readonly string[]>> = {
  type: eventTypes,
  status: eventStatuses,
  compatibility: compatibilities,
  test: ['true', 'false'],
  profile: ['none'],
  range: rangePresets,
  by: ['event_time'],
}

/** The filters of a URL. An unknown choice and an invalid time are ignored. */
export const readFilters = (search: URLSearchParams): EventFilters => {
  const filters = { ...noFilters }
  for (const [name, given] of search) {
    if (!isName(name)) continue
    const value = given.trim()
    const known = name === 'from' || name === 'to' ? isTime(value) : (choices[name]?.includes(value) ?? true)
    if (known) filters[name] = value
  }
  return filters
}

/** Returns the active filters as parameters of a URL. */
export const writeFilters = (filters: EventFilters): URLSearchParams =>
  new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))

type EventQuery = NonNullable<MethodQuery<typeof methods.events.list>>

const oneOf = <Value extends string>(values: readonly Value[], text: string): Value | undefined =>
  values.find((value) => value === text)

const timesOf = ({ range, from, to }: EventFilters, now: number): Pick<EventQuery, 'start_time' | 'end_time'> => {
  const iso = (ms: number): string => new Date(ms).toISOString()
  const preset = oneOf(rangePresets, range)
  if (preset !== undefined) return { start_time: iso(rangeOf(preset, now).start_date.seconds * 1000) }
  return {
    ...(isTime(from) ? { start_time: iso(Date.parse(from)) } : {}),
    ...(isTime(to) ? { end_time: iso(Date.parse(to)) } : {}),
  }
}

/** Returns the request for the filters at a time (epoch ms). */
export const eventQueryOf = (filters: EventFilters, now: number): EventQuery => ({
  source: filters.source,
  search: filters.search,
  type: oneOf(eventTypes, filters.type),
  status: oneOf(eventStatuses, filters.status),
  compatibility: oneOf(compatibilities, filters.compatibility),
  test: oneOf(['true', 'false'], filters.test),
  user_id: filters.user,
  message_id: filters.message,
  profile: oneOf(['none'], filters.profile),
  ...(filters.property === '' || filters.value === ''
    ? {}
    : { property: filters.property, property_value: filters.value }),
  time_by: oneOf(['event_time'], filters.by),
  ...timesOf(filters, now),
})
