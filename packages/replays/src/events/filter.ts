import type { methods, ParsedQuery } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'

/** The filter of a list of events, with the source as an ID and without the profile. */
export type EventFilter = Omit<
  ParsedQuery<typeof methods.events.listBySource>,
  'page_size' | 'page_token' | 'profile'
> & {
  source?: string | undefined
}

/** SQL conditions on events, and their parameters, which appear in the conditions as `{name:Type}`. */
type Conditions = {
  where: string[]
  /** Conditions that read so much data that they are only checked for events that meet all other conditions. */
  late: string[]
  params: Record<string, unknown>
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/** The last time that the event store's type for times can compare with, epoch ms (in the year 2286). */
const lastInstant = 9_999_999_999_999

const instant = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.min(Math.max(Date.parse(text), 0), lastInstant)

/** The paths of an event's properties or traits in the received text. */
const holders = [
  { place: "'properties'", of: '' },
  { place: "'traits'", of: '' },
  // `context.traits` of other types are not traits of the event itself.
  { place: "'context', 'traits'", of: "type = 'identify' and " },
] as const

/**
 * Maximum number of digits of an integer that is compared as a double. With more digits, integers next to each other
 * have the same double, so they are compared as text.
 */
const exactDigits = 15
const integer = /^-?\d+$/
const numeral = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i

/**
 * Returns how to read a property from a JSON column. A path that is named in the statement is read alone;
 * `getSubcolumn` reads the whole column. Undefined for names with characters that have a meaning in a path (dots,
 * brackets, `^`, `:`).
 */
const columnOf = (property: string): ((column: string) => string) | undefined => {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(property)) return (column) => `${column}.{property_name:Identifier}`
  return /^[\p{L}\p{N}_ $/-]+$/u.test(property) ? (column) => `getSubcolumn(${column}, {property:String})` : undefined
}

type Value = { number: number | undefined; truth: boolean; long: boolean }

const valueIn = (text: string): Value => {
  const long = integer.test(text) && text.length > exactDigits
  return {
    number: numeral.test(text) && !long ? Number(text) : undefined,
    truth: text === 'true' || text === 'false',
    long,
  }
}

/**
 * Returns a condition that a JSON column may contain the value. The condition is never false for an event that has the
 * value.
 */
const columnMayHave = (path: string, value: Value): string => {
  const any = [`dynamicElement(${path}, 'String') = {property_value:String}`]
  if (value.truth) any.push(`dynamicElement(${path}, 'Bool') = {property_truth:Bool}`)
  if (value.number !== undefined)
    // Each type is read as a subcolumn of its own. An integer with so few digits is never stored as UInt64.
    for (const type of Number.isInteger(value.number) ? ['Int64', 'Float64'] : ['Float64'])
      any.push(`dynamicElement(${path}, '${type}') = {property_number:Float64}`)
  if (value.long) any.push(`toString(${path}) = {property_value:String}`)
  return any.join(' or ')
}

/** Returns a condition that the received text has the value at this path. */
const originalHas = (place: string, value: Value): string => {
  const type = `JSONType(original, ${place}, {property:String})`
  const any = [
    `(${type} = 'String' and JSONExtractString(original, ${place}, {property:String}) = {property_value:String})`,
  ]
  if (value.truth || value.long)
    any.push(
      `(${type} in ('Int64', 'UInt64', 'Double', 'Bool') and JSONExtractRaw(original, ${place}, {property:String}) = {property_value:String})`,
    )
  if (value.number !== undefined)
    any.push(
      `(${type} in ('Int64', 'UInt64', 'Double') and JSONExtractFloat(original, ${place}, {property:String}) = {property_number:Float64})`,
    )
  return any.join(' or ')
}

/**
 * Matches events whose property or trait has this name and text. A string matches its own text, a number any notation
 * of it, a boolean `true` or `false`; objects and lists never match.
 *
 * The received text decides, since only it separates a dot in a name from nesting. Reading it takes 30 times as much as
 * one property of the JSON columns, so the columns preselect events. For 3 million events that takes 0.2 s instead of 4
 * s, or 1 s if `columnOf` has to read whole columns. Rejected events have empty columns, so their received texts are
 * read when the status includes them.
 */
const propertyConditions = (property: string, text: string, status: string | undefined): Conditions => {
  const value = valueIn(text)
  const path = status === 'rejected' ? undefined : columnOf(property)
  const column =
    path === undefined
      ? []
      : [`(${['properties', 'traits'].map((each) => columnMayHave(path(each), value)).join(' or ')})`]
  const original = holders.map(({ place, of }) => `(${of}(${originalHas(place, value)}))`)
  // The engine cannot parse a text with an integer of more than 64 bits; the columns decide about such events.
  if (path !== undefined && !value.long) original.push('not isValidJSON(original)')
  return {
    where: path === undefined && status === undefined ? ["status != 'rejected'"] : column,
    late: [`(${original.join(' or ')})`],
    params: {
      property,
      property_value: text,
      ...(path?.('').includes('Identifier') === true ? { property_name: property } : {}),
      ...(value.number === undefined ? {} : { property_number: value.number }),
      ...(value.truth ? { property_truth: text === 'true' } : {}),
    },
  }
}

/** Returns the period of a filter: from `start` on and before `end`, both epoch ms. */
export const spanOf = (filter: EventFilter): { start: number | undefined; end: number | undefined } => ({
  start: instant(filter.start_time),
  end: instant(filter.end_time),
})

const equal = {
  source: 'source_id',
  type: 'type',
  status: 'status',
  compatibility: 'compatibility',
  event: 'event',
  message_id: 'message_id',
} as const satisfies Partial<Record<keyof EventFilter, string>>

const equalKeys = ['source', 'type', 'status', 'compatibility', 'event', 'message_id'] as const

/**
 * Converts a filter, except for its period, to SQL conditions. Values are parameters, never part of the statement.
 * Throws 400 for filters that contradict each other.
 */
export const eventConditions = (filter: EventFilter): Conditions => {
  const { start, end } = spanOf(filter)
  if (start !== undefined && end !== undefined && end <= start) throw refuse('end_time', 'Must be after start_time')
  const { property, property_value: value } = filter
  if (property !== undefined && value === undefined) throw refuse('property_value', 'Required with property')
  if (property === undefined && value !== undefined) throw refuse('property', 'Required with property_value')

  const where: string[] = []
  const late: string[] = []
  const params: Record<string, unknown> = {}
  for (const key of equalKeys) {
    if (filter[key] === undefined) continue
    where.push(`${equal[key]} = {${key}:String}`)
    params[key] = filter[key]
  }
  if (filter.test !== undefined) {
    where.push('test = {test:Bool}')
    params['test'] = filter.test === 'true'
  }
  if (filter.user_id !== undefined) {
    where.push('(user_id = {user_id:String} or anonymous_id = {user_id:String})')
    params['user_id'] = filter.user_id
  }
  if (filter.search !== undefined) {
    where.push("positionCaseInsensitiveUTF8(if(event = '', type, event), {search:String}) > 0")
    params['search'] = filter.search
  }
  if (property !== undefined && value !== undefined) {
    const ofProperty = propertyConditions(property, value, filter.status)
    where.push(...ofProperty.where)
    late.push(...ofProperty.late)
    Object.assign(params, ofProperty.params)
  }
  return { where, late, params }
}
