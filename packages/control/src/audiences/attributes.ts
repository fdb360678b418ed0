import { datePattern, decimalText, type SelectedAttribute, spanOfComparison, type TimeSpan } from '@tributary/contract'
import { type Condition, condition, type EventsParams, joined, type ProfilesParams } from './fragments.ts'

const not = (inside: Condition): Condition => condition`not ${inside}`

/** What a dialect says of a value, each false where there is none or it is of another kind. */
type Dialect = {
  exists: Condition
  text: (operator: 'equals' | 'starts_with' | 'ends_with' | 'contains', value: string) => Condition
  anyText: (values: readonly string[]) => Condition
  containsAny: (values: readonly string[]) => Condition
  number: (operator: '=' | '>' | '>=' | '<' | '<=', value: string) => Condition
  anyNumber: (values: readonly number[]) => Condition
  date: (span: TimeSpan) => Condition
}

const numberSigns = { greater_than: '>', at_least: '>=', less_than: '<', at_most: '<=' } as const

/** `now` is epoch ms. */
const compare = (dialect: Dialect, attribute: SelectedAttribute, now: number): Condition => {
  const { operator, valueType, value, values } = attribute
  const equals = (): Condition => (valueType === 'number' ? dialect.number('=', value) : dialect.text('equals', value))
  // Not -0, which is other bits.
  const equalsAny = (): Condition =>
    valueType === 'number' ? dialect.anyNumber(values.map((each) => Number(each) + 0)) : dialect.anyText(values)
  switch (operator) {
    case 'exists':
      return dialect.exists
    case 'not_exists':
      return not(dialect.exists)
    case 'equals':
      return equals()
    case 'not_equals':
      return not(equals())
    case 'equals_any':
      return equalsAny()
    case 'not_equals_any':
      return not(equalsAny())
    case 'contains_any':
      return dialect.containsAny(values)
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return dialect.text(operator, value)
    case 'not_contains':
      return not(dialect.text('contains', value))
    case 'greater_than':
    case 'at_least':
    case 'less_than':
    case 'at_most':
      return dialect.number(numberSigns[operator], value)
    case 'before':
    case 'after':
    case 'between':
    case 'today':
    case 'within_last':
    case 'before_last':
    case 'within_next':
    case 'after_next':
      return dialect.date(spanOfComparison(attribute, now))
  }
}

/** A part of a JSON column that is named in the statement is read alone; by `getSubcolumn` the whole column is read. */
const readAlone = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

const pathOf = (column: 'properties' | 'traits', name: string, params: EventsParams): Condition => {
  const steps = name.split('.')
  const holder: Condition = column === 'traits' ? condition`traits` : condition`properties`
  return steps.every((step) => readAlone.test(step))
    ? steps.reduce<Condition>((path, step) => condition`${path}.${params.add('name', 'Identifier', step)}`, holder)
    : condition`getSubcolumn(${holder}, ${params.add('name', 'String', name)})`
}

const num = (group: number): string => `toInt64OrZero(g[${group}])`

/** The days of a month that `datePattern` has found: y, m and d are its first groups. */
const daysOfMonth = `if(m = 2, if(y % 4 = 0 and (y % 100 != 0 or y % 400 = 0), 29, 28), 30 + (m + intDiv(m, 8)) % 2)`
/** Days since 1970 in the calendar of all years: the engine's own dates begin in 1900. */
const daysSince1970 = `365 * (y - b) + intDiv(y - b, 4) - intDiv(y - b, 100) + intDiv(y - b, 400) + intDiv(153 * (m + 12 * b - 3) + 2, 5) + d - 719469`

/** Epoch ms of a text that is a date by `datePattern`, else null, in the dialect of the event store. */
const eventTime = (text: Condition, pattern: Condition): Condition =>
  `arrayMap(g -> arrayMap((y, m, d, b) -> if(y > 0 and d > 0 and d <= ${daysOfMonth}, (${daysSince1970}) * 86400000
    + ${num(4)} * 3600000 + ${num(5)} * 60000 + ${num(6)} * 1000 + toInt64OrZero(rightPad(substring(g[7], 1, 3), 3, '0'))
    - if(g[8] = '-', -1, 1) * (${num(9)} * 60 + ${num(10)}) * 60000, null),
    [${num(1)}], [${num(2)}], [${num(3)}], [toInt64(${num(2)} < 3)])[1], [extractGroups(ifNull(${text}, ''), ${pattern})])[1]` as Condition

/** A property of an event in the dialect of the event store, as it is and as a number: null where there is none. */
export type PropertyValue = { path: Condition; string: Condition; number: () => Condition }

