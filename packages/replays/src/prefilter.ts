import { type Condition, type EventConditions, pathNames } from '@tributary/contract'

/** The SQL conditions that replay filters become, with values as parameters. */
export type Prefilter = { where: string; params: Record<string, string> }

/** Paths of an event that have a column; '' if the event has no such value. */
const columns: Readonly<Record<string, string>> = {
  messageId: 'message_id',
  type: 'type',
  event: 'event',
  userId: 'user_id',
  anonymousId: 'anonymous_id',
  groupId: 'group_id',
}

/** Fields whose values are in the received text, or in the context. */
const written: ReadonlySet<string> = new Set(['properties', 'traits', 'context', 'extra'])

/** For each operator that requires the value to contain a text: the SQL condition for this. */
const asking: Readonly<Partial<Record<Condition['operator'], (column: string, value: string) => string>>> = {
  equals: (column, value) => `${column} = ${value}`,
  contains: (column, value) => `position(${column}, ${value}) > 0`,
  starts_with: (column, value) => `startsWith(${column}, ${value})`,
  ends_with: (column, value) => `endsWith(${column}, ${value})`,
}

/**
 * Whether a text has only one form in an event's JSON, apart from escapes with a backslash. Numbers have several forms,
 * but no number has two adjacent letters, so a text with two of them is no part of a number.
 */
const isPlain = (value: string): boolean =>
  /^[A-Za-z0-9_@. -]+$/.test(value) && /[A-Za-z]{2}/.test(value) && !/infinity|nan/i.test(value)

const oneOf = ({ field, operator, value }: Condition, name: string): string | undefined => {
  const ask = asking[operator]
  if (ask === undefined) return undefined
  const [place = '', ...inner] = pathNames(field)
  const column = columns[place]
  const parameter = `{${name}:String}`
  if (column !== undefined && inner.length === 0) return ask(column, parameter)
  if (!written.has(place) || !isPlain(value)) return undefined
  const stands = ['original', 'context'].flatMap((text) => [
    `position(${text}, ${parameter}) > 0`,
    // A text with escapes may contain anything.
    `position(${text}, '\\\\') > 0`,
  ])
  return `(${stands.join(' or ')})`
}

/**
 * Returns a condition for the event store that reduces the events to read. The condition is false only for events that
 * do not meet the conditions of the filter. Undefined if the conditions cannot be converted.
 */
export const prefilter = ({ match, conditions }: EventConditions): Prefilter | undefined => {
  const params: Record<string, string> = {}
  const parts = conditions.map((condition, index) => {
    const name = `condition_${index}`
    const part = oneOf(condition, name)
    if (part !== undefined) params[name] = condition.value
    return part
  })
  const usable = parts.filter((part) => part !== undefined)
  if (usable.length === 0 || (match === 'any' && usable.length < parts.length)) return undefined
  return { where: `(${usable.join(match === 'all' ? ' and ' : ' or ')})`, params }
}
