import { z } from 'zod'
import { line, reference } from '../api/fields.ts'
import { stockMessage } from '../api/stock-messages.ts'
import { shortIdText } from '../rules/conditions.ts'
import { digits, numberList, selectedValue, timeInterval } from '../rules/value-rules.ts'
import { maxDaysAway, spanOfDate } from './dates.ts'

/** The operators that join parts of a query. */
export const queryOperators = ['and', 'or'] as const
export type QueryOperator = (typeof queryOperators)[number]

/**
 * The type that a value is compared as. A text of digits can be compared as a number, and an ISO 8601 text as a date. A
 * number can be compared only as a number.
 */
export const valueTypes = ['text', 'number', 'date'] as const
export type ValueType = (typeof valueTypes)[number]

/**
 * The comparisons of a trait or property, by the type of its value. Operators with `any` in their name have a list of
 * values, `between` has two values, and `within_last`, `before_last`, `within_next` and `after_next` have a number of
 * days.
 */
export const attributeOperators = {
  text: [
    'equals',
    'not_equals',
    'equals_any',
    'not_equals_any',
    'contains',
    'contains_any',
    'not_contains',
    'starts_with',
    'ends_with',
    'exists',
    'not_exists',
  ],
  number: [
    'equals',
    'not_equals',
    'equals_any',
    'not_equals_any',
    'greater_than',
    'at_least',
    'less_than',
    'at_most',
    'exists',
    'not_exists',
  ],
  date: [
    'before',
    'after',
    'between',
    'today',
    'within_last',
    'before_last',
    'within_next',
    'after_next',
    'exists',
    'not_exists',
  ],
} as const satisfies Record<ValueType, readonly string[]>
export type AttributeOperator = (typeof attributeOperators)[ValueType][number]

const everyOperator = [...new Set(Object.values(attributeOperators).flat())] as const

/** Operators without a value. */
export const attributesWithoutValue: ReadonlySet<AttributeOperator> = new Set(['exists', 'not_exists', 'today'])

/** Operators with a list of values. */
export const attributesWithList: ReadonlySet<AttributeOperator> = new Set([
  'equals_any',
  'not_equals_any',
  'contains_any',
])

/** Operators with a number of days. */
export const attributesWithDays: ReadonlySet<AttributeOperator> = new Set([
  'within_last',
  'before_last',
  'within_next',
  'after_next',
])

/** The comparisons of an event's count. `at_most` includes a count of 0. */
export const countOperators = ['at_least', 'exactly', 'at_most'] as const
export type CountOperator = (typeof countOperators)[number]

/** The kinds of conditions: events, traits, membership in another audience, or presence on the audience's own list. */
export const queryTypes = ['event', 'attribute', 'audience', 'list'] as const
export type QueryType = (typeof queryTypes)[number]

/**
 * Limits of one audience. `conditions` counts queries and the attributes of event queries. `values` counts the values
 * of all lists. Both also count the conditions and values of audiences that the query refers to. `parts` limits the
 * texts of one `contains_any` list.
 */
export const audienceLimits = {
  conditions: 100,
  values: 10_000,
  parts: 100,
  audiences: 200,
  depth: 5,
  count: 1_000_000,
} as const

/** The message for a query whose lists have more values than the limit. */
export const tooManyValues = `At most ${audienceLimits.values} values in all lists`

/** A text of digits that is a number. */
const digitsOnly = z
  .number({
    error: ({ input }) =>
      input === '' || input === undefined || input === null ? 'Required' : 'Only numbers are allowed',
  })
  .int('Only numbers are allowed')
  .nonnegative('Only numbers are allowed')

/** A number as a text: with a sign and a fraction, at most 100 digits on either side of the point. */
export const decimalText = /^-?[0-9]{1,100}(\.[0-9]{1,100})?$/

/** The name of a trait or property. Dots join the names of nested objects. */
export const attributeName = line(200)
  .min(1, 'Required')
  .regex(
    /^[\p{L}\p{N}_ $/-]+(\.[\p{L}\p{N}_ $/-]+)*$/u,
    'Use letters, digits, spaces, and _ $ / - in a name, and dots between names',
  )

type Attribute = { valueType: ValueType; operator: AttributeOperator; value: string; values: readonly string[] }
type Problem = readonly ['operator' | 'value' | 'values', string]

const listProblem = ({ valueType, operator, values }: Attribute): Problem | undefined => {
  const list = valueType === 'number' ? numberList : z.array(selectedValue).min(1, 'Please submit at least one element')
  const [issue] = list.safeParse(values, { error: stockMessage }).error?.issues ?? []
  if (issue !== undefined) return ['values', issue.message]
  if (valueType === 'number' && !values.every((each) => decimalText.test(each)))
    return ['values', 'Elements must be numbers']
  return operator === 'contains_any' && values.length > audienceLimits.parts
    ? ['values', `At most ${audienceLimits.parts} elements`]
    : undefined
}

