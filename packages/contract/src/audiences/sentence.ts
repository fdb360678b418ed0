import {
  type AttributeOperator,
  type AudienceQuery,
  attributesWithDays,
  attributesWithList,
  attributesWithoutValue,
  type SegmentQuery,
  type SelectedAttribute,
} from './query.ts'

const words: Readonly<Record<AttributeOperator, string>> = {
  equals: 'is',
  not_equals: 'is missing or is not',
  equals_any: 'is one of',
  not_equals_any: 'is missing or is none of',
  contains: 'contains',
  contains_any: 'contains any of',
  not_contains: 'is missing or does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  at_least: 'is at least',
  less_than: 'is less than',
  at_most: 'is at most',
  before: 'is before',
  after: 'is after',
  between: 'is between',
  today: 'is today (UTC)',
  within_last: 'is in the last',
  before_last: 'is more than',
  within_next: 'is in the next',
  after_next: 'is more than',
  exists: 'is set',
  not_exists: 'is not set',
}

/** The words that follow a number of days. */
const behindDays: Partial<Record<AttributeOperator, string>> = { before_last: ' ago', after_next: ' away' }

/** Maximum number of a list's values that a sentence names. */
const namedValues = 3

const valueOf = ({ operator, valueType, value, values }: SelectedAttribute): string => {
  const quote = (text: string): string => (valueType === 'text' ? `“${text}”` : text)
  if (attributesWithoutValue.has(operator)) return ''
  if (attributesWithDays.has(operator))
    return ` ${value} ${value === '1' ? 'day' : 'days'}${behindDays[operator] ?? ''}`
  if (operator === 'between') return ` ${values.join(' and ')}`
  if (!attributesWithList.has(operator)) return ` ${quote(value)}`
  const more = values.length - namedValues
  return ` ${values.slice(0, namedValues).map(quote).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const attributeText = (attribute: SelectedAttribute): string =>
  `${attribute.name} ${words[attribute.operator]}${valueOf(attribute)}`

const join = (parts: readonly string[], word: 'and' | 'or'): string => parts.join(` ${word} `)

const timeText = ({ timeframe, dates }: Pick<SegmentQuery, 'timeframe' | 'dates'>): string => {
  if (dates !== undefined) return ` between ${dates.first} and ${dates.last}`
  if (timeframe === null) return ''
  const { unit, value } = timeframe.time
  return ` in the last ${value === 1 ? '' : `${value} `}${unit}${value === 1 ? '' : 's'}`
}

const times = (value: number): string => (value === 1 ? 'once' : `${value} times`)

const eventText = ({ selectedEvent, selectedAttributes, timeframe, dates, count }: SegmentQuery): string => {
  const { operator, value } = count
  const where = selectedAttributes.length === 0 ? '' : ` where ${join(selectedAttributes.map(attributeText), 'and')}`
  const what = `${selectedEvent}${where}`
  const when = timeText({ timeframe, dates })
  if (value === 0 && operator !== 'at_least') return `did not do ${what}${when}`
  if (operator === 'at_least') return value <= 1 ? `did ${what}${when}` : `did ${what} at least ${times(value)}${when}`
  if (operator === 'exactly') return `did ${what} exactly ${times(value)}${when}`
  return `did ${what} at most ${times(value)} (or never)${when}`
}

/** Returns one condition as text, such as 'did Order Completed at least 3 times in the last 30 days'. */
export const conditionText = (query: SegmentQuery, titleOf: (audience: string) => string): string => {
  if (query.type === 'event') return eventText(query)
  if (query.type === 'attribute') return `have traits where ${join(query.selectedAttributes.map(attributeText), 'and')}`
  if (query.type === 'list') return 'are on the imported list'
  const { name = '', member = true } = query.selectedAudience ?? {}
  return `are ${member ? '' : 'not '}in ${titleOf(name)}`
}

/**
 * Returns a whole query as one sentence: 'Profiles that did Order Completed at least 3 times in the last 30 days and
 * …'. `titleOf` gives the titles of other audiences by resource name. Parentheses enclose parts that are joined by
 * another operator.
 */
export const audienceSentence = (query: AudienceQuery, titleOf: (audience: string) => string): string => {
  const groups = Object.values(query.groups).map(({ operator, segments }) => {
    const parts = segments.map(({ queries }) => {
      const all = queries.map((each) => conditionText(each, titleOf))
      return all.length > 1 && segments.length > 1 && operator === 'or' ? `(${join(all, 'and')})` : join(all, 'and')
    })
    return { operator, text: join(parts, operator), plain: parts.length === 1 }
  })
  const texts = groups.map(({ operator, text, plain }) =>
    groups.length > 1 && (query.operator === 'or' || (operator === 'or' && !plain)) ? `(${text})` : text,
  )
  return `${query.includeAnonymous ? 'Profiles' : 'Profiles with a user ID'} that ${join(texts, query.operator)}.`
}
