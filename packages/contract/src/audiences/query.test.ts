import { describe, expect, test } from 'vitest'
import {
  audienceQuery,
  audienceSentence,
  queryErrors,
  queryGroup,
  segment,
  segmentQuery,
  stockMessage,
  timeframeMs,
} from '../index.ts'

const attribute = (part: object) => ({ id: 'dddd', name: 'plan', operator: 'equals', value: 'pro', ...part })
const event = (part: object = {}) => ({ id: 'cccc', type: 'event', selectedEvent: 'Order Completed', ...part })
const tree = (...queries: object[]) => ({ groups: { aaaa: { segments: [{ id: 'bbbb', queries }] } } })
const errorsOf = (...queries: object[]) => Object.fromEntries(queryErrors(tree(...queries)))
const inTime = (unit: string, value: unknown) =>
  errorsOf(event({ timeframe: { time: { unit, value } } }))['cccc']?.['time.value']

test('SEG-01, SEG-02, SEG-03: groups have IDs as keys; the queries of groups and segments are joined by and', () => {
  const query = audienceQuery.parse(tree(event()))
  expect(Object.keys(query.groups)).toEqual(['aaaa'])
  expect(query).toMatchObject({ operator: 'and', includeAnonymous: true })
  expect(queryGroup.parse({ segments: [{ id: 'bbbb', queries: [event()] }] })).toMatchObject({
    tableName: 'users',
    operator: 'and',
  })
  expect(segment.parse({ id: 'bbbb', queries: [event()] })).toMatchObject({ id: 'bbbb', tableName: 'users' })
})

test('SEG-04, SEG-05: a query has event, attributes, timeframe, and count; an attribute has id and operator', () => {
  expect(segmentQuery.parse(event({ selectedAttributes: [attribute({})] }))).toEqual({
    id: 'cccc',
    type: 'event',
    selectedEvent: 'Order Completed',
    selectedAudience: null,
    selectedAttributes: [{ id: 'dddd', name: 'plan', valueType: 'text', operator: 'equals', value: 'pro', values: [] }],
    timeframe: null,
    count: { operator: 'at_least', value: 1 },
  })
})

test.each(['abc', 'abcde', 'ab-c', ''])('SEG-07: %j is not a valid ID of a group or a segment', (id) => {
  expect(
    audienceQuery.safeParse({ groups: { [id]: { segments: [{ id: 'bbbb', queries: [event()] }] } } }).success,
  ).toBe(false)
  expect(segment.safeParse({ id, queries: [event()] }).success).toBe(false)
})

describe('a timeframe', () => {
  test.each([
    ['month', 1, undefined],
    ['month', 3, undefined],
    ['month', 4, "Months can't exceed an interval of 3 months"],
    ['month', 0, 'Must be greater than 0'],
    ['month', -1, 'Only numbers are allowed'],
    ['day', 90, undefined],
    ['day', 91, "Days can't exceed an interval of 90 days"],
    ['day', 0, 'Must be greater than 0'],
    ['day', '1a', 'Only numbers are allowed'],
    ['day', 1.5, 'Only numbers are allowed'],
    ['day', '', 'Required'],
  ])('for %s, %j has the error %s (SEG-06, FORM-32, FORM-33, FORM-34, AMB-45)', (unit, value, message) => {
    expect(inTime(unit, value)).toBe(message)
  })

  test('a timeframe of a month means 30 days', () => {
    expect(timeframeMs({ time: { unit: 'month', value: 2 } })).toBe(60 * 86_400_000)
  })
})