const notADate = 'Enter a date such as 2026-03-04'

const spanProblem = (values: readonly string[]): Problem | undefined => {
  const [first, last, ...more] = values.map(spanOfDate)
  if (first === undefined || last === undefined || more.length > 0) return ['values', 'Enter two dates']
  return first.from < last.until ? undefined : ['values', 'The second date must not be before the first one']
}

const daysProblem = (value: string): Problem | undefined => {
  const [issue] = digits.safeParse(value).error?.issues ?? []
  if (issue !== undefined) return ['value', issue.message]
  if (Number(value) === 0) return ['value', 'Must be greater than 0']
  return Number(value) > maxDaysAway ? ['value', `At most ${maxDaysAway} days`] : undefined
}

const attributeProblem = (attribute: Attribute): Problem | undefined => {
  const { valueType, operator, value, values } = attribute
  if (!attributeOperators[valueType].some((each) => each === operator))
    return ['operator', `Choose an operator for a ${valueType}`]
  if (attributesWithoutValue.has(operator)) return undefined
  if (attributesWithList.has(operator)) return listProblem(attribute)
  if (operator === 'between') return spanProblem(values)
  if (attributesWithDays.has(operator)) return daysProblem(value)
  if (value === '') return ['value', 'Required']
  if (valueType === 'date') return spanOfDate(value) === undefined ? ['value', notADate] : undefined
  return valueType === 'number' && !decimalText.test(value) ? ['value', 'Only numbers are allowed'] : undefined
}

/** A condition on one trait, or on one property of an event. */
export const selectedAttribute = z
  .object({
    id: shortIdText,
    name: attributeName,
    valueType: z.enum(valueTypes).default('text'),
    operator: z.enum(everyOperator),
    value: line(1000).default(''),
    /** For operators with a list; `between` has its first and its last day or moment. */
    values: z.array(line(1000)).max(audienceLimits.values).default([]),
  })
  .superRefine((attribute, context) => {
    const [field, message] = attributeProblem(attribute) ?? []
    if (field !== undefined && message !== undefined) context.addIssue({ code: 'custom', path: [field], message })
  })
export type SelectedAttribute = z.infer<typeof selectedAttribute>

/** The last days or months; a month is 30 days. */
export const timeframe = z.object({
  time: z.object({ unit: z.enum(['day', 'month']), value: digitsOnly }).pipe(timeInterval),
})
export type Timeframe = z.infer<typeof timeframe>

/**
 * A name of an event, a property or a trait that was never received, though a query, a definition, a mapping or a
 * signal uses it.
 * - `id` is the ID of the element with the name, or ''.
 * - `field` is the field of that element; in mappings and signals it includes the place in the body.
 * - `nearest` is the most similar received name, or ''.
 */
export const nameWarning = z.object({ id: z.string(), field: z.string(), nearest: z.string(), message: z.string() })
export type NameWarning = z.infer<typeof nameWarning>

/** Warnings of a response. A server of an earlier version sends none. */
export const nameWarnings = z.array(nameWarning).default([])

/** Number of days that a month counts in a timeframe. */
export const daysOfMonth = 30

/** Returns the length of a timeframe in ms. */
export const timeframeMs = ({ time: { unit, value } }: Timeframe): number =>
  value * (unit === 'month' ? daysOfMonth : 1) * 86_400_000

/** The first and the last day or moment (UTC), both included. */
export const datesBetween = z.object({ first: line(40), last: line(40) }).superRefine(({ first, last }, context) => {
  const [from, until] = [spanOfDate(first)?.from, spanOfDate(last)?.until]
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message })
  if (from === undefined) refuse('first', first === '' ? 'Required' : notADate)
  if (until === undefined) refuse('last', last === '' ? 'Required' : notADate)
  if (from !== undefined && until !== undefined && from >= until)
    refuse('last', 'The second date must not be before the first one')
})
export type DatesBetween = z.infer<typeof datesBetween>

/** One condition of a query. */
export const segmentQuery = z
  .object({
    id: shortIdText,
    type: z.enum(queryTypes),
    /** The name of an event, or the type of a call without a name. For `event`. */
    selectedEvent: line(500).default(''),
    /**
     * An audience by resource name, and whether the condition matches its members or all other profiles. For
     * `audience`.
     */
    selectedAudience: z.object({ name: reference, member: z.boolean() }).nullable().default(null),
    /** The audience that has the list, and the version that changed it. For `list`. */
    selectedList: z.object({ name: reference, version: z.number().int().min(1).max(1_000_000_000) }).optional(),
    /** Conditions on properties for `event`, or on traits for `attribute`. All must be true. */
    selectedAttributes: z.array(selectedAttribute).max(20).default([]),
    /** When the event was performed; null for any time. For `event`. */
    timeframe: timeframe.nullable().default(null),
    /** The dates between which the event was performed, instead of a timeframe. For `event`. */
    dates: datesBetween.optional(),
    /** For `event`. */
    count: z
      .object({ operator: z.enum(countOperators), value: digitsOnly.max(audienceLimits.count) })
      .default({ operator: 'at_least', value: 1 }),
  })
  .superRefine(({ type, selectedEvent, selectedAudience, selectedList, selectedAttributes, ...times }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (times.dates !== undefined && times.timeframe !== null)
      refuse('dates', 'Choose a time frame or two dates, not both')
    if (type === 'event' && selectedEvent === '') refuse('selectedEvent', 'Required')
    if (type === 'audience' && selectedAudience === null) refuse('selectedAudience', 'Required')
    if (type === 'list' && selectedList === undefined) refuse('selectedList', 'Required')
    if (type === 'attribute' && selectedAttributes.length === 0) refuse('selectedAttributes', 'Add a trait')
  })
