import { compatibilities, eventStatuses, eventTypes, type MethodQuery, type methods } from '@tributary/contract'
import { rangeOf, rangePresets } from '../format/date-range.ts'

/** The filters of the event explorer; '' is no filter. The URL of the page has them by these names. */
export type EventFilters = {
  /** Resource name of a source. */
  source: string
  /** Part of the event's name. */
  search: string
  type: string
  status: string
  compatibility: string
  /** `true` for test events, `false` for the others. */
  test: string
  /** User or anonymous id, whole. */
  user: string
  /** Message id, whole. */
  message: string
  /** `none` for events without a profile. */
  profile: string
  /** A property or trait, and its value; they count together only. */
  property: string
  value: string
  /** A preset of `lib/format/date-range.ts`; wins over `from` and `to` (RFC 3339), which end before `to`. */
  range: string
  from: string
  to: string
  /** `event_time` where events are listed and narrowed by when they happened; '' for when they were received. */
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

/** The filters as an address holds them: those that are set. */
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

/** The request at a moment (epoch ms). */
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
