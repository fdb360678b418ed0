import {
  type AudienceQuery,
  attributeOperators,
  audienceQuery,
  countOperators,
  type QueryOperator,
  type SegmentQuery,
  type SelectedAttribute,
  valueTypes,
} from '@tributary/contract'

/** A whole number below a limit. */
export type Random = (below: number) => number

/** Numbers that look like chance and are the same for the same seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** One of a list. */
export const oneOf = <T>(random: Random, list: readonly T[]): T => {
  const found = list[random(list.length)]
  if (found === undefined) throw new Error('one of nothing')
  return found
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

export const randomEvents = ['Order Completed', "it's {x:String}", 'page', 'identify', 'Viewed\\n']
export const randomNames = ['plan', 'total', 'nest.deep', 'a b', 'null', 'tags']
const texts = ['a', 'ab', 'true', '12', "o'b", 'é"\\', '%', 'false', '-3', '{x:String}', '$1']
const numbers = ['12', '-3', '0', '1.5', '0.1', '100000000000000']

/** A value as a sender gives it. */
export const randomValue = (random: Random): unknown =>
  oneOf<unknown>(random, [...texts, 12, -3, 0, 1.5, 0.1, 1e14, true, false, null, ['a', 'x'], ['ab']])

let serial = 0
const id = (): string => (serial++ % 1_679_616).toString(36).padStart(4, '0')

const randomAttribute = (random: Random): SelectedAttribute => {
  const valueType = oneOf(random, valueTypes)
  const values = valueType === 'number' ? numbers : texts
  return {
    id: id(),
    name: oneOf(random, randomNames),
    valueType,
    operator: oneOf(random, attributeOperators[valueType]),
    value: oneOf(random, values),
    values: times(1 + random(3), () => oneOf(random, values)),
  }
}

/** What a random query may name: other audiences, and events as queries that were made before. */
export type Named = { audiences: readonly string[]; events: readonly SegmentQuery[] }

const nothingNamed: Named = { audiences: [], events: [] }

const randomQuery = (random: Random, { audiences, events }: Named): SegmentQuery => {
  const kind = random(audiences.length > 0 ? 8 : 7)
  const type = kind < 4 ? 'event' : kind < 7 ? 'attribute' : 'audience'
  if (type === 'event' && events.length > 0) return { ...oneOf(random, events), id: id() }
  return {
    id: id(),
    type,
    selectedEvent: type === 'event' ? oneOf(random, randomEvents) : '',
    selectedAudience: type === 'audience' ? { name: oneOf(random, audiences), member: random(2) === 0 } : null,
    selectedAttributes: times(type === 'attribute' ? 1 + random(2) : random(2), () => randomAttribute(random)),
    timeframe:
      type === 'event' && random(2) === 0
        ? { time: random(2) === 0 ? { unit: 'month', value: 1 + random(3) } : { unit: 'day', value: 1 + random(90) } }
        : null,
    count: { operator: oneOf(random, countOperators), value: random(4) },
  }
}

/** Conditions on events. */
export const randomEventQueries = (random: Random, count: number): SegmentQuery[] => {
  const made: SegmentQuery[] = []
  while (made.length < count) {
    const query = randomQuery(random, nothingNamed)
    if (query.type === 'event') made.push(query)
  }
  return made
}

/** Any query that can be saved. */
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
