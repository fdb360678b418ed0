import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { compileMappings } from './compile.ts'
import { mappingProblems } from './problems.ts'
import { actionOf, definitionOf, eventOf, targetOf } from './testing-mappings.ts'

const field = (name: string) => ({ type: 'FIELD', name })
const described = (name: string, more: object = {}) => ({ name, label: name, help: '', type: 'any' as const, ...more })
const action = actionOf('do', {
  customTargets: false,
  targets: [
    targetOf('items', {
      type: 'array',
      fields: [
        described('id', { type: 'string', required: true }),
        described('price', { type: 'number' }),
        described('state', {
          type: 'string',
          choices: [
            { value: 'new', label: 'New' },
            { value: 'used', label: 'Used' },
          ],
        }),
      ],
    }),
    targetOf('one', { type: 'object', fields: [described('price', { type: 'number' })] }),
    targetOf('text', { type: 'string' }),
    targetOf('open', { type: 'any' }),
  ],
})
const definition = definitionOf([action])
const place = { workspaceId: 'w1', destinationId: 'd1' }
const list = (fields: Readonly<Record<string, object>>, more: object = {}) => ({
  type: 'LIST',
  list: 'properties.products',
  fields: Object.entries(fields).map(([name, source]) => ({ name, source })),
  ...more,
})
const usual = { id: field('sku'), price: field('price'), state: field('state'), 'own.color': field('color') }
const mappingsOf = (source: object, target = 'items'): EventMapping[] =>
  eventMappings.parse([
    { id: 'aaaa', destination: 'do', field_mappings: [{ id: '0000', source, target: { name: target } }] },
  ])
const map = (source: object, properties: object, json?: string) =>
  compileMappings(definition, mappingsOf(source), place)(eventOf({ properties } as Partial<PipelineEvent>), 's1', json)
const note = (message: string) => ({ field: '0000', message, severity: 'note', isListed: true })

describe('a list of objects', () => {
  test('has an object for each item, with its fields in their types', () => {
    const products = [{ sku: 7, price: '10.5', state: 'NEW', color: 'red', other: 1 }, { sku: 'b' }]
    expect(map(list(usual), { products })).toMatchObject({
      payload: { items: [{ id: '7', price: 10.5, state: 'new', own: { color: 'red' } }, { id: 'b' }] },
      problems: [],
    })
  })

  test.each([
    ['JSON text', '[{"sku":"a"}]'],
    ['a single object', { sku: 'a' }],
  ])('is made from %s', (_, products) => {
    expect(map(list(usual), { products })).toMatchObject({ payload: { items: [{ id: 'a' }] } })
  })

  test('has variables, constants, and the first of several', () => {
    const fields = {
      id: { type: 'FIRST', sources: [field('sku'), field('id'), { type: 'CONSTANT', value: 'none' }] },
      state: { type: 'CONSTANT', value: 'new' },
      order: { type: 'VARIABLE', name: 'message_id' },
      price: field('price'),
    }
    expect(map(list(fields), { products: [{ id: 'a' }, { sku: ' ', price: 1 }] })).toMatchObject({
      payload: {
        items: [
          { id: 'a', state: 'new', order: 'm1' },
          { id: 'none', state: 'new', order: 'm1', price: 1 },
        ],
      },
    })
  })

  test('has an item without any value of its own left out', () => {
    const fields = { id: { type: 'CONSTANT', value: 'x' }, price: field('price') }
    expect(map(list(fields), { products: [{ other: 1 }, { price: 2 }] })).toMatchObject({
      payload: { items: [{ id: 'x', price: 2 }] },
    })
  })

  test('names what is left out of it in the delivery', () => {
    const products = [{ sku: 'a', price: 'ten' }, { price: 1 }, 5, { sku: 'b', state: 'broken' }]
    expect(map(list(usual), { products })).toMatchObject({
      payload: { items: [{ id: 'a' }, { id: 'b' }] },
      problems: [
        note(
          '"items": 1 of 4 items: price is text that is not a number; 1 of 4 items: without id; 1 of 4 items: not an object; 1 of 4 items: state has a value that it does not accept',
        ),
      ],
    })
  })

  test.each([200, 201, 10_000])('has at most 200 items, and the delivery says so: %i', (count) => {
    const products = Array.from({ length: count }, (_, at) => ({ sku: `p${at}` }))
    const made = map(list({ id: field('sku') }), { products })
    expect(made).toMatchObject({ kind: 'mapped' })
    const { payload, problems } = made as unknown as { payload: { items: unknown[] }; problems: { message: string }[] }
    expect(payload.items).toHaveLength(200)
    expect(problems.map(({ message }) => message)).toEqual(
      count === 200 ? [] : [`"items": ${count - 200} of ${count} items: more than 200`],
    )
  })

  test('fails within its budget if each item converts a large text', () => {
    const text = `{"a":"${'x'.repeat(30_000)}`
    const products = Array.from({ length: 200 }, (_, at) => ({ sku: `p${at}`, color: text }))
    const fields = Array.from({ length: 20 }, (_, at) => ({ name: `o${at}`, type: 'object', source: field('color') }))
    expect(map(list({}, { fields }), { products })).toMatchObject({ kind: 'failed' })
  })

  test('keeps all digits of the numbers of its items', () => {
    const event = eventOf({ properties: { products: [{ sku: 'a', color: Number('12345678901234567890') }] } as never })
    const json = JSON.stringify(event).replace('12345678901234567000', '12345678901234567890')
    const made = compileMappings(definition, mappingsOf(list(usual)), place)(event, 's1', json)
    expect(JSON.stringify('payload' in made && made.payload)).toContain('{"color":12345678901234567890}')
  })
})

