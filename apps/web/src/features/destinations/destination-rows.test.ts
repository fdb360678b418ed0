import type { Connection, ConnectionActivity, Destination } from '@tributary/contract'
import { expect, test } from 'vitest'
import { destinationRows, stateOf } from './destination-rows.ts'

const named = (name: string, title: string): Destination => ({
  name,
  title,
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/webhook',
    title: 'Webhook',
    display_name: 'Webhook',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [],
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
})
const destinations = [named('d1', 'Archive'), named('d2', 'Orders')]
const end = { name: '', title: '', enabled: true, display_name: '', app_icon: '' }
const connection = (source: string, destination: string): Connection => ({
  name: `${source}-${destination}`,
  source,
  destination,
  enabled: true,
  filter: { match: 'all', conditions: [] },
  create_time: '2026-01-01T00:00:00Z',
  extra: { source: end, destination: end },
})
const activity = (source: string, destination: string, failed: number): ConnectionActivity => ({
  source,
  destination,
  delivered: 1,
  failed,
})

test('a destination is listed with its sources and with what failed of all of them', () => {
  const rows = destinationRows(
    destinations,
    [connection('s1', 'd1'), connection('s2', 'd1')],
    [activity('s1', 'd1', 2), activity('s2', 'd1', 40)],
    '',
  )
  expect(rows.map(({ name, sources, failed }) => [name, sources, failed])).toEqual([
    ['d1', 2, 42],
    ['d2', 0, 0],
  ])
})

test('what could not be loaded is not told as none', () => {
  const rows = destinationRows(destinations, undefined, undefined, ' archive ')
  expect(rows.map(({ name, sources, failed }) => [name, sources, failed])).toEqual([['d1', undefined, undefined]])
})

const well = { state: 'ready', enabled: true, grant: null, sources: 1, failed: 0 } as const
const expired = { status: 'expired', account: '', connect_time: null, error: '', missing: '' } as const
test.each([
  [well, 'enabled'],
  [{ ...well, sources: undefined, failed: undefined }, 'enabled'],
  [{ ...well, sources: 0 }, 'unconnected'],
  [{ ...well, failed: 3 }, 'failing'],
  [{ ...well, sources: 0, failed: 3 }, 'failing'],
  [{ ...well, failed: 3, grant: expired }, 'unpermitted'],
  [{ ...well, enabled: false, failed: 3, grant: expired }, 'paused'],
  [{ ...well, state: 'needs_setup' as const, enabled: false, failed: 3, grant: expired }, 'unfinished'],
])('the state of a destination is what somebody has to know first (%#)', (row, state) => {
  expect(stateOf(row)).toBe(state)
})