describe('a number in a query', () => {
  const ofCount = (value: unknown) =>
    errorsOf(event({ count: { operator: 'at_least', value } }))['cccc']?.['count.value']
  test.each(['1a', '1.5', '-1', -1, 1.5])('FORM-35: the count %j is refused as the specification says', (value) => {
    expect(ofCount(value)).toBe('Only numbers are allowed')
  })
  test('a count in a query can be 0', () => expect(ofCount(0)).toBeUndefined())

  const ofTrait = (part: object) =>
    errorsOf({ id: 'cccc', type: 'attribute', selectedAttributes: [attribute({ valueType: 'number', ...part })] })[
      'dddd'
    ]
  test.each(['-3', '1.5', '0'])('a trait can be compared with the number %j', (value) =>
    expect(ofTrait({ value })).toBeUndefined(),
  )
  test.each(['1a', '1e5', 'Infinity', '0x1', '٣'])('a trait cannot be compared with the invalid number %j', (value) => {
    expect(ofTrait({ value })).toEqual({ value: 'Only numbers are allowed' })
  })
  test('FORM-36, FORM-37: a list of numbers has at least one element, and only numbers', () => {
    expect(ofTrait({ operator: 'equals_any', values: [] })).toEqual({ values: 'Please submit at least one element' })
    expect(ofTrait({ operator: 'equals_any', values: ['1', 'x'] })).toEqual({ values: 'Elements must be numbers' })
    expect(ofTrait({ operator: 'equals_any', values: ['1', '-2.5'] })).toBeUndefined()
  })
  test('FORM-38: a value is not empty, unless the operator needs none', () => {
    expect(ofTrait({ value: '' })).toEqual({ value: 'Required' })
    expect(ofTrait({ valueType: 'text', value: 'a' })).toBeUndefined()
    expect(ofTrait({ operator: 'exists', value: '' })).toBeUndefined()
  })
})

describe('a comparison of dates in a query', () => {
  const ofTrait = (part: object) =>
    errorsOf({ id: 'cccc', type: 'attribute', selectedAttributes: [attribute({ valueType: 'date', ...part })] })['dddd']
  test('a comparison of dates has a day or a time, in any zone, from year 1 to 9999', () => {
    for (const value of ['0001-01-01', '9999-12-31', '2026-03-04T05:06:07.890+14:00'])
      expect(ofTrait({ operator: 'before', value })).toBeUndefined()
    for (const value of ['2026-02-30', 'yesterday', '12345', '10000-01-01'])
      expect(ofTrait({ operator: 'after', value })).toEqual({ value: 'Enter a date such as 2026-03-04' })
  })
  test('a comparison between two dates needs them in order', () => {
    expect(ofTrait({ operator: 'between', values: ['2026-03-04', '2026-03-04'] })).toBeUndefined()
    expect(ofTrait({ operator: 'between', values: ['2026-03-04', '2026-03-03'] })).toEqual({
      values: 'The second date must not be before the first one',
    })
    for (const values of [[], ['2026-03-04'], ['2026-03-04', 'x'], ['2026-03-04', '2026-03-05', '2026-03-06']])
      expect(ofTrait({ operator: 'between', values })).toEqual({ values: 'Enter two dates' })
  })
  test.each([
    ['1', undefined],
    ['36500', undefined],
    ['0', 'Must be greater than 0'],
    ['36501', 'At most 36500 days'],
    ['1a', 'Only numbers are allowed'],
    ['1.5', 'Only numbers are allowed'],
    ['-1', 'Only numbers are allowed'],
    ['', 'Required'],
  ])('a comparison with %j days has the error %s', (value, message) => {
    expect(ofTrait({ operator: 'within_last', value })?.['value']).toBe(message)
  })
  test('a comparison of dates has its own operators', () => {
    expect(ofTrait({ operator: 'equals', value: '2026-03-04' })).toEqual({ operator: 'Choose an operator for a date' })
    expect(ofTrait({ operator: 'today' })).toBeUndefined()
  })
})

test('all lists together can have 10,000 values, and a `contains_any` list can have 100 texts', () => {
  const values = (count: number) => Array.from({ length: count }, String)
  const list = (operator: string, count: number, id = 'dddd') => ({
    id: `${id.slice(1)}q`,
    type: 'attribute',
    selectedAttributes: [attribute({ id, operator, values: values(count) })],
  })
  expect(errorsOf(list('equals_any', 10_000))).toEqual({})
  expect(errorsOf(list('equals_any', 10_001))['dddd']).toEqual({ values: 'At most 10000 elements' })
  expect(errorsOf(list('equals_any', 6000), list('not_equals_any', 6000, 'eeee'))['']).toEqual({
    groups: 'At most 10000 values in all lists',
  })
  expect(errorsOf(list('contains_any', 101))['dddd']).toEqual({ values: 'At most 100 elements' })
})