export type SegmentQuery = z.infer<typeof segmentQuery>

const usersTable = z.literal('users', 'Only users can be queried').default('users')

/** Queries that must all be true. */
export const segment = z.object({
  id: shortIdText,
  tableName: usersTable,
  queries: z.array(segmentQuery).min(1, 'Add a condition'),
})
export type Segment = z.infer<typeof segment>

/** Segments, joined by the operator of the group. */
export const queryGroup = z.object({
  tableName: usersTable,
  operator: z.enum(queryOperators).default('and'),
  segments: z.array(segment).min(1, 'Add a condition'),
})
export type QueryGroup = z.infer<typeof queryGroup>

/** Returns all conditions of a query tree. */
export const queriesOf = (query: { groups: Readonly<Record<string, QueryGroup>> }): SegmentQuery[] =>
  Object.values(query.groups).flatMap(({ segments }) => segments.flatMap(({ queries }) => queries))

/** Returns the number of conditions of a query tree, including those on properties and traits. */
export const conditionCount = (query: { groups: Readonly<Record<string, QueryGroup>> }): number =>
  queriesOf(query).reduce((count, { type, selectedAttributes }) => {
    const attributes = selectedAttributes.length
    return count + (type === 'attribute' ? attributes : 1 + attributes)
  }, 0)

/** Returns the number of values in all lists of a query tree. */
export const listValueCount = (query: { groups: Readonly<Record<string, QueryGroup>> }): number =>
  queriesOf(query).reduce(
    (count, { selectedAttributes }) => selectedAttributes.reduce((sum, { values }) => sum + values.length, count),
    0,
  )

/** Groups by their ids, joined by one operator. */
export const audienceQuery = z
  .object({
    operator: z.enum(queryOperators).default('and'),
    groups: z.record(shortIdText, queryGroup).refine((groups) => Object.keys(groups).length > 0, 'Add a condition'),
    /** Whether profiles without a user ID are included. */
    includeAnonymous: z.boolean().default(true),
  })
  .refine((query) => conditionCount(query) <= audienceLimits.conditions, {
    path: ['groups'],
    message: `At most ${audienceLimits.conditions} conditions`,
  })
  .refine((query) => listValueCount(query) <= audienceLimits.values, { path: ['groups'], message: tooManyValues })
  .refine((query) => queriesOf(query).length === 1 || queriesOf(query).every(({ type }) => type !== 'list'), {
    path: ['groups'],
    message: 'A list is the only condition of its audience',
  })
export type AudienceQuery = z.infer<typeof audienceQuery>
/** Returns the list of the audience; undefined for an audience with conditions. */
export const listOf = (query: AudienceQuery): SegmentQuery['selectedList'] =>
  queriesOf(query).find(({ type }) => type === 'list')?.selectedList
/** A query while it is edited: numbers can still be any text. */
export type AudienceDraft = z.input<typeof audienceQuery>

/** Messages of one element by field; '' holds the message about the element itself. */
export type ElementErrors = Readonly<Record<string, string>>

/** The ID that stands for the whole tree. */
export const wholeQuery = ''

/**
 * Returns the errors of a query, by the ID of the group, segment, query or attribute, and then by field (`time.value`,
 * `count.value`, `value`). Empty for a valid query.
 */
export const queryErrors = (query: unknown): ReadonlyMap<string, ElementErrors> => {
  const errors = new Map<string, Record<string, string>>()
  const { error } = audienceQuery.safeParse(query, { error: stockMessage })
  for (const { path, message } of error?.issues ?? []) {
    let at: unknown = query
    let id = wholeQuery
    let field: string[] = []
    for (const [index, step] of path.entries()) {
      at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined
      const own = typeof at === 'object' && at !== null && 'id' in at ? at.id : undefined
      const element = index === 1 && path[0] === 'groups' ? String(step) : own
      if (typeof element === 'string') {
        id = element
        field = []
      } else field.push(String(step))
    }
    const name = field.filter((step) => step !== 'timeframe' && step !== 'dates').join('.')
    const known = errors.get(id) ?? {}
    known[name] ??= message
    errors.set(id, known)
  }
  return errors
}
