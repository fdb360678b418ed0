import { emptyObject, type ObjectSchema, parseSourceSchema, problemsOf } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import {
  definitionOfValues,
  newProperties,
  rowMessage,
  schemaRows,
  shownName,
  validatingDefinition,
  valuesOf,
  withDefinition,
} from './property-rows.ts'

const schema = parseSourceSchema(
  JSON.stringify({
    events: {
      'Order/Paid': {
        properties: {
          order_id: { type: 'string' },
          total: { type: 'number' },
          coupon: { type: 'string' },
          products: {
            type: 'array',
            items: {
              properties: { sku: { type: 'string' }, price: { type: 'number' }, note: { type: 'string' } },
              required: ['sku'],
              recommended: ['price'],
            },
          },
        },
        required: ['order_id'],
        recommended: ['total'],
      },
    },
    user: { properties: { email: { type: 'string' } } },
  }),
)
const order: ObjectSchema = schema.events.get('Order/Paid') ?? emptyObject

test('SCH-05: a row has id, name, type, parent, isRequired, isRecommended, isNew and requirement', () => {
  expect(schemaRows(order, 'Order/Paid')[0]).toEqual({
    id: '/events/Order~1Paid/properties/order_id',
    name: 'order_id',
    type: 'string',
    parent: undefined,
    isRequired: true,
    isRecommended: false,
    isNew: false,
    requirement: 'required',
  })
  expect(newProperties(order, { gift: true }, 'Order/Paid').map(({ row }) => row)).toEqual([
    {
      id: '/events/Order~1Paid/properties/gift',
      name: 'gift',
      type: 'boolean',
      parent: undefined,
      isRequired: false,
      isRecommended: false,
      isNew: true,
      requirement: 'optional',
    },
  ])
  expect(schemaRows(schema.user ?? emptyObject, undefined)[0]?.id).toBe('/user/properties/email')
})

test("SCH-07: fields of an array's items follow it and have its name as their parent", () => {
  expect(schemaRows(order, 'Order/Paid').map(({ name, parent }) => [name, parent])).toEqual([
    ['order_id', undefined],
    ['total', undefined],
    ['coupon', undefined],
    ['products', undefined],
    ['sku', 'products'],
    ['price', 'products'],
    ['note', 'products'],
  ])
  expect(schemaRows(order, 'Order/Paid')[4]?.id).toBe('/events/Order~1Paid/properties/products/items/properties/sku')
})

test("the requirement is required, recommended or else optional, by the schema's lists (SCH-09)", () => {
  const flags = Object.fromEntries(
    schemaRows(order, 'Order/Paid').map(({ name, requirement, isRequired, isRecommended }) => [
      name,
      [requirement, isRequired, isRecommended],
    ]),
  )
  expect(flags).toMatchObject({
    order_id: ['required', true, false],
    total: ['recommended', false, true],
    coupon: ['optional', false, false],
    sku: ['required', true, false],
    price: ['recommended', false, true],
    note: ['optional', false, false],
  })
})

describe('new properties', () => {
  test("new properties are those that the event's definition lacks, including fields of known items", () => {
    const found = newProperties(
      order,
      {
        order_id: 'A-1',
        gift: { wrapped: true },
        tags: [{ label: 'x', parts: [{ a: 1 }] }],
        nothing: null,
        products: [{ sku: 'S', colour: null }, { colour: 'red', deep: [{ a: 1 }] }, 7],
      },
      'Order/Paid',
    )
    expect(found.map(({ row, field }) => [row.parent, row.name, row.type, field])).toEqual([
      [undefined, 'gift', 'object', { type: 'object' }],
      [
        undefined,
        'tags',
        'array',
        {
          type: 'array',
          items: {
            ...emptyObject,
            properties: new Map([
              ['label', { type: 'string' }],
              ['parts', { type: 'array' }],
            ]),
          },
        },
      ],
      [undefined, 'nothing', 'string', undefined],
      ['products', 'colour', 'string', { type: 'string' }],
      ['products', 'deep', 'array', { type: 'array' }],
    ])
  })
  test('new properties are marked if their name is invalid in a schema', () => {
    expect(newProperties(order, { 'a\nb': 1, fine: 1 }, 'Order/Paid').map(({ problem }) => problem)).toEqual([
      'A name must not have control characters',
      undefined,
    ])
  })
  test('no property is new if the definition has them all, and a property named constructor counts as new', () => {
    expect(newProperties(order, { total: 1 }, 'Order/Paid')).toEqual([])
    expect(newProperties(order, { constructor: 1 }, 'Order/Paid').map(({ row }) => row.name)).toEqual(['constructor'])
  })
})

