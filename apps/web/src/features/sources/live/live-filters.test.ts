import { emptySchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import type { LiveEvent } from './live-event.ts'
import {
  isFiltered,
  type LiveFilters,
  matches,
  noFilters,
  readLiveFilters,
  withFilter,
  writeLiveFilters,
} from './live-filters.ts'

const event: LiveEvent = {
  eventId: '0-1-0',
  messageId: 'm1',
  type: 'track',
  title: 'Order Completed',
  user: '',
  test: true,
  receiveTime: '2026-01-01T00:00:00Z',
  status: 'accepted',
  reason: '',
  compatibility: 'incompatible',
  schemaVersion: 1,
  payload: undefined,
}
const known = { schema: emptySchema, versions: new Map() }

test.each<[Partial<LiveFilters>, boolean]>([
  [{}, true],
  [{ text: '  order com ' }, true],
  [{ text: 'refund' }, false],
  [{ type: 'track' }, true],
  [{ type: 'group' }, false],
  [{ environment: 'test' }, true],
  [{ environment: 'prod' }, false],
  [{ compatibility: 'incompatible' }, true],
  [{ compatibility: 'compatible' }, false],
  [{ text: 'order', type: 'track', environment: 'test', compatibility: 'incompatible' }, true],
  [{ text: 'order', type: 'track', environment: 'prod', compatibility: 'incompatible' }, false],
])('an event matches all the filters %j: %s', (filters, passes) => {
  expect(matches(event, { ...noFilters, ...filters }, known)).toBe(passes)
})

test('an invalid value of a live filter matches every event', () => {
  expect(withFilter(noFilters, 'type', 'purchase')).toEqual(noFilters)
  expect(withFilter(noFilters, 'type', 'alias')).toEqual({ ...noFilters, type: 'alias' })
  expect(withFilter(noFilters, 'compatibility', 'needsAttention').compatibility).toBe('needsAttention')
  expect(withFilter({ ...noFilters, environment: 'test' }, 'environment', '')).toEqual(noFilters)
})

test('a search text with only spaces filters nothing', () => {
  expect(isFiltered(noFilters)).toBe(false)
  expect(isFiltered({ ...noFilters, text: '  ' })).toBe(false)
  expect(isFiltered({ ...noFilters, text: ' a' })).toBe(true)
})

test('a URL contains the active filters, and an invalid filter in it matches every event', () => {
  const filters: LiveFilters = { text: 'a & b', type: 'track', environment: 'test', compatibility: 'needsAttention' }
  expect(readLiveFilters(new URLSearchParams(writeLiveFilters(filters)))).toEqual(filters)
  expect(writeLiveFilters(noFilters)).toEqual({})
  expect(readLiveFilters(new URLSearchParams('type=nothing&environment=x&event=1'))).toEqual(noFilters)
})
