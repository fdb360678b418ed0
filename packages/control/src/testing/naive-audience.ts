import {
  type AudienceQuery,
  decimalText,
  type SegmentQuery,
  type SelectedAttribute,
  timeframeMs,
} from '@tributary/contract'

/** A stored event. Times are epoch ms. */
export type NaiveEvent = {
  type: string
  event: string
  properties: unknown
  traits: unknown
  timestamp: number
  receivedAt: number
  status: string
  test: boolean
}

/** A profile with all stored data that audiences can use. */
export type NaiveProfile = {
  hasUserId: boolean
  events: readonly NaiveEvent[]
  /** Returns the latest value of a trait, which may be nested in an object. Returns undefined if there is none. */
  traitOf: (name: string) => unknown
}

type Options = { asOf: number; queryOf: (audience: string) => AudienceQuery | undefined }

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : undefined

/** Converts a decimal number to a whole number of units of 10^-100. */
const scaled = (text: string): bigint => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]*))?$/.exec(text) ?? []
  return BigInt(`${sign}${whole}${fraction.padEnd(100, '0')}`)
}

const numberOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'number') return scaled(String(value))
  return typeof value === 'string' && decimalText.test(value) ? scaled(value) : undefined
}

const dateShape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))?)?$/

/**
 * Parses a date with JavaScript. Undefined for dates that JavaScript would change to another day, such as February 30.
 */
const timeOf = (value: unknown): { day: string; time: number; isDay: boolean } | undefined => {
  const found = typeof value === 'string' ? dateShape.exec(value) : null
  if (found === null) return undefined
  const [, day = '', clock, second = '00', fraction = '', sign, hours = '0', minutes = '0'] = found
  const written = `${day}T${clock ?? '00:00'}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
  const time = Date.parse(written)
  if (Number.isNaN(time) || new Date(time).toISOString() !== written || day.startsWith('0000')) return undefined
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const zone = Number(hours) * 3_600_000 + Number(minutes) * 60_000
  return { day, time: sign === '-' ? time + zone : time - zone, isDay: clock === undefined }
}

const day = 86_400_000

const meetsDate = (found: unknown, { operator, value, values }: SelectedAttribute, asOf: number): boolean => {
  const at = timeOf(found)?.time
  if (at === undefined) return false
  const isBefore = (given: string): boolean => at < (timeOf(given)?.time ?? Number.NaN)
  const isAfter = (given: string): boolean => {
    const { time = Number.NaN, isDay = false } = timeOf(given) ?? {}
    return isDay ? at >= time + day : at > time
  }
  const days = Number(value) * day
  const age = asOf - at
  const kinds: Partial<Record<SelectedAttribute['operator'], () => boolean>> = {
    before: () => isBefore(value),
    after: () => isAfter(value),
    between: () => !isBefore(values[0] ?? '') && !isAfter(values[1] ?? ''),
    today: () => new Date(at).toISOString().slice(0, 10) === new Date(asOf).toISOString().slice(0, 10),
    within_last: () => age >= 0 && age < days,
    before_last: () => age >= days,
    within_next: () => age < 0 && age >= -days,
    after_next: () => age < -days,
  }
  return kinds[operator]?.() === true
}

/** Whether a value is set: not null, or an object with a set value inside. */
const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).some(isSet)
    : value !== undefined && value !== null

const meetsAttribute = (found: unknown, attribute: SelectedAttribute, asOf: number): boolean => {
  const { operator, valueType, value, values } = attribute
  const text = textOf(found)
  const number = numberOf(found)
  const equals = (given: string): boolean =>
    valueType === 'number' ? number === scaled(given) : text !== undefined && text === given
  const contains = (part: string): boolean =>
    Array.isArray(found) ? found.includes(part) : text?.includes(part) === true
  const compare = (holds: (difference: bigint) => boolean): boolean =>
    number !== undefined && holds(number - scaled(value))
  switch (operator) {
    case 'exists':
      return isSet(found)
    case 'not_exists':
      return !isSet(found)
    case 'equals':
      return equals(value)
    case 'not_equals':
      return !equals(value)
    case 'equals_any':
      return values.some(equals)
    case 'not_equals_any':
      return !values.some(equals)
    case 'contains':
      return contains(value)
    case 'contains_any':
      return values.some(contains)
    case 'not_contains':
      return !contains(value)
    case 'starts_with':
      return text?.startsWith(value) === true
    case 'ends_with':
      return text?.endsWith(value) === true
    case 'greater_than':
      return compare((difference) => difference > 0)
    case 'at_least':
      return compare((difference) => difference >= 0)
    case 'less_than':
      return compare((difference) => difference < 0)
    case 'at_most':
      return compare((difference) => difference <= 0)
    default:
      return meetsDate(found, attribute, asOf)
  }
}

/** Returns the value at a path through objects. */
export const propertyAt = (value: unknown, path: string): unknown => {
  if (path === '') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  for (const [name, inside] of Object.entries(value)) {
    const rest = path === name ? '' : path.startsWith(`${name}.`) ? path.slice(name.length + 1) : undefined
    const found = rest === undefined ? undefined : propertyAt(inside, rest)
    if (found !== undefined) return found
  }
  return undefined
}

const meetsEvent = (query: SegmentQuery, profile: NaiveProfile, { asOf }: Options): boolean => {
  const count = profile.events.filter((event) => {
    if (event.status !== 'accepted' || event.test || event.receivedAt > asOf) return false
    if ((event.event === '' ? event.type : event.event) !== query.selectedEvent && event.event !== query.selectedEvent)
      return false
    const time = Math.min(event.timestamp, event.receivedAt)
    if (query.timeframe !== null && time <= asOf - timeframeMs(query.timeframe)) return false
    if (query.dates !== undefined) {
      const [first, last] = [timeOf(query.dates.first), timeOf(query.dates.last)]
      if (first === undefined || last === undefined || time < first.time) return false
      if (time >= last.time + (last.isDay ? day : 1)) return false
    }
    const inside = ['identify', 'group'].includes(query.selectedEvent) ? event.traits : event.properties
    return query.selectedAttributes.every((each) => meetsAttribute(propertyAt(inside, each.name), each, asOf))
  }).length
  const { operator, value } = query.count
  return operator === 'at_least' ? count >= value : operator === 'exactly' ? count === value : count <= value
}

/** Whether a profile belongs to an audience. The simplest possible implementation, to compare the compiler with. */
export const meetsQuery = (query: AudienceQuery, profile: NaiveProfile, options: Options): boolean => {
  if (!query.includeAnonymous && !profile.hasUserId) return false
  const meets = (each: SegmentQuery): boolean => {
    if (each.type === 'event') return meetsEvent(each, profile, options)
    if (each.type === 'attribute')
      return each.selectedAttributes.every((attribute) =>
        meetsAttribute(profile.traitOf(attribute.name), attribute, options.asOf),
      )
    const other = options.queryOf(each.selectedAudience?.name ?? '')
    return (other !== undefined && meetsQuery(other, profile, options)) === each.selectedAudience?.member
  }
  const all = { and: 'every', or: 'some' } as const
  return Object.values(query.groups)[all[query.operator]](({ operator, segments }) =>
    segments[all[operator]](({ queries }) => queries.every(meets)),
  )
}
