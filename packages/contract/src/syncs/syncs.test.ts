import { expect, test } from 'vitest'
import { dataKinds, syncModes } from '../rules/catalog.ts'
import { syncDrafts } from './sync-drafts.ts'
import { endedSyncRuns, syncRunStates } from './sync-run.ts'
import { syncChange, syncDefinition } from './syncs.ts'

test('SYN-02, SYN-03, SYN-04, SYN-05, AMB-56: each sync mode has its number and its name', () => {
  const modes = Object.entries(syncModes).map(([mode, { number, title }]) => [number, mode, title])
  expect(modes.toSorted()).toEqual([
    [1, 'UPSERT_ONLY', 'Create or update'],
    [2, 'UPDATE_ONLY', 'Update Only'],
    [3, 'FULL_SYNC', 'Full'],
    [4, 'INSERT_ONLY', 'Insert Only'],
  ])
})

test.each(Object.entries(syncModes))(
  'the API accepts only the name and the number of the mode %s (SYN-02, SYN-03, SYN-04, SYN-05)',
  (mode, { number }) => {
    const inputs = [syncDefinition.mode, syncChange.mode, syncDrafts.update.request.shape.sync_type]
    for (const input of inputs) {
      for (const given of [mode, number]) expect(input.parse(given)).toBe(mode)
      for (const given of [String(number), mode.toLowerCase(), number + 0.5, -number, 0, 5, 7, true, [number], {}])
        expect(input.safeParse(given).success).toBe(false)
    }
  },
)

test('SYN-07: data kinds have the names that the catalog shows', () => {
  expect(dataKinds).toEqual(['ETL', 'Reverse ETL', 'Event Streams', 'Offline Data'])
})

test('every state of an ended run is a valid run state', () => {
  for (const state of endedSyncRuns) expect(syncRunStates).toContain(state)
})