describe('a list of objects with a root', () => {
  const rooted = list({ id: field('product_id'), price: field('price') }, { root: 'properties' })

  test.each([
    ['absent', undefined],
    ['empty', []],
    ['null', null],
    ['blank', ' '],
  ])('has the object at the root as its item if the list is %s', (_, products) => {
    expect(map(rooted, { products, product_id: 'p1', price: '3' })).toMatchObject({
      payload: { items: [{ id: 'p1', price: 3 }] },
      problems: [],
    })
  })

  test('prefers the list', () => {
    expect(map(rooted, { products: [{ product_id: 'a' }], product_id: 'p1' })).toMatchObject({
      payload: { items: [{ id: 'a' }] },
    })
  })

  test.each([[{}], [{ price: 3 }], [{ name: 'Ada' }]])(
    'is nothing, and no news, for an event without a product: %j',
    (properties) => {
      expect(map(rooted, properties)).toEqual({ kind: 'mapped', action: 'do', payload: {}, problems: [] })
    },
  )

  test('has no item without a list and without a root', () => {
    expect(map(list({ id: field('product_id') }), { product_id: 'p1' })).toMatchObject({ payload: {} })
  })
})

describe('the check of a list of objects', () => {
  const problems = (source: object, target?: string) => mappingProblems(definition, mappingsOf(source, target))
  const at = 'event_mappings.0.field_mappings.0.source'

  test.each<[string, object, string | undefined, Record<string, string>]>([
    ['right', list(usual), undefined, {}],
    ['right in a field of any type', list(usual), 'open', {}],
    ['for a text', list(usual), 'text', { [at]: 'Only a field that takes a list can have a list of objects' }],
    [
      'with a wrong path',
      list(usual, { list: 'a..b', root: 'x.' }),
      undefined,
      {
        [`${at}.list`]: "A path can't have empty names",
        [`${at}.root`]: "A path can't have empty names",
      },
    ],
    [
      'without a required field',
      list({ price: field('price') }),
      undefined,
      { [`${at}.fields`]: 'Map "id" of the items' },
    ],
    [
      'with a wrong constant',
      list({ ...usual, price: { type: 'CONSTANT', value: 'x' } }),
      undefined,
      {
        [`${at}.fields.1.source.value`]: 'The constant is text that is not a number',
      },
    ],
    [
      'with a constant outside of the choices',
      list({ ...usual, state: { type: 'CONSTANT', value: 'old' } }),
      undefined,
      {
        [`${at}.fields.2.source.value`]: 'The constant is none of new, used',
      },
    ],
    [
      'with a wrong path of an item',
      list({ ...usual, price: { type: 'FIRST', sources: [field('a..b')] } }),
      undefined,
      {
        [`${at}.fields.1.source.sources.0.name`]: "A path can't have empty names",
      },
    ],
    [
      'with a reserved name',
      list({ ...usual, __proto__: field('x'), constructor: field('x') }),
      undefined,
      {
        [`${at}.fields.4.name`]: 'Not a valid field name',
      },
    ],
  ])('of a list that is %s', (_, source, target, wanted) => {
    expect(problems(source, target)).toEqual(wanted)
  })

  test('refuses a field twice, no fields, and too many fields', () => {
    const twice = {
      ...list({}),
      fields: [
        { name: 'id', source: field('a') },
        { name: 'id', source: field('b') },
      ],
    }
    expect(problems(twice)).toEqual({ [`${at}.fields.1.name`]: 'This field is mapped twice' })
    const refusals = [
      list({}),
      list(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, field('a')]))),
    ].map((source) =>
      eventMappings
        .safeParse([
          { id: 'aaaa', destination: 'do', field_mappings: [{ id: '0000', source, target: { name: 'items' } }] },
        ])
        .error?.issues.map(({ message }) => message),
    )
    expect(refusals).toEqual([['Add a field'], ['At most 50 fields']])
  })
})

test('a field of an object is converted to its own type, and others can be mapped beside it', () => {
  const mappings = eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: [
        { id: '0000', source: field('properties.price'), target: { name: 'one.price' } },
        { id: '0001', source: field('properties.own'), target: { name: 'one.own' } },
      ],
    },
  ])
  const mapper = compileMappings(definition, mappings, place)
  expect(mapper(eventOf({ properties: { price: '10.5', own: 'x' } }), 's1')).toMatchObject({
    payload: { one: { price: 10.5, own: 'x' } },
  })
  expect(mapper(eventOf({ properties: { price: 'ten' } }), 's1')).toMatchObject({
    payload: {},
    problems: [{ field: '0000', message: '"one: price" (one.price): properties.price is text that is not a number' }],
  })
})
