import { z } from 'zod'
import { line, reference } from '../api/fields.ts'
import { stockMessage } from '../api/stock-messages.ts'
import { shortIdText } from '../rules/conditions.ts'
import { numberList, selectedValue, timeInterval } from '../rules/value-rules.ts'

/** How parts of a query go together. */
export const queryOperators = ['and', 'or'] as const
export type QueryOperator = (typeof queryOperators)[number]

/** What a value is compared as. A text of digits is a number, too; a number is no text. */
export const valueTypes = ['text', 'number'] as const
export type ValueType = (typeof valueTypes)[number]

/** How a trait or property is compared, by what its value is compared as. `equals_any` has a list of values. */
export const attributeOperators = {
  text: [
    'equals',
    'not_equals',
    'equals_any',
    'contains',
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
    'greater_than',
    'at_least',
    'less_than',
    'at_most',
    'exists',
    'not_exists',
  ],
} as const satisfies Record<ValueType, readonly string[]>
export type AttributeOperator = (typeof attributeOperators)[ValueType][number]

const everyOperator = [...new Set(Object.values(attributeOperators).flat())] as const

/** Operators without a value. */
export const attributesWithoutValue: ReadonlySet<AttributeOperator> = new Set(['exists', 'not_exists'])

/** How often an event was performed. `at_most` includes never. */
export const countOperators = ['at_least', 'exactly', 'at_most'] as const
export type CountOperator = (typeof countOperators)[number]

/** What a query asks for: events, traits, or whether profiles are in another audience. */
export const queryTypes = ['event', 'attribute', 'audience'] as const
export type QueryType = (typeof queryTypes)[number]

/** Limits of one audience. `conditions` counts queries and the attributes of event queries, other audiences it names included. */
export const audienceLimits = { conditions: 100, values: 1000, audiences: 200, depth: 5, count: 1_000_000 } as const

/** A number that consists of digits only. */
const digitsOnly = z
  .number({
    error: ({ input }) =>
      input === '' || input === undefined || input === null ? 'Required' : 'Only numbers are allowed',
  })
  .int('Only numbers are allowed')
  .nonnegative('Only numbers are allowed')

/** A number as it is written: with a sign and a fraction, of at most 15 digits on either side of the point. */
export const decimalText = /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/

/** A name whose parts are joined by dots, as an object inside an object has it. */
const attributeName = line(200)
  .min(1, 'Required')
  .regex(
    /^[\p{L}\p{N}_ $/-]+(\.[\p{L}\p{N}_ $/-]+)*$/u,
    'Use letters, digits, spaces, and _ $ / - in a name, and dots between names',
  )

