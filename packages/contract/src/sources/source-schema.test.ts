import { describe, expect, test } from 'vitest'
import {
  definitionOf,
  formatSourceSchema,
  nameProblem,
  parseSourceSchema,
  pointerNames,
  pointerOf,
  propertyTypes,
  requirementOf,
  requirements,
  SchemaError,
  schemaLimits,
} from './source-schema.ts'

const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a.b',
  'a[0]',
  'a/b',
  'a~b',
  '~1',
  '~0/',
  'prénom',
  '名前',
  '🛒',
  'with space',
  '0',
  "quote'",
  '"double"',
  '<script>',
  '${x}',
]

/** Returns the text of a JSON object with one key of any name. */
const keyed = (name: string, value: string): string => `{${JSON.stringify(name)}:${value}}`
const errorOf = (text: string): SchemaError => {
  try {
    parseSourceSchema(text)
  } catch (error) {
    if (error instanceof SchemaError) return error
    throw error
  }
  throw new Error(`was taken: ${text.slice(0, 100)}`)
}
const event = (definition: object | string): string =>
  keyed('events', keyed('A', typeof definition === 'string' ? definition : JSON.stringify(definition)))

const order = {
  type: 'object',
  properties: {
    total: { type: 'number', description: 'With taxes' },
    gift: { type: 'boolean' },
    coupon: { type: 'string' },
    address: { type: 'object' },
    products: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, quantity: { type: 'number' }, tags: { type: 'array' } },
        required: ['sku'],
        recommended: ['quantity'],
      },
    },
  },
  required: ['total', 'products'],
  recommended: ['coupon'],
}
const traits = { type: 'object', properties: { email: { type: 'string' } }, required: [], recommended: ['email'] }
const whole = { events: { 'Order Completed': order, 'Cart Viewed': { ...traits, recommended: [] } }, user: traits }

