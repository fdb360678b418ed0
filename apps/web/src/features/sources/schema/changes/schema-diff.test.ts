import { parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { changeWords, diffSchemas, diffWords, ownerTitle, propertyTitle } from './schema-diff.ts'

const schema = (events: object, user?: object) =>
  parseSourceSchema(JSON.stringify(user === undefined ? { events } : { events, user }))

const order = {
  properties: {
    total: { type: 'number' },
    products: { type: 'array', items: { properties: { sku: { type: 'string' } }, required: ['sku'] } },
  },
  required: ['total'],
}

/** Writes a difference in short: "+" added, "-" removed, "~" changed. An event comes before its properties. */
const short = (before: object, after: object, users: { before?: object; after?: object } = {}): string[] =>
  diffSchemas(schema(before, users.before), schema(after, users.after)).flatMap(({ event, kind, properties }) => [
    `${{ added: '+', removed: '-', changed: '~' }[kind]} ${ownerTitle(event)}`,
    ...properties.map(
      ({ place, before: was, after: is }) =>
        `${was === undefined ? '+' : is === undefined ? '-' : '~'} ${propertyTitle(place)}${was && is ? `: ${changeWords(was, is).join('; ')}` : ''}`,
    ),
  ])

test.each([
  ['the same schema', { Order: order }, { Order: order }, []],
  [
    'another order of events, properties and names',
    { A: { properties: { x: { type: 'string' }, y: { type: 'string' } }, required: ['x', 'y'] }, B: {} },
    { B: {}, A: { properties: { y: { type: 'string' }, x: { type: 'string' } }, required: ['y', 'x'] } },
    [],
  ],
  ['a new event with all it has', {}, { Order: order }, ['+ Order', '+ total', '+ products', '+ products › sku']],
  [
    'an event that is gone',
    { Order: order, A: {} },
    { A: {} },
    ['- Order', '- total', '- products', '- products › sku'],
  ],
  [
    'added, removed and changed properties',
    { A: { properties: { x: { type: 'string' }, y: { type: 'string', description: 'old' } }, required: ['y'] } },
    { A: { properties: { y: { type: 'number', description: 'new' }, z: { type: 'string' } }, recommended: ['y'] } },
    ['~ A', '~ y: string → number; required → recommended; new description', '+ z', '- x'],
  ],
  [
    'fields of items are listed separately',
    { Order: order },
    {
      Order: {
        ...order,
        properties: {
          ...order.properties,
          products: { type: 'array', items: { properties: { sku: { type: 'number' } } } },
        },
      },
    },
    ['~ Order', '~ products › sku: string → number; required → optional'],
  ],
  [
    'an array whose items are no longer described',
    { Order: order },
    { Order: { ...order, properties: { ...order.properties, products: { type: 'array' } } } },
    ['~ Order', '~ products: items are no longer described', '- products › sku'],
  ],
])('a difference of schemas is listed by event and property: %s', (_name, before, after, expected) => {
  expect(short(before, after)).toEqual(expected)
})

test("the user's traits are listed before the events, added, changed and removed", () => {
  const email = { properties: { email: { type: 'string' } } }
  expect(short({}, { A: {} }, { after: email })).toEqual(['+ User traits', '+ email', '+ A'])
  expect(short({}, {}, { before: email, after: { ...email, required: ['email'] } })).toEqual([
    '~ User traits',
    '~ email: optional → required',
  ])
  expect(short({}, {}, { before: email })).toEqual(['- User traits', '- email'])
  expect(diffWords(diffSchemas(schema({}), schema({ A: {} }, email)))).toBe('User traits added, 1 event added')
})

test.each([
  [{ A: {} }, { A: {} }, 'No changes'],
  [{ A: {}, C: order }, { B: order, D: {} }, '2 events added, 2 events removed'],
  [
    { A: { properties: { x: { type: 'string' }, y: { type: 'string' } } } },
    { A: { properties: { x: { type: 'number' }, z: { type: 'string' } } }, B: {} },
    '1 event added, 1 property added, 1 property changed, 1 property removed',
  ],
])('the size of a difference is shown as text', (before, after, words) => {
  expect(diffWords(diffSchemas(schema(before), schema(after)))).toBe(words)
})