test('each error names the ID of the group, segment, query, or attribute where it is (SEG-08)', () => {
  const errors = queryErrors({
    groups: {
      aaaa: { segments: [] },
      bbbb: {
        segments: [
          { id: 'cccc', queries: [] },
          {
            id: 'dddd',
            queries: [{ id: 'eeee', type: 'event', selectedAttributes: [attribute({ id: 'ffff', value: '' })] }],
          },
          { id: 'gggg', queries: [{ id: 'hhhh', type: 'event', count: { operator: 'exactly', value: 'x' } }] },
          { id: 'iiii', queries: [{ id: 'jjjj', type: 'audience' }] },
        ],
      },
    },
  })
  expect(Object.fromEntries(errors)).toEqual({
    aaaa: { segments: 'Add a condition' },
    cccc: { queries: 'Add a condition' },
    eeee: { selectedEvent: 'Required' },
    ffff: { value: 'Required' },
    hhhh: { 'count.value': 'Only numbers are allowed' },
    jjjj: { selectedAudience: 'Required' },
  })
})

test('a query is described in one sentence, which says where a missing value matches and which events never count', () => {
  const text = (...queries: object[]) => audienceSentence(audienceQuery.parse(tree(...queries)), () => 'Loyal')
  const days = { time: { unit: 'day', value: 30 } }
  expect(
    text(
      event({
        timeframe: days,
        count: { operator: 'at_least', value: 3 },
        selectedAttributes: [attribute({ name: 'total', valueType: 'number', operator: 'greater_than', value: '100' })],
      }),
      event({ id: 'eeee', selectedEvent: 'Refunded', timeframe: days, count: { operator: 'exactly', value: 0 } }),
      { id: 'ffff', type: 'attribute', selectedAttributes: [attribute({ operator: 'not_equals' })] },
      { id: 'gggg', type: 'audience', selectedAudience: { name: 'workspaces/w/audiences/a', member: false } },
    ),
  ).toBe(
    'Profiles that did Order Completed where total is greater than 100 at least 3 times in the last 30 days and did not do Refunded in the last 30 days and have traits where plan is missing or is not “pro” and are not in Loyal.',
  )
  expect(text(event({ count: { operator: 'at_most', value: 2 } }))).toBe(
    'Profiles that did Order Completed at most 2 times (or never).',
  )
  const trait = (part: object) =>
    text({
      id: 'ffff',
      type: 'attribute',
      selectedAttributes: [attribute({ valueType: 'date', name: 'born', ...part })],
    })
  expect(trait({ operator: 'before_last', value: '30' })).toContain('where born is more than 30 days ago.')
  expect(trait({ operator: 'within_next', value: '1' })).toContain('where born is in the next 1 day.')
  expect(trait({ operator: 'between', values: ['2026-03-04', '2026-03-05'] })).toContain(
    'born is between 2026-03-04 and 2026-03-05.',
  )
  expect(trait({ operator: 'today' })).toContain('where born is today (UTC).')
  expect(trait({ valueType: 'text', operator: 'not_equals_any', values: ['a', 'b'] })).toContain(
    'where born is missing or is none of “a”, “b”.',
  )
})

test.each<[string, (id: string) => unknown]>([
  ['group', (id) => ({ groups: { [id]: { segments: [{ id: 'bbbb', queries: [event()] }] } } })],
  ['segment', (id) => ({ groups: { aaaa: { segments: [{ id, queries: [event()] }] } } })],
  ['condition', (id) => tree(event({ id }))],
  ['trait', (id) => tree(event({ selectedAttributes: [attribute({ id })] }))],
])('an invalid ID of a %s is refused because it is not four letters or digits', (_, queryWith) => {
  const messages = (id: string) =>
    audienceQuery.safeParse(queryWith(id), { error: stockMessage }).error?.issues.map(({ message }) => message)
  expect(messages('m4In')).toBeUndefined()
  for (const id of ['group-1', 'abc', 'abcde', 'a b1', 'äbcd'])
    expect(messages(id)).toEqual(['Must be four letters or digits'])
})
