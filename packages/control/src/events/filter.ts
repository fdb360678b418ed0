import type { methods, ParsedQuery } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'

/** What a list of events may be narrowed to: the query of either list, its `source` as an id. */
export type EventFilter = Omit<ParsedQuery<typeof methods.events.listBySource>, 'page_size' | 'page_token'> & {
  source?: string | undefined
}

/** A condition and its parameters, which appear in it as `{name:Type}`. */
export type Conditions = { where: string[]; params: Record<string, unknown> }

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/** The last instant that the engine's time type can compare with, epoch ms (in the year 2286). */
const lastInstant = 9_999_999_999_999

const instant = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.min(Math.max(Date.parse(text), 0), lastInstant)

/** Where the properties or traits of an event stand in what was received. */
const holders = ["'properties'", "'traits'", "'context', 'traits'"] as const

/** Beyond these digits a number's text is compared: neighbours become the same number. */
const exactDigits = 15

/** The number that a text is, unless it has more digits than a number keeps. */
const numberIn = (text: string): number | undefined =>
  /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i.test(text) && text.replaceAll(/\D/g, '').length <= exactDigits
    ? Number(text)
    : undefined

/**
 * A property or trait of this name has this text: of strings the text itself, of numbers any way to write the number, of
 * booleans `true` or `false`; objects and lists have none. Read from the event as received, where a dot in a name is told
 * from an object inside.
 */
const propertyConditions = (property: string, value: string): Conditions => {
  const number = numberIn(value)
  const matches = holders.map((holder) => {
    const place = `original, ${holder}, {property:String}`
    const scalar = `(JSONType(${place}) in ('Int64', 'UInt64', 'Double', 'Bool') and (JSONExtractRaw(${place}) = {property_value:String}${
      number === undefined
        ? ''
        : ` or (JSONType(${place}) != 'Bool' and JSONExtractFloat(${place}) = {property_number:Float64})`
    }))`
    const text = `(JSONType(${place}) = 'String' and JSONExtractString(${place}) = {property_value:String})`
    // Traits of a context are an event's own only where it is about them.
    return `(${holder === holders[2] ? "type = 'identify' and " : ''}(${text} or ${scalar}))`
  })
  return {
    where: [`(${matches.join(' or ')})`],
    params: { property, property_value: value, ...(number === undefined ? {} : { property_number: number }) },
  }
}

/** What the instants of a filter span: from `start`, before `end`, epoch ms. */
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
 * The conditions that a filter means, its instants excepted. Values are parameters, never text of the statement. Throws
 * 400 for what makes no sense together.
 */
export const eventConditions = (filter: EventFilter): Conditions => {
  const { start, end } = spanOf(filter)
  if (start !== undefined && end !== undefined && end <= start) throw refuse('end_time', 'Must be after start_time')
  const { property, property_value: value } = filter
  if (property !== undefined && value === undefined) throw refuse('property_value', 'Required with property')
  if (property === undefined && value !== undefined) throw refuse('property', 'Required with property_value')

  const where: string[] = []
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
    const ofProperty = propertyConditions(property, value)
    where.push(...ofProperty.where)
    Object.assign(params, ofProperty.params)
  }
  return { where, params }
}
