import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { formatSourceSchema, parseSourceSchema, schemaLimits, validateEvent } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { inferSchema, type Sample } from './infer.ts'

/** Makes this number of events `E` with the values that `make` returns. */
const times = (count: number, make: (index: number) => object, title = 'E'): Sample[] =>
  Array.from({ length: count }, (_, index) => ({ title, values: { ...make(index) } }))

const inferred = (samples: Sample[]): unknown => JSON.parse(formatSourceSchema(inferSchema(samples).schema))
const ofE = (samples: Sample[]): unknown => (inferred(samples) as { events: { E: unknown } }).events.E
const object = (properties: object, required: string[] = [], recommended: string[] = []) => ({
  type: 'object',
  properties,
  required,
  recommended,
})
const string = { type: 'string' }
const number = { type: 'number' }

describe('an inferred property', () => {
  test.each<[string, Sample[], unknown]>([
    [
      'of every JSON type has that type',
      times(1, () => ({ s: 'a', n: 1.5, b: false, o: { x: 1 }, l: [1, 'a'] })),
      {
        s: string,
        n: number,
        b: { type: 'boolean' },
        o: { type: 'object' },
        l: { type: 'array' },
      },
    ],
    ['of several types has the most frequent one', times(5, (index) => ({ v: index < 3 ? 1 : 'a' })), { v: number }],
    ['of two types equally often has the first one', times(4, (index) => ({ v: index < 2 ? 'a' : 1 })), { v: string }],
    ['that is always null is left out', times(3, () => ({ v: null, w: 1 })), { w: number }],
    ['without a name is left out', times(1, () => ({ '': 1, a: 1 })), { a: number }],
    ['with control characters in its name is left out', times(1, () => ({ 'a\nb': 1, a: 1 })), { a: number }],
    ['with half a character in its name is left out', times(1, () => ({ '\ud800': 1, a: 1 })), { a: number }],
    [
      'with a name too long is left out',
      times(1, () => ({ ['x'.repeat(201)]: 1, ['y'.repeat(200)]: 1 })),
      {
        ['y'.repeat(200)]: number,
      },
    ],
    [
      'may have any other name',
      times(1, () => JSON.parse('{"__proto__":1,"a.b":"x","items[0]":true}')),
      JSON.parse('{"__proto__":{"type":"number"},"a.b":{"type":"string"},"items[0]":{"type":"boolean"}}'),
    ],
  ])('%s', (_, samples, properties) => {
    expect((ofE(samples) as { properties: object }).properties).toEqual(properties)
  })

  test.each<[number, number, string]>([
    [20, 20, 'required'],
    [19, 19, 'recommended'],
    [20, 19, 'recommended'],
    [20, 16, 'recommended'],
    [20, 15, 'optional'],
    [5, 4, 'recommended'],
    [1, 1, 'recommended'],
  ])(
    'if %i events are read and %i of them have a property, the property is inferred as %s',
    (events, present, requirement) => {
      const sample = times(events, (index) => (index < present ? { v: 1 } : {}))
      expect(ofE(sample)).toEqual(
        object({ v: number }, requirement === 'required' ? ['v'] : [], requirement === 'recommended' ? ['v'] : []),
      )
    },
  )

  test('an inferred property that is sometimes null is not required, because a required one would refuse null', () => {
    expect(ofE(times(50, (index) => ({ v: index === 7 ? null : 1 })))).toEqual(object({ v: number }, [], ['v']))
  })
})

describe('an inferred array', () => {
  test('an inferred array of objects has the fields of its items, with their frequency', () => {
    const samples = times(10, () => ({ products: [{ sku: 'a', price: 1 }, { sku: 'b', gift: true }, { sku: null }] }))
    expect(ofE(samples)).toEqual(
      object(
        {
          products: {
            type: 'array',
            items: object({ sku: string, price: number, gift: { type: 'boolean' } }),
          },
        },
        [],
        ['products'],
      ),
    )
    const always = times(10, () => ({ products: [{ sku: 'a' }, { sku: 'b' }] }))
    expect(ofE(always)).toEqual(
      object({ products: { type: 'array', items: object({ sku: string }, ['sku']) } }, [], ['products']),
    )
  })

  test.each<[string, unknown[][]]>([
    ['of texts', [['a']]],
    ['of objects and texts', [[{ a: 1 }, 'a']]],
    ['of objects here and numbers there', [[{ a: 1 }], [1]]],
    ['without anything', [[]]],
  ])('an inferred array %s has no items', (_, lists) => {
    const samples = times(lists.length, (index) => ({ l: lists[index] }))
    expect((ofE(samples) as { properties: object }).properties).toEqual({ l: { type: 'array' } })
  })

  test('an array inside items has no items of its own', () => {
    expect(ofE(times(1, () => ({ a: [{ b: [{ c: 1 }] }] })))).toEqual(
      object({ a: { type: 'array', items: object({ b: { type: 'array' } }, [], ['b']) } }, [], ['a']),
    )
  })
})