describe('a source schema', () => {
  test('SCH-01: a schema is read from JSON text and has its events by title', () => {
    const { events } = parseSourceSchema(JSON.stringify(whole))
    expect([...events.keys()]).toEqual(['Order Completed', 'Cart Viewed'])
    expect(parseSourceSchema('{}').events.size).toBe(0)
    expect(parseSourceSchema('{"events":{}}')).toEqual({ events: new Map() })
  })

  test('SCH-02, SCH-03: definitions and the items of arrays are written as they were read', () => {
    expect(JSON.parse(formatSourceSchema(parseSourceSchema(JSON.stringify(whole))))).toEqual(whole)
    const definition = parseSourceSchema(JSON.stringify(whole)).events.get('Order Completed')
    expect(definition?.properties.get('total')).toEqual({ type: 'number', description: 'With taxes' })
    expect([...(definition?.required ?? [])]).toEqual(['total', 'products'])
    expect([...(definition?.recommended ?? [])]).toEqual(['coupon'])
    expect(definition?.properties.get('products')?.items?.properties.get('sku')).toEqual({ type: 'string' })
    expect([...(definition?.properties.get('products')?.items?.required ?? [])]).toEqual(['sku'])
  })

  test('SCH-04: a schema has a separate definition for the traits of identify calls', () => {
    const schema = parseSourceSchema(JSON.stringify(whole))
    expect([...(schema.user?.properties.keys() ?? [])]).toEqual(['email'])
    expect(schema.events.has('user')).toBe(false)
    expect(definitionOf(schema, 'identify', 'Order Completed')).toBe(schema.user)
    expect(definitionOf(schema, 'track', 'Order Completed')).toBe(schema.events.get('Order Completed'))
    expect('user' in parseSourceSchema('{"events":{}}')).toBe(false)
    // An event with that name is not the user schema.
    expect(parseSourceSchema('{"events":{"user":{}}}').user).toBeUndefined()
  })

  test('SCH-06: the types are string, number, boolean, object, and array; an integer is a number', () => {
    expect(propertyTypes).toEqual(['string', 'number', 'boolean', 'object', 'array'])
    for (const type of propertyTypes) {
      const { events } = parseSourceSchema(event({ properties: { p: { type } } }))
      expect(events.get('A')?.properties.get('p')).toEqual({ type })
    }
    const { events } = parseSourceSchema(event({ properties: { p: { type: 'integer' } } }))
    expect(events.get('A')?.properties.get('p')).toEqual({ type: 'number' })
  })

  test('SCH-08: a property is required, recommended or optional', () => {
    expect(requirements).toEqual(['required', 'recommended', 'optional'])
    const definition = parseSourceSchema(JSON.stringify(whole)).events.get('Order Completed')
    if (definition === undefined) throw new Error('no definition')
    expect(['total', 'coupon', 'gift', 'nobody'].map((name) => requirementOf(definition, name))).toEqual([
      'required',
      'recommended',
      'optional',
      'optional',
    ])
  })

  test.each(hostileNames)(
    'a schema accepts %j as a name of an event, a property, and a field, and writes the same text',
    (name) => {
      const field = keyed(name, '{"type":"string"}')
      const demand = `"required":[${JSON.stringify(name)}],"recommended":[]`
      const items = `{"type":"object","properties":${field},${demand}}`
      const text = `{"events":${keyed(
        name,
        `{"type":"object","properties":${keyed(name, `{"type":"array","items":${items}}`)},${demand}}`,
      )}}`
      const schema = parseSourceSchema(text)
      const definition = schema.events.get(name)
      expect([...schema.events.keys()]).toEqual([name])
      expect([...(definition?.properties.keys() ?? [])]).toEqual([name])
      expect(definition?.properties.get(name)?.items?.required.has(name)).toBe(true)
      expect(formatSourceSchema(schema)).toBe(text)
      expect(pointerNames(pointerOf(['events', name, 'properties', name]))).toEqual([
        'events',
        name,
        'properties',
        name,
      ])
    },
  )

  test('a repeated name in a schema counts once', () => {
    const text = '{"events":{"A":{"properties":{"p":{"type":"string"},"p":{"type":"number"}},"required":["p","p"]}}}'
    const definition = parseSourceSchema(text).events.get('A')
    expect([...(definition?.properties ?? [])]).toEqual([['p', { type: 'number' }]])
    expect([...(definition?.required ?? [])]).toEqual(['p'])
  })

  test.each([
    ['', 'must not be empty'],
    ['x'.repeat(schemaLimits.nameLength + 1), 'at most 200 characters'],
    ['a\nb', 'control characters'],
    ['a\u0000', 'control characters'],
    ['right\u202eleft', 'control characters'],
    ['\ud800', 'control characters'],
  ])('a schema refuses %j as a name', (name, message) => {
    expect(nameProblem(name)).toContain(message)
    expect(errorOf(keyed('events', keyed(name, '{}'))).message).toContain(message)
    expect(errorOf(event(`{"properties":${keyed(name, '{"type":"string"}')}}`)).message).toContain(message)
  })

  const deepItems = { type: 'array', items: { properties: { p: { type: 'array', items: { properties: {} } } } } }
  const many = (count: number, value: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]))

  test.each<[string, string, string, string]>([
    ['no JSON', '{"events":', 'The schema is not valid JSON', ''],
    ['nothing', '', 'The schema is not valid JSON', ''],
    ['a list', '[]', 'A schema must be an object', ''],
    ['null', 'null', 'A schema must be an object', ''],
    ['a text', '"x"', 'A schema must be an object', ''],
    ['brackets without end', '['.repeat(200_000), 'The schema is not valid JSON', ''],
    ['very deep lists', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'A schema must be an object', ''],
    ['too large', `{"events":{}}${' '.repeat(schemaLimits.bytes)}`, 'at most 512 KiB', ''],
    ['too many bytes of few letters', `"${'名'.repeat(180_000)}"`, 'at most 512 KiB', ''],
    ['another part', '{"events":{},"groups":{}}', '"groups" is not supported', ''],
    ['a list of events', '{"events":[]}', 'events must be an object', '/events'],
    ['an event that is none', '{"events":{"a/b":5}}', 'An event must be an object', '/events/a~1b'],
    ['a user that is none', '{"user":null}', 'The user must be an object', '/user'],
    ['an event of another type', event({ type: 'array' }), 'must be object', '/events/A/type'],
    ['properties that are none', event({ properties: [] }), 'must be an object', '/events/A/properties'],
    [
      'a property without a type',
      event({ properties: { p: {} } }),
      'The type must be one',
      '/events/A/properties/p/type',
    ],
    [
      'an unknown type',
      event({ properties: { p: { type: 'date' } } }),
      'must be one of',
      '/events/A/properties/p/type',
    ],
    [
      'a list of types',
      event({ properties: { p: { type: ['string'] } } }),
      'must be one',
      '/events/A/properties/p/type',
    ],
    [
      'a pattern',
      event({ properties: { p: { type: 'string', pattern: '(a+)+$' } } }),
      '"pattern" is not supported',
      '/events/A/properties/p',
    ],
    ['a key of prototypes', event('{"__proto__":{}}'), '"__proto__" is not supported', '/events/A'],
    [
      'items of a text',
      event({ properties: { p: { type: 'string', items: {} } } }),
      'Only an array can have items',
      '/events/A/properties/p/items',
    ],
    [
      'items of items',
      event({ properties: { p: deepItems } }),
      'too deep',
      '/events/A/properties/p/items/properties/p/items',
    ],
    [
      'a long description',
      event({ properties: { p: { type: 'string', description: 'x'.repeat(1001) } } }),
      'at most 1000 characters',
      '/events/A/properties/p/description',
    ],
    [
      'a demand for nobody',
      event({ required: ['p'] }),
      'required includes "p", which is not a property',
      '/events/A/required',
    ],
    ['a demand for a prototype', event({ required: ['toString'] }), 'is not a property', '/events/A/required'],
    ['a demand that is no list', event({ recommended: 'p' }), 'a list of names', '/events/A/recommended'],
    ['a demand of numbers', event({ required: [1] }), 'a list of names', '/events/A/required'],
    [
      'a demand of both kinds',
      event({ properties: { p: { type: 'string' } }, required: ['p'], recommended: ['p'] }),
      'required and recommended',
      '/events/A/recommended',
    ],
    ['too many events', JSON.stringify({ events: many(1001, {}) }), 'At most 1000 events', '/events'],
    [
      'too many properties',
      event({ properties: many(501, { type: 'string' }) }),
      'At most 500 properties',
      '/events/A/properties',
    ],
  ])('a schema refuses %s and reports the position', (_, text, message, pointer) => {
    const error = errorOf(text)
    expect(error.message).toContain(message)
    expect(error.pointer).toBe(pointer)
  })
})

test.each([
  ['', []],
  ['/', ['']],
  ['/a~1b/~0', ['a/b', '~']],
  ['/~01', ['~1']],
  ['a', undefined],
  ['/~', undefined],
  ['/~2', undefined],
])('the JSON pointer %j has the names %j', (pointer, names) => {
  expect(pointerNames(pointer)).toEqual(names)
})
