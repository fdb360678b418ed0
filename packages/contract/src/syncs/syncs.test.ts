import { expect, test } from 'vitest'
import { dataKinds, syncModes } from '../rules/catalog.ts'
import { endedSyncRuns, syncRunStates } from './syncs.ts'

test('SYN-02, SYN-03, SYN-04, SYN-05, AMB-56: each sync mode has its number and its name', () => {
  const told = Object.entries(syncModes).map(([mode, { number, title }]) => [number, mode, title])
  expect(told.toSorted()).toEqual([
    [1, 'UPSERT_ONLY', 'Create or update'],
    [2, 'UPDATE_ONLY', 'Update Only'],
    [3, 'FULL_SYNC', 'Full'],
    [4, 'INSERT_ONLY', 'Insert Only'],
  ])
})

test('SYN-07: data kinds have the names that the catalog shows', () => {
  expect(dataKinds).toEqual(['ETL', 'Reverse ETL', 'Event Streams', 'Offline Data'])
})

test('the states in which a run has ended are states', () => {
  for (const state of endedSyncRuns) expect(syncRunStates).toContain(state)
})
