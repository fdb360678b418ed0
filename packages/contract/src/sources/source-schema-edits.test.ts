import { describe, expect, test } from 'vitest'
import { validateEvent } from './compatibility.ts'
import { emptySchema, formatSourceSchema, parseSourceSchema, type SourceSchema } from './source-schema.ts'
import {
  mergeProperty,
  objectOfValues,
  type PropertyPlace,
  placeOfId,
  propertyAt,
  propertyIdOf,
  propertyOfValue,
  withOwner,
  withoutOwner,
  withoutProperty,
  withProperty,
  withRequirement,
} from './source-schema-edits.ts'

const base = parseSourceSchema(
  JSON.stringify({
    events: {
      A: {
        properties: {
          one: { type: 'string' },
          two: { type: 'number' },
          list: { type: 'array', items: { properties: { sku: { type: 'string' } }, required: ['sku'] } },
        },
        required: ['one'],
        recommended: ['two'],
      },
    },
    user: { properties: { email: { type: 'string' } } },
  }),
)
const textBefore = formatSourceSchema(base)
const at = (property: string, parent?: string, event: string | undefined = 'A'): PropertyPlace => ({
  event,
  parent,
  property,
})
/** Returns a deep copy, to check that nothing else changed. */
const plain = (schema: SourceSchema) => JSON.parse(formatSourceSchema(schema))

const names = ['total', '__proto__', 'constructor', 'a.b', 'a/b', 'a~b', 'a[0]', '名前', ' ', 'properties', 'items']

describe('the place of a property', () => {
  test.each(names)('the place of the property %j is found again by its ID', (name) => {
    for (const place of [
      at(name),
      at(name, name),
      { event: name, parent: undefined, property: name },
      { event: undefined, parent: undefined, property: name },
      { event: undefined, parent: name, property: name },
    ])
      expect(placeOfId(propertyIdOf(place))).toEqual(place)
  })

  test.each([
    '',
    '/',
    'events/A/properties/p',
    '/events',
    '/events/A',
    '/events/A/properties',
    '/events/A/properties/',
    '/events//properties/p',
    '/events/A/required/0',
    '/events/A/properties/p/type',
    '/events/A/properties/p/items/properties/',
    '/events/A/properties/p/items/properties/q/items/properties/r',
    '/user/A/properties/p',
    '/groups/properties/p',
    '/events/A/properties/~2',
  ])('no place of a property is found by %j', (id) => {
    expect(placeOfId(id)).toBeUndefined()
  })
})

describe('an edit of a schema', () => {
  test.each(names)('an edit adds, requires, and removes the property %j without other changes', (name) => {
    for (const place of [at(name), at(name, 'list'), { event: undefined, parent: undefined, property: name }]) {
      const added = withProperty(base, place, { type: 'boolean' })
      expect(propertyAt(added, place)).toEqual({ field: { type: 'boolean' }, requirement: 'optional' })
      const demanded = withRequirement(added, place, 'required')
      expect(propertyAt(demanded, place)?.requirement).toBe('required')
      expect(propertyAt(withRequirement(demanded, place, 'recommended'), place)?.requirement).toBe('recommended')
      // A property keeps its requirement when it is replaced.
      expect(propertyAt(withProperty(demanded, place, { type: 'string' }), place)).toEqual({
        field: { type: 'string' },
        requirement: 'required',
      })
      expect(plain(withoutProperty(demanded, place))).toMatchObject({ events: plain(base).events })
      expect(propertyAt(withoutProperty(demanded, place), place)).toBeUndefined()
      expect(parseSourceSchema(formatSourceSchema(demanded))).toEqual(demanded)
    }
    expect(formatSourceSchema(base)).toBe(textBefore)
  })

  test('an edit creates a missing event, user, and array', () => {
    expect(plain(withProperty(emptySchema, at('sku', 'list', 'B'), { type: 'string' }, 'required')).events.B).toEqual({
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], recommended: [] },
        },
      },
      required: [],
      recommended: [],
    })
    const user: PropertyPlace = { event: undefined, parent: undefined, property: 'email' }
    expect(plain(withProperty(emptySchema, user, { type: 'string' })).user.properties).toEqual({
      email: { type: 'string' },
    })
  })

  test('an edit of a missing property changes nothing', () => {
    for (const place of [at('nobody'), at('nobody', 'list'), at('one', 'one'), at('one', undefined, 'Nothing')]) {
      expect(withRequirement(base, place, 'required')).toBe(base)
      expect(withoutProperty(base, place)).toBe(base)
    }
  })

  test('an edit removes a whole event or the user', () => {
    expect(withoutOwner(base, 'A')).toEqual({ ...base, events: new Map() })
    expect(withoutOwner(base, undefined)).toEqual({ events: base.events })
    expect(withOwner(withoutOwner(base, 'A'), 'A', objectOfValues({ p: 1 })).events.get('A')?.properties).toEqual(
      new Map([['p', { type: 'number' }]]),
    )
  })
})

