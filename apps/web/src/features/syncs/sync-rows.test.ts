import type { Sync } from '@tributary/contract'
import { expect, test } from 'vitest'
import { aRun, aSync } from '../../testing/syncs.ts'
import { syncRows, syncStateOf } from './sync-rows.ts'

const titles = (syncs: readonly Sync[]): string[] => syncs.map(({ title }) => title)

test('syncs are found by their title, model, destination, or object, and by the state of the last run', () => {
  const syncs = [
    aSync({ title: 'Orders', object_name: 'orders_copy' }),
    aSync({ title: 'People', model: { name: 'workspaces/w1/models/m2', title: 'Customers', audience: '' } }),
    aSync({ title: 'Late', last_run: aRun({ state: 'failed' }) }),
  ]
  expect(titles(syncRows(syncs, { search: ' CUSTOM', state: '' }))).toEqual(['People'])
  expect(titles(syncRows(syncs, { search: 'orders_c', state: '' }))).toEqual(['Orders'])
  expect(titles(syncRows(syncs, { search: '', state: 'failed' }))).toEqual(['Late'])
  expect(titles(syncRows(syncs, { search: '', state: 'never' }))).toEqual(['Orders', 'People'])
  expect(titles(syncRows(syncs, { search: 'late', state: 'never' }))).toEqual([])
})

test.each([
  [{ last_run: null, paused: false }, 'never'],
  [{ last_run: null, paused: true }, 'paused'],
  [{ last_run: aRun({ state: 'succeeded' }), paused: true }, 'paused'],
  [{ last_run: aRun({ state: 'needs_approval' }), paused: true }, 'needs_approval'],
  [{ last_run: aRun({ state: 'failed' }), paused: true }, 'failed'],
  [{ last_run: aRun({ state: 'sending' }), paused: false }, 'sending'],
] as const)(
  'a state that needs a user takes precedence over paused, and paused over the last run (%#)',
  (sync, state) => {
    expect(syncStateOf(sync)).toBe(state)
  },
)
