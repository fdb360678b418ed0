import { expect, test } from 'vitest'
import { eventQueryOf, noFilters, readFilters, writeFilters } from './event-filters.ts'

const now = Date.UTC(2024, 1, 3, 14, 25)

test('the filters of a URL are read and written back unchanged', () => {
  const address =
    'source=workspaces%2Fw1%2Fsources%2Fs1&search=Order&type=track&status=blocked&compatibility=needsAttention&test=true&user=u-1&message=m-1&profile=none&property=plan&value=team&range=30days'
  const filters = readFilters(new URLSearchParams(address))
  expect(writeFilters(filters).toString()).toBe(address)
  expect(eventQueryOf(filters, now)).toEqual({
    source: 'workspaces/w1/sources/s1',
    search: 'Order',
    type: 'track',
    status: 'blocked',
    compatibility: 'needsAttention',
    test: 'true',
    user_id: 'u-1',
    message_id: 'm-1',
    profile: 'none',
    property: 'plan',
    property_value: 'team',
    start_time: '2024-01-05T00:00:00.000Z',
  })
})

test('unknown names, unknown choices and invalid times are ignored', () => {
  const address =
    'type=trick&status=lost&compatibility=maybe&test=yes&profile=some&range=1year&from=yesterday&toString=x&search=%20a%20'
  expect(readFilters(new URLSearchParams(address))).toEqual({ ...noFilters, search: 'a' })
  expect(writeFilters(noFilters).toString()).toBe('')
})

test('times are sent in UTC, and a range that ends now takes precedence over them', () => {
  const times = { ...noFilters, from: '2024-02-01T10:00:00+02:00', to: '2024-02-02T00:00:00Z' }
  expect(eventQueryOf(times, now)).toMatchObject({
    start_time: '2024-02-01T08:00:00.000Z',
    end_time: '2024-02-02T00:00:00.000Z',
  })
  const ranged = eventQueryOf({ ...times, range: '1day' }, now)
  expect(ranged.start_time).toBe('2024-02-02T15:00:00.000Z')
  expect(ranged.end_time).toBeUndefined()
})

test.each([
  ['property', 'plan'],
  ['value', 'team'],
])('a %s alone filters nothing', (name, value) => {
  const query = eventQueryOf({ ...noFilters, [name]: value }, now)
  expect([query.property, query.property_value]).toEqual([undefined, undefined])
})
