import { describe, expect, test } from 'vitest'
import { type EventType, eventTypeOf, eventTypes } from '../events/tracking.ts'
import {
  type Compatibility,
  maxProblems,
  type ProblemKind,
  problemMessages,
  typeOfValue,
  validatedDataOf,
  validateEvent,
} from './compatibility.ts'
import { emptySchema, parseSourceSchema } from './source-schema.ts'

const schema = parseSourceSchema(
  JSON.stringify({
    events: {
      Bought: {
        properties: {
          total: { type: 'number' },
          currency: { type: 'string' },
          gift: { type: 'boolean' },
          address: { type: 'object' },
          tags: { type: 'array' },
          products: {
            type: 'array',
            items: {
              properties: { sku: { type: 'string' }, price: { type: 'number' }, name: { type: 'string' } },
              required: ['sku'],
              recommended: ['name'],
            },
          },
        },
        required: ['total'],
        recommended: ['currency'],
      },
    },
    user: { properties: { email: { type: 'string' }, age: { type: 'number' } }, required: ['email'] },
  }),
)

const validate = (type: string, title: string, data: unknown, by = schema) => validateEvent(by, { type, title, data })
const bought = (data: unknown) => validate('track', 'Bought', data)
const messageFor = (data: unknown): [string, string][] =>
  bought(data).problems.map(({ property, kind }) => [property, problemMessages[kind]])

describe('the definition that validates an event', () => {
  test('EVT-23: an event is a track, page, screen, identify, group, or alias call', () => {
    expect(eventTypes).toEqual(['track', 'page', 'screen', 'identify', 'group', 'alias'])
    for (const type of eventTypes) expect([eventTypeOf(type), eventTypeOf(type.charAt(0))]).toEqual([type, type])
    expect(['', 'Trackk', '__proto__', 'constructor'].map(eventTypeOf)).toEqual(Array(4).fill(undefined))
  })

  test.each<[EventType, 'properties' | 'traits']>([
    ['track', 'properties'],
    ['page', 'properties'],
    ['screen', 'properties'],
    ['identify', 'traits'],
  ])('EVT-24: the validated data of %s is its %s', (type, key) => {
    const payload = { properties: { a: 1 }, traits: { b: 2 } }
    expect(validatedDataOf(type, payload)).toBe(payload[key])
    expect(validatedDataOf(type, {})).toBeUndefined()
  })
})

