import { expect, test } from 'vitest'
import { definitionText, isBehind } from './computed-words.ts'

test('a definition is described in one sentence', () => {
  const definition = { event: 'Order Completed', conditions: [] }
  expect(definitionText({ ...definition, operation: 'count', property: '', window_days: null })).toBe(
    'Count of Order Completed, all stored events',
  )
  const condition = { id: 'aaaa', name: 'plan', valueType: 'text', operator: 'exists', value: '', values: [] } as const
  expect(
    definitionText({
      ...definition,
      operation: 'sum',
      property: 'total',
      window_days: 30,
      conditions: [{ ...condition, values: [] }],
    }),
  ).toBe('Sum of total in Order Completed, the last 30 days, with 1 condition')
})

test('computed values are behind if they are more than a minute old, but not before the first values exist', () => {
  const now = Date.parse('2026-01-02T00:02:00.000Z')
  expect(isBehind({ as_of: null }, now)).toBe(false)
  expect(isBehind({ as_of: '2026-01-02T00:01:00.000Z' }, now)).toBe(false)
  expect(isBehind({ as_of: '2026-01-02T00:00:59.000Z' }, now)).toBe(true)
})
