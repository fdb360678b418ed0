import { expect, test } from 'vitest'
import { noFilters } from '../../lib/events/event-filters.ts'
import { setFilters } from './filter-words.ts'

const sources = [{ name: 'workspaces/w1/sources/s1', title: 'Shop' }]
const wordsOf = (filters: Partial<typeof noFilters>): string[] =>
  setFilters({ ...noFilters, ...filters }, sources).map(({ label, value }) => `${label}: ${value}`)

test('every active filter is listed, and no other', () => {
  expect(wordsOf({})).toEqual([])
  expect(
    wordsOf({
      source: 'workspaces/w1/sources/s1',
      search: 'Order',
      type: 'track',
      status: 'blocked',
      compatibility: 'needsAttention',
      test: 'false',
      user: 'u-1',
      message: 'm-1',
      property: 'plan',
      value: 'team',
      range: '30days',
    }),
  ).toEqual([
    'Name contains: Order',
    'Source: Shop',
    'Time: Last 30 days',
    'Type: Track',
    'Status: Blocked',
    'Compatibility: Needs attention',
    'Environment: Production',
    'User: u-1',
    'Message ID: m-1',
    'plan: team',
  ])
})

test('a deleted source still counts as an active filter, and a property without a value does not', () => {
  expect(wordsOf({ source: 'workspaces/w1/sources/gone', property: 'plan' })).toEqual(['Source: Deleted source'])
})