/** Reads a property. Objects are no values, their parts are: a dot in a name and an object inside are the same there. */
export const propertyValue = (name: string, column: 'properties' | 'traits', params: EventsParams): PropertyValue => {
  const path = pathOf(column, name, params)
  const string = condition`dynamicElement(${path}, 'String')`
  return {
    path,
    string,
    number: () =>
      condition`coalesce(dynamicElement(${path}, 'Float64'), toFloat64(dynamicElement(${path}, 'Int64')), toFloat64(dynamicElement(${path}, 'UInt64')), if(match(ifNull(${string}, ''), ${params.add('pattern', 'String', decimalText.source)}), toFloat64OrNull(${string}), null))`,
  }
}

/** A condition on a property of an event, in the dialect of the event store. Lists contain their texts. `now` is epoch ms. */
export const propertyCondition = (
  attribute: SelectedAttribute,
  column: 'properties' | 'traits',
  params: EventsParams,
  now: number,
): Condition => {
  const { path, string, number } = propertyValue(attribute.name, column, params)
  const written = condition`coalesce(${string}, toString(dynamicElement(${path}, 'Bool')))`
  const sure = (inside: Condition): Condition => condition`ifNull(${inside}, false)`
  const text = (value: string): Condition => params.add('value', 'String', value)
  const float = (value: string): Condition => params.add('value', 'Float64', Number(value))
  return compare(
    {
      exists: condition`isNotNull(${path})`,
      text(operator, value) {
        const given = text(value)
        if (operator === 'equals') return sure(condition`${written} = ${given}`)
        if (operator === 'starts_with') return sure(condition`startsWith(${written}, ${given})`)
        if (operator === 'ends_with') return sure(condition`endsWith(${written}, ${given})`)
        return joined(
          [
            sure(condition`position(${written}, ${given}) > 0`),
            condition`has(dynamicElement(${path}, 'Array(Nullable(String))'), ${given})`,
          ],
          'or',
        )
      },
      // Not `has`, which goes through the list for each event.
      anyText: (values) => sure(condition`${written} in ${params.add('values', 'Array(String)', values)}`),
      containsAny(values) {
        const given = params.add('values', 'Array(String)', values)
        return joined(
          [
            sure(condition`multiSearchAny(${written}, ${given})`),
            condition`hasAny(dynamicElement(${path}, 'Array(Nullable(String))'), ${given})`,
          ],
          'or',
        )
      },
      number: (sign, value) => sure(`${number()} ${sign} ${float(value)}` as Condition),
      anyNumber: (values) => sure(condition`(${number()} + 0) in ${params.add('values', 'Array(Float64)', values)}`),
      date({ from, until }) {
        const time = eventTime(string, params.add('pattern', 'String', datePattern.source))
        return joined(
          [
            ...(from === undefined ? [] : [sure(condition`${time} >= ${params.add('from', 'Int64', from)}`)]),
            ...(until === undefined ? [] : [sure(condition`${time} < ${params.add('until', 'Int64', until)}`)]),
          ],
          'and',
        )
      },
    },
    attribute,
    now,
  )
}

/** A condition on a trait, whose JSON text is the column `trait`, in the dialect of the relational store. `now` is epoch ms. */
export const traitCondition = (
  attribute: SelectedAttribute,
  trait: Condition,
  params: ProfilesParams,
  now: number,
): Condition => {
  const text = condition`trait_text(${trait})`
  const sure = (inside: Condition): Condition => condition`coalesce(${inside}, false)`
  return compare(
    {
      exists: condition`(${trait} is not null and ${trait} <> 'null')`,
      text(operator, value) {
        const given = params.add('text', value)
        if (operator === 'equals') return sure(condition`${text} = ${given}`)
        if (operator === 'starts_with') return sure(condition`starts_with(${text}, ${given})`)
        if (operator === 'ends_with') return sure(condition`right(${text}, length(${given})) = ${given}`)
        return sure(condition`(strpos(${text}, ${given}) > 0 or ${given} = any(trait_texts(${trait})))`)
      },
      anyText: (values) => sure(condition`${text} = any(${params.add('text[]', values)})`),
      containsAny: (values) => sure(condition`trait_contains_any(${trait}, ${params.add('text[]', values)})`),
      number: (sign, value) =>
        sure(`trait_number(${trait}) ${sign} ${params.add('float8', Number(value))}` as Condition),
      anyNumber: (values) =>
        sure(condition`trait_number(${trait}) = any(${params.add('float8[]', values.map(String))})`),
      date: ({ from, until }) =>
        sure(condition`${params.add('int8range', `[${from ?? ''},${until ?? ''})`)} @> trait_time(${trait})`),
    },
    attribute,
    now,
  )
}
