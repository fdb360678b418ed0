import { parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { matchingEvents } from './schema-search.ts'

const schema = parseSourceSchema(
  JSON.stringify({
    events: {
      'Order Completed': {
        properties: {
          Total: { type: 'number' },
          lines: { type: 'array', items: { properties: { sku: { type: 'string' } } } },
        },
      },
      'Signed Up': {},
    },
  }),
)

test.each([
  ['', ['Order Completed', 'Signed Up']],
  ['  ', ['Order Completed', 'Signed Up']],
  ['order', ['Order Completed']],
  [' UP ', ['Signed Up']],
  ['total', ['Order Completed']],
  ['SKU', ['Order Completed']],
  ['zebra', []],
])('a search finds events by their name and by the names of their properties: %j', (search, titles) => {
  expect(matchingEvents(schema, search).map(([title]) => title)).toEqual(titles)
})
