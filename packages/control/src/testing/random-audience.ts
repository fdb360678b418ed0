import {
  type AudienceQuery,
  attributeOperators,
  attributesWithDays,
  audienceQuery,
  countOperators,
  type QueryOperator,
  type SegmentQuery,
  type SelectedAttribute,
  spanOfDate,
  valueTypes,
} from '@tributary/contract'

/** Returns a pseudo-random whole number from 0 to below a limit. */
export type Random = (below: number) => number

/** Makes a generator of pseudo-random numbers that depend only on the seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Chooses one element of a list at random. */
export const oneOf = <T>(random: Random, list: readonly T[]): T => {
  const found = list[random(list.length)]
  if (found === undefined) throw new Error('one of nothing')
  return found
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

export const randomEvents = ['Order Completed', "it's {x:String}", 'page', 'identify', 'Viewed\\n']
/** Names of properties and traits that the generated events have. */
export const givenNames = ['plan', 'total', 'nest.deep', 'a b', 'null', 'tags', 'since', 'home']
/** Names of properties and traits for random queries, including one that is nested in an object. */
export const randomNames = [...givenNames, 'home.a b.zip']
const texts = ['a', 'ab', 'true', '12', "o'b", 'é"\\', '%', 'false', '-3', '{x:String}', '$1']
/** Dates and times next to the boundaries of comparisons, of the calendar, and of the day on which the queries run. */
const dates = [
  '2026-03-04',
  '2026-03-03',
  '2026-03-04T05:06:07.890Z',
  '2026-03-04 10:06:07.891+05:00',
  '2026-03-03T05:06:07.890Z',
  '2026-03-05T05:06:07.890',
  '2026-03-03T23:59:59.999999999-00:30',
  '2026-02-02T05:06:07.8904Z',
  '2026-02-02 05:06',
  '2024-02-29',
  '1900-02-28T23:00:00-01:00',
  '0001-01-01',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999-23:59',
  '9999-12-31',
]
/** Texts that look like dates but are none. */
const noDates = [
  '2026-02-30',
  '1900-02-29',
  '0000-01-01',
  '2026-03-04T24:00',
  '2026-3-4',
  '2026-03-04T05:06:60Z',
  '٢٠٢٦-03-04',
]
const days = ['1', '30', '400', '36500']
const longNumbers = [
  '9007199254740993',
  '9007199254740992.5',
  '-12345678901234567890123',
  '-12345678901234567890124',
  '0.12345678901234567891',
  '0.1234567890123456789',
]
const numbers = ['12', '-3', '0', '1.5', '0.1', '100000000000000', '-0.0', '012.10', ...longNumbers]

const scalars = [12, -3, 0, 1.5, 0.1, 1e14, 12.1, 2 ** 53, true, false, null]
const composites = [
  ['a', 'x'],
  ['ab'],
  ['2026-03-04'],
  {},
  { 'a b': null },
  { 'a b': {} },
  { 'a b': { zip: '12' } },
  { 'a b': { zip: { code: 1 } } },
  { 'a b.zip': 'ab' },
  { other: [] },
]

/** Returns a random value as a client may send it. */
export const randomValue = (random: Random): unknown =>
  oneOf<unknown>(
    random,
    random(2) === 0 ? [...dates, ...noDates] : [...texts, ...longNumbers, ...scalars, ...composites],
  )

let serial = 0
const id = (): string => (serial++ % 1_679_616).toString(36).padStart(4, '0')

const spanOf = (date: string): number => spanOfDate(date)?.from ?? 0
const valuesOf = { text: texts, number: numbers, date: dates } as const

const randomAttribute = (random: Random): SelectedAttribute => {
  const valueType = oneOf(random, valueTypes)
  const operator = oneOf<SelectedAttribute['operator']>(random, attributeOperators[valueType])
  const values = valuesOf[valueType]
  const span = times(2, () => oneOf(random, dates)).toSorted((a, b) => (spanOf(a) < spanOf(b) ? -1 : 1))
  return {
    id: id(),
    // Date comparisons use few names, so that they match values more often.
    name: valueType === 'date' ? oneOf(random, ['since', 'nest.deep']) : oneOf(random, randomNames),
    valueType,
    operator,
    value: oneOf<string>(random, attributesWithDays.has(operator) ? days : values),
    values: operator === 'between' ? span : times(1 + random(3), () => oneOf<string>(random, values)),
  }
}

/** The audiences and the earlier event conditions to which a random query may refer. */
export type Named = { audiences: readonly string[]; events: readonly SegmentQuery[] }

const nothingNamed: Named = { audiences: [], events: [] }

const randomQuery = (random: Random, { audiences, events }: Named): SegmentQuery => {
  const kind = random(audiences.length > 0 ? 8 : 7)
  const type = kind < 4 ? 'event' : kind < 7 ? 'attribute' : 'audience'
  // The events count at any time, between two dates, or in the last days or months.
  const when = type === 'event' ? random(4) : 0
  const [first = '', last = ''] = times(2, () => oneOf(random, dates)).toSorted((a, b) => spanOf(a) - spanOf(b))
  if (type === 'event' && events.length > 0) return { ...oneOf(random, events), id: id() }
  return {
    id: id(),
    type,
    selectedEvent: type === 'event' ? oneOf(random, randomEvents) : '',
    selectedAudience: type === 'audience' ? { name: oneOf(random, audiences), member: random(2) === 0 } : null,
    selectedAttributes: times(type === 'attribute' ? 1 + random(2) : random(2), () => randomAttribute(random)),
    ...(when === 1 ? { dates: { first, last } } : {}),
    timeframe:
      when > 1
        ? { time: random(2) === 0 ? { unit: 'month', value: 1 + random(3) } : { unit: 'day', value: 1 + random(90) } }
        : null,
    count: { operator: oneOf(random, countOperators), value: random(4) },
  }
}

/** Makes random conditions on events. */
export const randomEventQueries = (random: Random, count: number): SegmentQuery[] => {
  const made: SegmentQuery[] = []
  while (made.length < count) {
    const query = randomQuery(random, nothingNamed)
    if (query.type === 'event') made.push(query)
  }
  return made
}

/** Makes a random query that can be saved as an audience. */
export const randomAudience = (random: Random, named: Named = nothingNamed): AudienceQuery => {
  const operator = (): QueryOperator => (random(2) === 0 ? 'and' : 'or')
  return audienceQuery.parse({
    operator: operator(),
    includeAnonymous: random(4) > 0,
    groups: Object.fromEntries(
      times(1 + random(3), () => [
        id(),
        {
          operator: operator(),
          segments: times(1 + random(2), () => ({
            id: id(),
            queries: times(1 + random(2), () => randomQuery(random, named)),
          })),
        },
      ]),
    ),
  })
}
