import { datePattern, decimalText, type SelectedAttribute, spanOfComparison, type TimeSpan } from '@tributary/contract'
import { type Condition, condition, type EventsParams, joined, type ProfilesParams } from './sql-builder.ts'

const not = (inside: Condition): Condition => condition`not ${inside}`

/** The tests that a dialect has for a value. Each test is false if the value is missing or has another type. */
type Dialect = {
  exists: Condition
  text: (operator: 'equals' | 'starts_with' | 'ends_with' | 'contains', value: string) => Condition
  anyText: (values: readonly string[]) => Condition
  containsAny: (values: readonly string[]) => Condition
  number: (operator: '=' | '>' | '>=' | '<' | '<=', value: string) => Condition
  anyNumber: (values: readonly string[]) => Condition
  date: (span: TimeSpan) => Condition
}

const numberSigns = { greater_than: '>', at_least: '>=', less_than: '<', at_most: '<=' } as const

/** Returns the condition of a comparison in a dialect. `now` is epoch ms. */
const compare = (dialect: Dialect, attribute: SelectedAttribute, now: number): Condition => {
  const { operator, valueType, value, values } = attribute
  const equals = (): Condition => (valueType === 'number' ? dialect.number('=', value) : dialect.text('equals', value))
  const equalsAny = (): Condition => (valueType === 'number' ? dialect.anyNumber(values) : dialect.anyText(values))
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

type Column = 'properties' | 'traits'
const holderOf = (column: Column): Condition => (column === 'traits' ? condition`traits` : condition`properties`)

/**
 * A name that can be written as an identifier in a statement, so that the event store reads only that part of a JSON
 * column. For any other name, it reads the whole column.
 */
const readAlone = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

const pathOf = (column: Column, name: string, params: EventsParams): Condition => {
  const steps = name.split('.')
  const holder = holderOf(column)
  return steps.every((step) => readAlone.test(step))
    ? steps.reduce<Condition>((path, step) => condition`${path}.${params.add('name', 'Identifier', step)}`, holder)
    : condition`getSubcolumn(${holder}, ${params.add('name', 'String', name)})`
}

/**
 * Returns a condition that the path leads to an object that contains a value. The object itself does not count as a
 * value.
 */
const holdsValues = (column: Column, name: string, params: EventsParams): Condition => {
  const steps = name.split('.')
  const holder = holderOf(column)
  const [first = '', ...rest] = steps
  const inside = steps.every((step) => readAlone.test(step))
    ? rest.reduce<Condition>(
        (path, step) => condition`${path}.${params.add('name', 'Identifier', step)}`,
        condition`${holder}.^${params.add('name', 'Identifier', first)}`,
      )
    : condition`getSubcolumn(${holder}, ${params.add('name', 'String', `^${steps.map((step) => `\`${step}\``).join('.')}`)})`
  return condition`notEmpty(JSONAllPaths(${inside}))`
}

/** Returns a condition that a property is set: to a value, or to an object that contains a value. */
export const propertyIsSet = (name: string, column: Column, params: EventsParams): Condition =>
  joined([condition`isNotNull(${pathOf(column, name, params)})`, holdsValues(column, name, params)], 'or')

const num = (group: number): string => `toInt64OrZero(g[${group}])`

/** The number of days of the month that `datePattern` has matched; y, m and d are its first groups. */
const daysOfMonth = `if(m = 2, if(y % 4 = 0 and (y % 100 != 0 or y % 400 = 0), 29, 28), 30 + (m + intDiv(m, 8)) % 2)`
/** The number of days since 1970, computed without the dates of the event store, which begin in 1900. */
const daysSince1970 = `365 * (y - b) + intDiv(y - b, 4) - intDiv(y - b, 100) + intDiv(y - b, 400) + intDiv(153 * (m + 12 * b - 3) + 2, 5) + d - 719469`

/**
 * Returns the time of a date text in epoch ms, in the dialect of the event store. Null if the text does not match
 * `datePattern`.
 */
const eventTime = (text: Condition, pattern: Condition): Condition =>
  `arrayMap(g -> arrayMap((y, m, d, b) -> if(y > 0 and d > 0 and d <= ${daysOfMonth}, (${daysSince1970}) * 86400000
    + ${num(4)} * 3600000 + ${num(5)} * 60000 + ${num(6)} * 1000 + toInt64OrZero(rightPad(substring(g[7], 1, 3), 3, '0'))
    - if(g[8] = '-', -1, 1) * (${num(9)} * 60 + ${num(10)}) * 60000, null),
    [${num(1)}], [${num(2)}], [${num(3)}], [toInt64(${num(2)} < 3)])[1], [extractGroups(ifNull(${text}, ''), ${pattern})])[1]` as Condition

/**
 * A property of an event in the dialect of the event store, as text and as a number. Null if the property is missing.
 */
export type PropertyValue = { path: Condition; string: Condition; number: () => Condition }

/**
 * Reads a property. An object is not a value; only its members are. A name with a dot and a nested object have the same
 * path.
 */
export const propertyValue = (name: string, column: Column, params: EventsParams): PropertyValue => {
  const path = pathOf(column, name, params)
  const string = condition`dynamicElement(${path}, 'String')`
  return {
    path,
    string,
    number: () =>
      condition`coalesce(dynamicElement(${path}, 'Float64'), toFloat64(dynamicElement(${path}, 'Int64')), toFloat64(dynamicElement(${path}, 'UInt64')), if(match(ifNull(${string}, ''), ${params.add('pattern', 'String', decimalText.source)}), toFloat64OrNull(${string}), null))`,
  }
}

/** Returns the parts of a decimal number, without redundant zeros, and without a minus for zero. */
const partsOf = (text: string): { isNegative: boolean; whole: string; fraction: string } => {
  const [written = '', decimals = ''] = text.replace('-', '').split('.')
  let start = 0
  while (written[start] === '0') start++
  let end = decimals.length
  while (decimals[end - 1] === '0') end--
  const [whole, fraction] = [written.slice(start), decimals.slice(0, end)]
  return { isNegative: text.startsWith('-') && whole + fraction !== '', whole, fraction }
}

/**
 * Maximum digits of a number that a double always holds exactly. A longer number may have the same double as another
 * number.
 */
const sureDigits = 15

/**
 * Compares a numeric property by all its digits. If two doubles differ, they decide the comparison. If they are equal,
 * the digits decide: those of a whole number or a numeric text, or, for a stored double, those in the received event.
 * The received event is read only for compared values of more than 15 digits.
 */
const exactNumbers = (
  { path, string, number }: PropertyValue,
  { name }: SelectedAttribute,
  params: EventsParams,
): {
  compare: (sign: '=' | '>' | '>=' | '<' | '<=', value: string) => Condition
  isAny: (values: readonly string[]) => Condition
} => {
  const isLong = (value: string): boolean => {
    const { whole, fraction } = partsOf(value)
    return whole.length + fraction.length > sureDigits
  }
  const double = condition`dynamicElement(${path}, 'Float64')`
  /**
   * Returns the digits of a double in the received event: the first number after the property's name that has the same
   * double.
   */
  const received = (): Condition => {
    const last = JSON.stringify(name.split('.').at(-1) ?? '').slice(1, -1)
    const pattern = `"${last.replace(/[^\p{L}\p{N}_ ]/gu, '\\$&')}"\\s*:\\s*(-?[0-9]+(?:\\.[0-9]+)?)[\\s,}]`
    return condition`if(isNull(${double}), null, arrayFirst(t -> toFloat64OrZero(t) = ${double}, extractAll(original, ${params.add('pattern', 'String', pattern)})))`
  }
  const written = (long: boolean): Condition =>
    condition`coalesce(${string}, toString(dynamicElement(${path}, 'Int64')), toString(dynamicElement(${path}, 'UInt64'))${long ? condition`, nullIf(${received()}, '')` : condition``}, toString(${double}))`
  /**
   * Applies `then` to the number as text `t`, its sign `m` (true for a minus), its whole digits `w` and its decimals
   * `f`. A text with an exponent is a rounded number.
   */
  const ofParts = (long: boolean, then: Condition): Condition =>
    condition`arrayMap(t -> arrayMap((m, w, f) -> ${then}, [startsWith(t, '-')], [trimLeft(splitByChar('.', replaceOne(t, '-', ''))[1], '0')], [trimRight(splitByChar('.', t)[2], '0')])[1], [ifNull(${written(long)}, '')])[1]`
  const float = (value: string): Condition => params.add('value', 'Float64', Number(value) + 0)
  return {
    compare(sign, value) {
      const long = isLong(value)
      const { isNegative, whole, fraction } = partsOf(value)
      const given = condition`(toUInt64(length(${params.add('whole', 'String', whole)})), ${params.add('whole', 'String', whole)}, ${params.add('fraction', 'String', fraction)})`
      const own = condition`(toUInt64(length(w)), w, f)`
      // The smaller of two negative numbers has the larger magnitude.
      const compared = isNegative ? `${given} ${sign} ${own}` : `${own} ${sign} ${given}`
      const isRounded = sign === '=' || sign === '>=' || sign === '<=' ? 'true' : 'false'
      const same = ofParts(long, `if(position(t, 'e') > 0, ${isRounded}, ${compared})` as Condition)
      const found = number()
      const certain = sign === '=' ? condition`false` : (`${found} ${sign[0]} ${float(value)}` as Condition)
      return condition`(${certain} or (${found} = ${float(value)} and ${same}))`
    },
    isAny(values) {
      const keys = values.map((value) => {
        const { isNegative, whole, fraction } = partsOf(value)
        return `${isNegative ? '-' : ''}${whole}.${fraction}`
      })
      const long = values.some(isLong)
      const key = condition`concat(if(m and (w != '' or f != ''), '-', ''), w, '.', f)`
      const same = ofParts(
        long,
        condition`position(t, 'e') > 0 or ${key} in ${params.add('keys', 'Array(String)', keys)}`,
      )
      const floats = params.add(
        'values',
        'Array(Float64)',
        values.map((value) => Number(value) + 0),
      )
      return condition`((${number()} + 0) in ${floats} and ${same})`
    },
  }
}

/**
 * Returns a condition on a property of an event, in the dialect of the event store. For a list, `contains` compares the
 * value with each of its texts. `now` is epoch ms.
 */
export const propertyCondition = (
  attribute: SelectedAttribute,
  column: Column,
  params: EventsParams,
  now: number,
): Condition => {
  const { path, string, number } = propertyValue(attribute.name, column, params)
  const written = condition`coalesce(${string}, toString(dynamicElement(${path}, 'Bool')))`
  const sure = (inside: Condition): Condition => condition`ifNull(${inside}, false)`
  const text = (value: string): Condition => params.add('value', 'String', value)
  const exact = exactNumbers({ path, string, number }, attribute, params)
  return compare(
    {
      exists: propertyIsSet(attribute.name, column, params),
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
      // The condition does not use `has`, which would scan the list of values for each event.
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
      number: (sign, value) => sure(exact.compare(sign, value)),
      anyNumber: (values) => sure(exact.isAny(values)),
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

/**
 * Returns a condition on a trait in the dialect of the relational store. The column `trait` is its JSON text; `now` is
 * epoch ms.
 */
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
      exists: condition`trait_is_set(${trait})`,
      text(operator, value) {
        const given = params.add('text', value)
        if (operator === 'equals') return sure(condition`${text} = ${given}`)
        if (operator === 'starts_with') return sure(condition`starts_with(${text}, ${given})`)
        if (operator === 'ends_with') return sure(condition`right(${text}, length(${given})) = ${given}`)
        return sure(condition`(strpos(${text}, ${given}) > 0 or ${given} = any(trait_texts(${trait})))`)
      },
      anyText: (values) => sure(condition`${text} = any(${params.add('text[]', values)})`),
      containsAny: (values) => sure(condition`trait_contains_any(${trait}, ${params.add('text[]', values)})`),
      number: (sign, value) => sure(`trait_decimal(${trait}) ${sign} ${params.add('numeric', value)}` as Condition),
      anyNumber: (values) => sure(condition`trait_decimal(${trait}) = any(${params.add('numeric[]', values)})`),
      date: ({ from, until }) =>
        sure(condition`${params.add('int8range', `[${from ?? ''},${until ?? ''})`)} @> trait_time(${trait})`),
    },
    attribute,
    now,
  )
}