describe('the compatibility of an event', () => {
  test.each(['page', 'screen', 'group', 'alias'])('an event of type %s matches any schema (EVT-34, EVT-35)', (type) => {
    for (const by of [schema, emptySchema])
      expect(validate(type, 'Bought', { anything: 1 }, by)).toEqual({ compatibility: 'compatible', problems: [] })
  })

  test('a tracked event that the schema does not define is incompatible (EVT-36)', () => {
    for (const title of ['Sold', 'bought', ' Bought', '', '__proto__', 'constructor', 'toString'])
      expect(validate('track', title, { total: 1 })).toEqual({ compatibility: 'incompatible', problems: [] })
    expect(validate('track', 'Bought', { total: 1 }, emptySchema).compatibility).toBe('incompatible')
  })

  test.each<[unknown, Compatibility]>([
    [{ email: 'a@b.co' }, 'compatible'],
    [{ email: 'a@b.co', age: 'old' }, 'needsAttention'],
    [{}, 'needsAttention'],
    [undefined, 'needsAttention'],
  ])(
    'the traits %j of identify are validated by the user schema, and are incompatible without one (EVT-37)',
    (data, says) => {
      expect(validate('identify', 'Bought', data).compatibility).toBe(says)
      expect(validate('identify', 'Bought', data, { events: schema.events })).toEqual({
        compatibility: 'incompatible',
        problems: [],
      })
    },
  )

  test('an event matches if its values fit its definition (EVT-38)', () => {
    for (const data of [
      { total: 1 },
      { total: 0, currency: '', gift: false, address: {}, tags: [], products: [] },
      { total: -1.5, tags: [1, 'x', null, {}], address: { any: { depth: [1] } } },
      { total: 1, products: [{ sku: 'a' }, { sku: 'b', price: 2, name: 'B' }] },
    ])
      expect(bought(data)).toEqual({ compatibility: 'compatible', problems: [] })
  })

  test('an event needs attention if its values violate its definition (EVT-39)', () => {
    for (const data of [{}, { total: '1' }, { total: 1, colour: 'red' }, undefined, null, [], 'text', 5])
      expect(bought(data).compatibility).toBe('needsAttention')
  })

  test('a missing required property is a "Missing property", a missing recommended one is not (EVT-40)', () => {
    expect(messageFor({ currency: 'EUR' })).toEqual([['total', 'Missing property']])
    expect(messageFor({ total: 1 })).toEqual([])
    // Names that objects inherit, such as `toString`, are not properties.
    const inherited = parseSourceSchema(
      '{"events":{"A":{"properties":{"toString":{"type":"string"}},"required":["toString"]}}}',
    )
    expect(validate('track', 'A', {}, inherited).problems).toEqual([{ property: 'toString', kind: 'missing' }])
  })

  const values = { string: 'x', number: 1.5, boolean: false, object: {}, array: [] }
  test.each(['string', 'number', 'boolean', 'object', 'array'] as const)(
    'a value of another type than %s is a "Type mismatch" (EVT-41)',
    (type) => {
      const one = parseSourceSchema(JSON.stringify({ events: { A: { properties: { p: { type } } } } }))
      const strict = parseSourceSchema(
        JSON.stringify({ events: { A: { properties: { p: { type } }, required: ['p'] } } }),
      )
      for (const [kind, value] of Object.entries(values)) {
        const expected = kind === type ? [] : [{ property: 'p', kind: 'type' as const }]
        expect(validate('track', 'A', { p: value }, one).problems).toEqual(expected)
        expect(problemMessages.type).toBe('Type mismatch')
      }
      // null is a mismatch for a required property, and ignored otherwise.
      expect(validate('track', 'A', { p: null }, one).problems).toEqual([])
      expect(validate('track', 'A', { p: null }, strict).problems).toEqual([{ property: 'p', kind: 'type' }])
    },
  )

  test('integers are numbers, lists are not objects, and the contents of objects are not validated', () => {
    expect([1, 1.5, 1e308].map(typeOfValue)).toEqual(['number', 'number', 'number'])
    expect([null, undefined].map(typeOfValue)).toEqual([undefined, undefined])
    expect(messageFor({ total: 1, address: [] })).toEqual([['address', 'Type mismatch']])
    expect(messageFor({ total: 1, address: { total: 'x', unknown: 1 } })).toEqual([])
  })

  test('a property that the schema does not define is an "Unknown property" (EVT-42)', () => {
    expect(messageFor({ total: 1, colour: 'red', '': null, 'a/b~c': 1 })).toEqual([
      ['colour', 'Unknown property'],
      ['', 'Unknown property'],
      ['a~1b~0c', 'Unknown property'],
    ])
    expect(messageFor(JSON.parse('{"total":1,"__proto__":{"x":1},"constructor":1}'))).toEqual([
      ['__proto__', 'Unknown property'],
      ['constructor', 'Unknown property'],
    ])
  })

  test('the items of an array are validated by their definition, and their problems name the array (EVT-44)', () => {
    expect(messageFor({ total: 1, products: [{ sku: 'a' }, { price: '2' }, { sku: 'c', size: 4 }] })).toEqual([
      ['products/sku', 'Missing property'],
      ['products/price', 'Type mismatch'],
      ['products/size', 'Unknown property'],
    ])
    expect(messageFor({ total: 1, products: [{ sku: null, price: null }] })).toEqual([
      ['products/sku', 'Type mismatch'],
    ])
    for (const item of [5, 'x', null, []])
      expect(messageFor({ total: 1, products: [item] })).toEqual([['products', 'Type mismatch']])
    expect(messageFor({ total: 1, products: { sku: 'a' } })).toEqual([['products', 'Type mismatch']])
  })

  test('each problem is reported once, and the number of problems is limited', () => {
    expect(messageFor({ total: 1, products: Array.from({ length: 500 }, () => ({})) })).toEqual([
      ['products/sku', 'Missing property'],
    ])
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, index]))
    expect(bought(wide).problems).toHaveLength(maxProblems)
  })

  test('a list of ten thousand empty items that lack many properties is validated immediately', () => {
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const wanting = parseSourceSchema(
      JSON.stringify({
        events: { A: { properties: { l: { type: 'array', items: { properties, required: names } } } } },
      }),
    )
    const data = { l: Array.from({ length: 10_000 }, () => ({})) }
    const before = process.cpuUsage()
    for (let count = 0; count < 20; count++) expect(validate('track', 'A', data, wanting).problems).toHaveLength(40)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 20 / 1000).toBeLessThan(20)
  })

  test('the messages of problems are those of the specification', () => {
    const words: Record<ProblemKind, string> = {
      missing: 'Missing property',
      type: 'Type mismatch',
      unknown: 'Unknown property',
    }
    expect(problemMessages).toEqual(words)
  })
})