test('a row shows Compatible or its problem; problems of items are shown below their array', () => {
  const problems = problemsOf({ total: 'much', products: [{ sku: 1 }, { price: 2 }] }, order)
  expect(schemaRows(order, 'Order/Paid').map((row) => [row.name, rowMessage(problems, row)])).toEqual([
    ['order_id', 'Missing property'],
    ['total', 'Type mismatch'],
    ['coupon', 'Compatible'],
    ['products', 'Compatible'],
    ['sku', 'Type mismatch'],
    ['price', 'Compatible'],
    ['note', 'Compatible'],
  ])
})

test('only tracked events and identify calls have a definition; identify calls have that of the user', () => {
  expect(validatingDefinition(schema, 'track', 'Order/Paid')).toBe(order)
  expect(validatingDefinition(schema, 'page', 'Order/Paid')).toBeUndefined()
  expect(validatingDefinition(schema, 'identify', 'anything')).toBe(schema.user)
})

test('the values of an event are its properties, of identify the traits, and empty if they are not an object', () => {
  const payload = { properties: { a: 1 }, traits: { b: 2 } }
  expect(valuesOf('track', payload)).toEqual({ a: 1 })
  expect(valuesOf('identify', payload)).toEqual({ b: 2 })
  expect(valuesOf('track', { properties: [1] })).toEqual({})
  expect(valuesOf('track', null)).toEqual({})
})

describe('a new event', () => {
  const definition = definitionOfValues({ id: 'A', nothing: null, 'a\nb': 1, lines: [{ sku: 'S', 'c\td': 1 }] })
  const ids = { id: '/events/New/properties/id', sku: '/events/New/properties/lines/items/properties/sku' }
  test('a new event has the received properties, except values of no known type and names that are invalid in a schema', () => {
    expect(schemaRows(definition, 'New').map(({ name, type, parent }) => [name, type, parent])).toEqual([
      ['id', 'string', undefined],
      ['lines', 'array', undefined],
      ['sku', 'string', 'lines'],
    ])
  })
  test('a new event is added with the chosen requirements, also of item fields; a repetition changes nothing', () => {
    const chosen = new Map([
      [ids.id, 'required'],
      [ids.sku, 'recommended'],
    ] as const)
    const added = withDefinition(schema, 'New', definition, chosen)
    expect(schemaRows(added.events.get('New') ?? emptyObject, 'New').map(({ requirement }) => requirement)).toEqual([
      'required',
      'optional',
      'recommended',
    ])
    expect([...added.events.keys()]).toEqual(['Order/Paid', 'New'])
    expect(withDefinition(added, 'New', definition, new Map())).toEqual(added)
  })
  test('a new event adds only missing properties if another user has defined the event meanwhile', () => {
    const theirs = parseSourceSchema(
      JSON.stringify({ events: { New: { properties: { id: { type: 'number' } }, required: ['id'] } } }),
    )
    const added = withDefinition(theirs, 'New', definition, new Map([[ids.id, 'optional'] as const]))
    expect(
      schemaRows(added.events.get('New') ?? emptyObject, 'New').map(({ name, type, requirement }) => [
        name,
        type,
        requirement,
      ]),
    ).toEqual([
      ['id', 'number', 'required'],
      ['lines', 'array', 'optional'],
      ['sku', 'string', 'optional'],
    ])
  })
  test('the new event of identify is the user schema', () => {
    expect(withDefinition(parseSourceSchema('{"events":{}}'), undefined, definition, new Map()).user).toEqual(
      definition,
    )
  })
})

test('a property name is shown unchanged, and an empty name as quotes, so that its row is not blank', () => {
  expect(shownName('total')).toBe('total')
  expect(shownName('')).toBe('""')
})
