import { z } from 'zod'
import { line } from '../api/fields.ts'
import { itemWork, type SpendWork, spendFreely, workOfText, workOfValue } from '../api/work.ts'

/** The comparisons of a condition. */
export const conditionOperators = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
  'exists',
  'not_exists',
] as const
export type ConditionOperator = (typeof conditionOperators)[number]

/** Operators without a value. */
export const withoutValue: ReadonlySet<ConditionOperator> = new Set(['exists', 'not_exists'])

/** An ID of 4 letters and digits, unique within its list. */
export const shortIdText = z.string().regex(/^[0-9A-Za-z]{4}$/, 'Must be four letters or digits')

/**
 * The path of a value in an event: names joined by dots. A dot within a name is written `\.` or `["a.b"]`, a list index
 * as a number or `[0]`.
 */
export const eventPath = line(300).min(1, 'Required')

/** A condition on the value at one path of an event. */
export const condition = z
  .object({
    id: shortIdText,
    /** A path such as `event`, `userId`, `properties.total` or `context.page.url`. */
    field: eventPath,
    operator: z.enum(conditionOperators),
    value: line(1000).default(''),
  })
  .refine(({ operator, value }) => withoutValue.has(operator) || value !== '', { path: ['value'], message: 'Required' })
export type Condition = z.infer<typeof condition>

/** The operators that join the conditions of a list. */
export const conditionMatches = ['all', 'any'] as const

/** Maximum conditions of one list. */
export const maxConditions = 20

export const conditionList = z.array(condition).max(maxConditions, `At most ${maxConditions} conditions`)

/** Conditions that an event must meet together; every event meets an empty list. */
export const eventFilter = z.object({ match: z.enum(conditionMatches).default('all'), conditions: conditionList })
export type EventConditions = z.infer<typeof eventFilter>

/**
 * A step of a path in brackets: a list index, or a quoted name with backslash escapes. The next step or the end must
 * follow.
 */
const bracket = /\[(?:(\d+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\](?=[.[]|$)/y

type Path = {
  names: string[]
  /** Whether one of the names is an index of a list. */
  hasPlace: boolean
  /** Whether the path has a bracket that is neither an index nor a quoted name. Such a bracket is part of the name. */
  strayBracket: boolean
}

/** Reads a path. After a closing bracket, `name` is undefined until the next step begins. */
const readPath = (path: string): Path => {
  const read: Path = { names: [], hasPlace: false, strayBracket: false }
  let name: string | undefined = ''
  const close = (): void => {
    if (name !== undefined) read.names.push(name)
  }
  for (let at = 0; at < path.length; at++) {
    const char = path.charAt(at)
    if (char === '[') {
      bracket.lastIndex = at
      const [all, place, double, single] = bracket.exec(path) ?? []
      if (all !== undefined) {
        if (at > 0) close()
        read.names.push(place ?? (double ?? single ?? '').replace(/\\(.)/g, '$1'))
        read.hasPlace ||= place !== undefined
        name = undefined
        at += all.length - 1
        continue
      }
      read.strayBracket = true
    }
    if (char === '.') {
      close()
      name = ''
    } else if (char === '\\' && /[.\\[]/.test(path.charAt(at + 1))) name = (name ?? '') + path.charAt(++at)
    else name = (name ?? '') + char
  }
  close()
  return read
}

/**
 * Returns the names of a path. `properties.a\.b.0`, `properties["a.b"][0]` and `properties['a.b'].0` all give
 * `properties`, `a.b`, `0`. Any other bracket is part of its name.
 */
export const pathNames = (path: string): string[] => readPath(path).names

/** Returns the path of these names: the inverse of `pathNames`. */
export const pathOf = (names: readonly string[]): string =>
  names.map((name) => name.replace(/[\\.[]/g, '\\$&')).join('.')

/**
 * Returns why a text is not a path, as a sentence. `target` means that values are written to the path. Undefined for a
 * valid path.
 */
export const pathMistake = (path: string, target = false): string | undefined => {
  const { names, hasPlace, strayBracket } = readPath(path)
  if (names.some((name) => name.trim() === '')) return "A path can't have empty names"
  if (strayBracket)
    return 'Write a list index as items[0], a name with a dot as ["a.b"], and a bracket in a name as \\['
  return target && hasPlace ? "A list can't be mapped item by item. Map the whole list" : undefined
}

/** Returns the value at a path of names; undefined if there is none. Reads own properties only. */
export const valueAt = (value: unknown, names: readonly string[]): unknown => {
  let at: unknown = value
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[name]
  }
  return at
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const numeral = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

/**
 * Compares two values: negative, 0 or positive; undefined if they cannot be compared. Numbers compare by value, RFC
 * 3339 times by time, other texts as texts.
 */
const compare = (found: unknown, value: string): number | undefined => {
  const number =
    typeof found === 'number' ? found : typeof found === 'string' && numeral.test(found) ? Number(found) : undefined
  if (number !== undefined && numeral.test(value)) return number - Number(value)
  if (typeof found !== 'string') return undefined
  return found < value ? -1 : found > value ? 1 : 0
}

const equal = (found: unknown, value: string): boolean =>
  textOf(found) === value || (typeof found === 'number' && numeral.test(value) && found === Number(value))

const meets = (found: unknown, { operator, value }: Pick<Condition, 'operator' | 'value'>): boolean => {
  const there = found !== undefined && found !== null
  switch (operator) {
    case 'exists':
      return there
    case 'not_exists':
      return !there
    case 'equals':
      return there && equal(found, value)
    case 'not_equals':
      return !there || !equal(found, value)
    case 'contains':
      return there && (Array.isArray(found) ? found.some((item) => equal(item, value)) : textOf(found).includes(value))
    case 'not_contains':
      return (
        !there || !(Array.isArray(found) ? found.some((item) => equal(item, value)) : textOf(found).includes(value))
      )
    case 'starts_with':
      return there && textOf(found).startsWith(value)
    case 'ends_with':
      return there && textOf(found).endsWith(value)
    case 'greater_than':
      return there && (compare(found, value) ?? 0) > 0
    case 'less_than':
      return there && (compare(found, value) ?? 0) < 0
  }
}

/** The work of a look-up with its comparison, and the work of each name of the path. */
const perCondition = 200
const perName = 30

/** Returns the work of a comparison: converting the value into text, and searching a part in the text. */
const workOfCondition = (found: unknown, { operator, value }: Pick<Condition, 'operator' | 'value'>): number => {
  if (withoutValue.has(operator)) return 0
  const contains = operator === 'contains' || operator === 'not_contains'
  if (typeof found === 'string') return contains ? workOfText(found, value) : found.length
  return workOfValue(found) + (contains && typeof found === 'object' ? itemWork * value.length : 0)
}

/**
 * Compiles a filter to a function of an event (a `PipelineEvent`). If the event has no value at the path, only
 * `not_equals`, `not_contains` and `not_exists` are true. The function calls `spend` before each piece of work, and
 * throws if `spend` throws.
 */
export const compileFilter = ({
  match,
  conditions,
}: EventConditions): ((event: unknown, spend?: SpendWork) => boolean) => {
  const ready = conditions.map((each) => ({ ...each, names: pathNames(each.field) }))
  if (ready.length === 0) return () => true
  return (event, spend = spendFreely) => {
    const one = (each: (typeof ready)[number]): boolean => {
      const found = valueAt(event, each.names)
      spend(perCondition + perName * each.names.length + workOfCondition(found, each))
      return meets(found, each)
    }
    return match === 'all' ? ready.every(one) : ready.some(one)
  }
}
