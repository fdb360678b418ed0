import { parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { fixedIn, type SeenProblem, type SeenVersion } from './fixed-in.ts'

/** Versions as they were made, oldest first; version n at the moment n × 10. */
const made = (...schemas: object[]): SeenVersion[] =>
  schemas
    .map((schema, index) => ({
      version: index + 1,
      schema: parseSourceSchema(JSON.stringify(schema)),
      created: (index + 1) * 10,
    }))
    .reverse()

const order = (properties: object, required: string[] = []) => ({
  events: { Order: { properties, ...(required.length === 0 ? {} : { required }) } },
})
const empty = { events: {} }
const number = { type: 'number' }
const text = { type: 'string' }
const problem = (kind: SeenProblem['problem'], property = '', lastSeen = 15): SeenProblem => ({
  type: 'track',
  event: 'Order',
  property,
  problem: kind,
  lastSeen,
})

test.each<[string, SeenVersion[], SeenProblem, number | null | undefined]>([
  ['an event is fixed with the version that has it', made(empty, order({}), order({})), problem('new_event'), 2],
  ['an event that is taken out again is not fixed', made(empty, order({}), empty), problem('new_event'), null],
  [
    'an event that was added twice is fixed with the second',
    made(empty, order({}), empty, order({})),
    problem('new_event'),
    4,
  ],
  [
    'an unknown property is fixed with the version that has it',
    made(order({}), order({ a: text })),
    problem('unknown', 'a'),
    2,
  ],
  [
    'a missing property is fixed when it is not required',
    made(order({ a: text }, ['a']), order({ a: text })),
    problem('missing', 'a'),
    2,
  ],
  ['a property of an event that is gone is not fixed', made(order({}), empty), problem('unknown', 'a'), null],
  ['a type that was changed since is fixed', made(order({ a: text }), order({ a: number })), problem('type', 'a'), 2],
  [
    'a type that was changed before is not',
    made(order({ a: text }), order({ a: number })),
    problem('type', 'a', 25),
    null,
  ],
  [
    'a type that is the same again is not',
    made(order({ a: text }), order({ a: number }), order({ a: text })),
    problem('type', 'a'),
    null,
  ],
  ['a property that was taken out has no right type', made(order({ a: text }), order({})), problem('type', 'a'), null],
  [
    'what is fixed in all that is known may have been fixed before',
    made(order({ a: text })),
    problem('unknown', 'a'),
    undefined,
  ],
  ['nothing is known of no version', [], problem('new_event'), undefined],
])('%s', (_, versions, seen, expected) => {
  expect(fixedIn(versions, seen)).toBe(expected)
})

test('fields of items are found in their array, whatever its name', () => {
  const items = (properties: object) => order({ 'a/b': { type: 'array', items: { properties } } })
  const versions = made(items({}), items({ sku: text }))
  expect(fixedIn(versions, problem('unknown', 'a~1b/sku'))).toBe(2)
  expect(fixedIn(versions, problem('unknown', 'a~1b/size'))).toBe(null)
  expect(fixedIn(made(items({}), order({ 'a/b': { type: 'array' } })), problem('unknown', 'a~1b/sku'))).toBe(2)
  expect(fixedIn(made(items({}), order({})), problem('unknown', 'a~1b/sku'))).toBe(null)
})

test('the traits of users are validated like those of identify calls', () => {
  const versions = made(empty, { events: {}, user: { properties: { plan: text } } })
  expect(fixedIn(versions, { ...problem('new_event'), type: 'identify', event: '' })).toBe(2)
  expect(fixedIn(versions, { ...problem('unknown', 'plan'), type: 'identify', event: '' })).toBe(2)
})
