import { formatSourceSchema, parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { renameEvent, renameProperty } from './schema-rename.ts'

const order = (array: string, field: string) => ({
  type: 'object',
  properties: {
    [array]: {
      type: 'array',
      items: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field], recommended: [] },
    },
    total: { type: 'number', description: 'With tax' },
  },
  required: [array],
  recommended: [],
})
const schema = parseSourceSchema(JSON.stringify({ events: { Order: order('products', 'sku'), Last: {} } }))
const renamed = (change: ReturnType<typeof renameEvent>) => JSON.parse(formatSourceSchema(change)).events

test('a renamed event keeps its position and content', () => {
  const events = renamed(renameEvent(schema, 'Order', 'Purchase'))
  expect(Object.keys(events)).toEqual(['Purchase', 'Last'])
  expect(events.Purchase).toEqual(order('products', 'sku'))
})

test('a renamed property keeps its position, its content and its requirement', () => {
  const place = { event: 'Order', parent: undefined, property: 'products' }
  const events = renamed(renameProperty(schema, place, 'lines'))
  expect(events.Order).toEqual(order('lines', 'sku'))
  expect(Object.keys(events.Order.properties)).toEqual(['lines', 'total'])
  const inItems = renamed(renameProperty(schema, { event: 'Order', parent: 'products', property: 'sku' }, 'id'))
  expect(inItems.Order).toEqual(order('products', 'id'))
})
