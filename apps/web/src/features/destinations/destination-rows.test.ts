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
    people_lists: null,
    abilities: [],
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
  received: failed + 1,
  filtered: 0,
  pending: 0,
  delivered: 1,
  failed,
})
const all = { search: '', type: '', state: '' }

test('a destination is listed with its sources, and the failures from all of them', () => {
  const rows = destinationRows(
    destinations,
    [connection('s1', 'd1'), connection('s2', 'd1')],
    [activity('s1', 'd1', 2), activity('s2', 'd1', 40)],
    all,
  )
  expect(rows.map(({ name, sources, outcomes }) => [name, sources, outcomes?.failed, outcomes?.delivered])).toEqual([
    ['d1', 2, 42, 2],
    ['d2', 0, 0, 0],
  ])
})

test('a number that could not be loaded is not shown as zero', () => {
  const rows = destinationRows(destinations, undefined, undefined, { ...all, search: ' archive ' })
  expect(rows.map(({ name, sources, outcomes }) => [name, sources, outcomes])).toEqual([['d1', undefined, undefined]])
})

test('a search text, a type and a state narrow the list together: a destination must match all three', () => {
  const names = (filters: object) =>
    destinationRows(destinations, [connection('s1', 'd1')], [activity('s1', 'd1', 2)], { ...all, ...filters }).map(
      ({ name }) => name,
    )
  expect(names({ type: 'Webhook' })).toEqual(['d1', 'd2'])
  expect(names({ type: 'Slack' })).toEqual([])
  expect(names({ state: 'failing' })).toEqual(['d1'])
  expect(names({ state: 'unconnected' })).toEqual(['d2'])
  expect(names({ state: 'failing', search: 'orders' })).toEqual([])
})

test('a destination is shown as enabled only if its failures and connections are known', () => {
  const [row] = destinationRows(destinations, [connection('s1', 'd1')], [activity('s1', 'd1', 0)], {
    ...all,
    search: 'archive',
  })
  if (row === undefined) throw new Error('there is no row')
  expect(stateOf(row)).toBe('enabled')
  expect(stateOf({ ...row, outcomes: undefined })).toBe('unknown')
  expect(stateOf({ ...row, sources: undefined })).toBe('unknown')
  expect(stateOf({ ...row, sources: undefined, outcomes: outcomesOf(1) })).toBe('failing')
  expect(stateOf({ ...row, enabled: false, outcomes: undefined })).toBe('paused')
})

const outcomesOf = (failed: number) => ({ received: failed, filtered: 0, pending: 0, delivered: 0, failed })
const well = { state: 'ready', enabled: true, grant: null, sources: 1, outcomes: outcomesOf(0) } as const
const expired = { status: 'expired', account: '', connect_time: null, error: '', missing: '' } as const
test.each([
  [well, 'enabled'],
  [{ ...well, sources: undefined, outcomes: undefined }, 'unknown'],
  [{ ...well, sources: 0 }, 'unconnected'],
  [{ ...well, outcomes: outcomesOf(3) }, 'failing'],
  [{ ...well, sources: 0, outcomes: outcomesOf(3) }, 'failing'],
  [{ ...well, outcomes: outcomesOf(3), grant: expired }, 'unpermitted'],
  [{ ...well, enabled: false, outcomes: outcomesOf(3), grant: expired }, 'paused'],
  [{ ...well, state: 'needs_setup' as const, enabled: false, outcomes: outcomesOf(3), grant: expired }, 'unfinished'],
])('if a destination has several states, the most urgent one is shown (%#)', (row, state) => {
  expect(stateOf(row)).toBe(state)
})
