import { expect, test } from 'vitest'
import { foundTables } from './found-tables.ts'

const tables = [
  { table: 'order_completed', columns: [{ column: 'total', type: 'String', fixed: false }] },
  { table: 'tracks', columns: [{ column: 'Event_Text', type: 'String', fixed: false }] },
]

test.each([
  ['', ['order_completed', 'tracks']],
  ['  ORDER ', ['order_completed']],
  ['event_t', ['tracks']],
  ['total', ['order_completed']],
  ['refund', []],
])('the search for "%s" finds tables by their name and those of their columns', (text, found) => {
  expect(foundTables(tables, text).map(({ table }) => table)).toEqual(found)
})