describe('an inferred schema', () => {
  test('an inferred schema has an event for each title, the user from the traits, and the number of events read', () => {
    const samples = [
      ...times(2, () => ({ a: 1 }), 'Rare'),
      ...times(3, () => ({}), 'Frequent'),
      ...times(1, () => ({ email: 'a@example.com' }), ''),
      ...times(1, () => ({ a: 1 }), 'x'.repeat(201)),
    ]
    expect(inferred(samples)).toEqual({
      events: { Frequent: object({}), Rare: object({ a: number }, [], ['a']) },
      user: object({ email: string }, [], ['email']),
    })
    expect(inferSchema(samples).events).toEqual([
      { title: '', count: 1 },
      { title: 'Frequent', count: 3 },
      { title: 'Rare', count: 2 },
    ])
  })

  test('a schema inferred from no events is empty', () => {
    expect(inferred([])).toEqual({ events: {} })
    expect(inferSchema([]).events).toEqual([])
  })

  test('an inferred schema accepts the events from which it was inferred', () => {
    const samples = times(60, (index) => ({
      total: index,
      ...(index % 3 === 0 ? { coupon: null } : { coupon: 'x' }),
      ...(index % 2 === 0 ? { products: [{ sku: 'a' }, { sku: 'b', price: 2 }] } : {}),
    }))
    const { schema } = inferSchema(samples)
    for (const { title, values } of samples)
      expect(validateEvent(schema, { type: 'track', title, data: values })).toEqual({
        compatibility: 'compatible',
        problems: [],
      })
  })

  const names = (count: number, length: number): string[] =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'ä'))
  const values = (list: string[], value: unknown): object => Object.fromEntries(list.map((name) => [name, value]))
  test.each<[string, () => Sample[]]>([
    ['more properties than an event may have', () => times(2, () => values(names(600, 5), 1))],
    ['more events than there may be', () => names(1100, 5).flatMap((title) => times(1, () => ({ a: 1 }), title))],
    ['items larger than a schema', () => times(1, () => values(names(30, 200), [values(names(400, 200), 1)]))],
    [
      'events larger than a schema together',
      () => names(20, 200).flatMap((title) => times(1, () => values(names(300, 200), 1), title)),
    ],
    ['a user larger than a schema', () => times(1, () => values(names(500, 200), [values(names(50, 200), 1)]), '')],
  ])('an inferred schema keeps to the limits with %s', (_, make) => {
    const { schema } = inferSchema(make())
    const text = formatSourceSchema(schema)
    expect(() => parseSourceSchema(text)).not.toThrow()
    expect(schema.events.size + (schema.user?.properties.size ?? 0)).toBeGreaterThan(0)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(schemaLimits.bytes)
  })

  test('an inferred schema keeps the most frequent properties and events if not all fit', () => {
    const rare = names(600, 8)
    const samples = [...times(1, () => values(rare, 1)), ...times(2, () => ({ frequent: 'a' }))]
    const properties = inferSchema(samples).schema.events.get('E')?.properties
    expect([...(properties?.keys() ?? [])].slice(0, 2)).toEqual(['frequent', rare[0]])
    const events = [
      ...names(1000, 5).flatMap((title) => times(1, () => ({}), title)),
      ...times(2, () => ({}), 'Frequent'),
    ]
    expect(inferSchema(events).schema.events.has('Frequent')).toBe(true)
  })
})

test('an inferred schema names the properties with several types, the proposed type first, and no other properties', () => {
  const samples = [
    ...times(6, (index) => ({ total: index < 4 ? 1 : 'x', same: 1, lines: [{ sku: index === 0 ? 1 : 'S', n: 1 }] })),
    ...times(2, (index) => ({ plan: index === 0 ? true : null, 'a/b': index === 0 ? 'x' : {} }), ''),
  ]
  expect(inferSchema(samples).mixed).toEqual([
    {
      id: '/user/properties/a~1b',
      types: [
        { type: 'string', count: 1 },
        { type: 'object', count: 1 },
      ],
    },
    {
      id: '/events/E/properties/total',
      types: [
        { type: 'number', count: 4 },
        { type: 'string', count: 2 },
      ],
    },
    {
      id: '/events/E/properties/lines/items/properties/sku',
      types: [
        { type: 'string', count: 5 },
        { type: 'number', count: 1 },
      ],
    },
  ])
})

test('names that never repeat use no more memory than a schema can contain', () => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  gc()
  const before = process.memoryUsage().heapUsed
  let held = 0
  const samples = function* (): Generator<Sample> {
    for (let event = 0; event < 200; event++) {
      const names = Array.from({ length: 3000 }, (_, index) => [`${event} ${index}`, 1])
      yield { title: `E${event}`, values: Object.fromEntries(names) }
    }
    gc()
    held = process.memoryUsage().heapUsed - before
  }
  expect(inferSchema(samples()).schema.events.size).toBeGreaterThan(0)
  expect(held).toBeLessThan(100 * 1024 * 1024)
})