/** What must be true of one trait, or of one property of an event. */
export const selectedAttribute = z
  .object({
    id: shortIdText,
    name: attributeName,
    valueType: z.enum(valueTypes).default('text'),
    operator: z.enum(everyOperator),
    value: line(1000).default(''),
    /** For `equals_any`. */
    values: z.array(line(1000)).max(audienceLimits.values).default([]),
  })
  .superRefine(({ valueType, operator, value, values }, context) => {
    const refuse = (field: 'operator' | 'value' | 'values', message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (!attributeOperators[valueType].some((each) => each === operator))
      refuse('operator', `Choose an operator for a ${valueType}`)
    else if (attributesWithoutValue.has(operator)) return
    else if (operator === 'equals_any') {
      const list =
        valueType === 'number' ? numberList : z.array(selectedValue).min(1, 'Please submit at least one element')
      const [issue] = list.safeParse(values, { error: stockMessage }).error?.issues ?? []
      if (issue !== undefined) refuse('values', issue.message)
      else if (valueType === 'number' && !values.every((each) => decimalText.test(each)))
        refuse('values', 'Elements must be numbers')
    } else if (value === '') refuse('value', 'Required')
    else if (valueType === 'number' && !decimalText.test(value)) refuse('value', 'Only numbers are allowed')
  })
export type SelectedAttribute = z.infer<typeof selectedAttribute>

/** The last so many days or months; a month is 30 days. */
export const timeframe = z.object({
  time: z.object({ unit: z.enum(['day', 'month']), value: digitsOnly }).pipe(timeInterval),
})
export type Timeframe = z.infer<typeof timeframe>

/** Days that a month of a timeframe has. */
export const daysOfMonth = 30

/** The length of a timeframe in ms. */
export const timeframeMs = ({ time: { unit, value } }: Timeframe): number =>
  value * (unit === 'month' ? daysOfMonth : 1) * 86_400_000

/** One condition of a segment. */
export const segmentQuery = z
  .object({
    id: shortIdText,
    type: z.enum(queryTypes),
    /** The name of an event, or the type of a call without a name. For `event`. */
    selectedEvent: line(500).default(''),
    /** A resource name, and whether its profiles are meant or all others. For `audience`. */
    selectedAudience: z.object({ name: reference, member: z.boolean() }).nullable().default(null),
    /** For `event` its properties, for `attribute` traits; all of them must be true. */
    selectedAttributes: z.array(selectedAttribute).max(20).default([]),
    /** When the event was performed; null for at any time. For `event`. */
    timeframe: timeframe.nullable().default(null),
    /** For `event`. */
    count: z
      .object({ operator: z.enum(countOperators), value: digitsOnly.max(audienceLimits.count) })
      .default({ operator: 'at_least', value: 1 }),
  })
  .superRefine(({ type, selectedEvent, selectedAudience, selectedAttributes }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (type === 'event' && selectedEvent === '') refuse('selectedEvent', 'Required')
    if (type === 'audience' && selectedAudience === null) refuse('selectedAudience', 'Required')
    if (type === 'attribute' && selectedAttributes.length === 0) refuse('selectedAttributes', 'Add a trait')
  })
export type SegmentQuery = z.infer<typeof segmentQuery>

const usersTable = z.literal('users', 'Only users can be queried').default('users')

/** Queries that are all true. */
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

/** Every query of a tree. */
export const queriesOf = (query: { groups: Readonly<Record<string, QueryGroup>> }): SegmentQuery[] =>
  Object.values(query.groups).flatMap(({ segments }) => segments.flatMap(({ queries }) => queries))

/** How many conditions a tree has. */
export const conditionCount = (query: { groups: Readonly<Record<string, QueryGroup>> }): number =>
  queriesOf(query).reduce((count, { type, selectedAttributes }) => {
    const attributes = selectedAttributes.length
    return count + (type === 'attribute' ? attributes : 1 + attributes)
  }, 0)

/** Groups by their ids, joined by one operator. */
export const audienceQuery = z
  .object({
    operator: z.enum(queryOperators).default('and'),
    groups: z.record(shortIdText, queryGroup).refine((groups) => Object.keys(groups).length > 0, 'Add a condition'),
    /** Whether profiles without a user id count. */
    includeAnonymous: z.boolean().default(true),
  })
  .refine((query) => conditionCount(query) <= audienceLimits.conditions, {
    path: ['groups'],
    message: `At most ${audienceLimits.conditions} conditions`,
  })
export type AudienceQuery = z.infer<typeof audienceQuery>
/** A query as it is being written: numbers may still be any text. */
export type AudienceDraft = z.input<typeof audienceQuery>

/** Messages of one element by the field they are about; '' is the element itself. */
export type ElementErrors = Readonly<Record<string, string>>

/** What stands for the whole tree among the ids of elements. */
export const wholeQuery = ''

/**
 * What is wrong with a query, by the id of the group, segment, query or attribute that it is wrong with, and there by field
 * (`time.value`, `count.value`, `value`). Empty when nothing is.
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
    const name = field.filter((step) => step !== 'timeframe').join('.')
    const known = errors.get(id) ?? {}
    known[name] ??= message
    errors.set(id, known)
  }
  return errors
}
