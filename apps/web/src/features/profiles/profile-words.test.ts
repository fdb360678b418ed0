import type { ProfileHistoryEntry } from '@tributary/contract'
import { expect, test } from 'vitest'
import { historyText, kindOf, traitText } from './profile-words.ts'

const entry = (some: Partial<ProfileHistoryEntry>): ProfileHistoryEntry => ({
  change: 'merged',
  time: '2026-01-01T00:00:00.000Z',
  identifiers: [{ type: 'anonymous_id', value: 'a' }],
  by: { type: 'user_id', value: 'u' },
  alias: false,
  reason: '',
  profile: '',
  event: '',
  ...some,
})

test.each([
  [{ change: 'created', by: null }, 'First seen as Anonymous ID a'],
  [{}, 'Merged: Anonymous ID a came with User ID u'],
  [{ alias: true }, 'Merged by an alias call: Anonymous ID a is User ID u'],
  [{ change: 'split', by: null }, 'Split: Anonymous ID a'],
  [{ change: 'refused', reason: 'split' }, 'Not linked: Anonymous ID a came with User ID u, but they were split'],
  [
    { change: 'refused', reason: 'limit' },
    'Not linked: Anonymous ID a came with User ID u, beyond the limit of identifiers',
  ],
] as const)('the history entry %j is described as "%s"', (some, text) => {
  expect(historyText(entry(some as Partial<ProfileHistoryEntry>))).toBe(text)
})

test.each([
  ['"a \\"b\\""', 'a "b"'],
  ['12345678901234567890.10', '12345678901234567890.10'],
  ['{"a":1}', '{"a":1}'],
  ['null', 'null'],
])('the value %s is shown as %s', (value, text) => {
  expect(traitText(value)).toBe(text)
})

test('a kind of external ID is shown by its name', () => {
  expect(kindOf('shop_customer')).toBe('shop_customer')
})