describe('a merge of one property', () => {
  test('a merge keeps the changes of two users who changed different properties of the same version', () => {
    const first = withProperty(base, at('three'), { type: 'boolean' }, 'required')
    const second = withRequirement(base, at('two'), 'required')
    const merged = mergeProperty(first, second, at('two'))
    expect(propertyAt(merged, at('two'))?.requirement).toBe('required')
    expect(propertyAt(merged, at('three'))).toEqual({ field: { type: 'boolean' }, requirement: 'required' })
    expect(propertyAt(merged, at('one'))?.requirement).toBe('required')
  })

  test('a merge keeps a change of an array together with a change of one of its items', () => {
    const first = withRequirement(base, at('list'), 'required')
    const second = withProperty(base, at('price', 'list'), { type: 'number' })
    const merged = mergeProperty(first, second, at('price', 'list'))
    expect(propertyAt(merged, at('list'))?.requirement).toBe('required')
    expect(propertyAt(merged, at('price', 'list'))?.field).toEqual({ type: 'number' })
    expect(propertyAt(merged, at('sku', 'list'))?.requirement).toBe('required')
  })

  test('a merge removes a removed property, and a repeated merge changes nothing', () => {
    const first = withProperty(base, at('three'), { type: 'boolean' })
    const second = withoutProperty(base, at('two'))
    const merged = mergeProperty(first, second, at('two'))
    expect(propertyAt(merged, at('two'))).toBeUndefined()
    expect(propertyAt(merged, at('three'))).toBeDefined()
    expect(mergeProperty(merged, second, at('two'))).toBe(merged)
  })
})

describe('a definition inferred from values', () => {
  test.each([
    [{ a: 'x', b: 1, c: true, d: {}, e: [], f: null }],
    [{ l: [{ sku: 'a', price: 1 }, { sku: 'b', name: 'B' }, { name: null }] }],
    [{ mixed: [1, { a: 1 }] }],
    [JSON.parse('{"__proto__":1,"constructor":"x","l":[{"__proto__":true}]}')],
  ])('an inferred definition accepts %j', (data) => {
    const schema = withOwner(emptySchema, 'A', objectOfValues({ ...data, f: undefined }))
    const { f: _, ...event } = data
    expect(validateEvent(schema, { type: 'track', title: 'A', data: event }).compatibility).toBe('compatible')
    expect(parseSourceSchema(formatSourceSchema(schema))).toEqual(schema)
  })

  test('an inferred definition omits names that are invalid in a schema, and null, which has no type', () => {
    const object = objectOfValues({ '': 1, ['x'.repeat(201)]: 1, 'a\nb': 1, n: null, ok: 1, l: [{ '': 1, k: 1 }] })
    expect([...object.properties.keys()]).toEqual(['ok', 'l'])
    expect([...(object.properties.get('l')?.items?.properties.keys() ?? [])]).toEqual(['k'])
    expect(propertyOfValue(null)).toBeUndefined()
    expect(propertyOfValue([1, 2])).toEqual({ type: 'array' })
  })
})
