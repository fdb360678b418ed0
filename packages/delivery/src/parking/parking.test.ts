import { describe, expect, it } from 'vitest'
import type { NewParkedRow } from './parked-row.ts'
import { mergeChanges } from './parking.ts'

const row = (id: string, attempts = 0): NewParkedRow => ({
  id,
  workspaceId: 'w',
  sourceId: 's',
  destinationId: 'd',
  partition: 0,
  offset: 1,
  indexes: [0],
  eventIds: [],
  needsReport: false,
  lane: 'live',
  attempts,
  firstTime: 0,
  nextTime: 0,
  events: 1,
  bytes: 1,
  state: 'waiting',
  lastStatus: undefined,
  reason: '',
  request: '',
  response: '',
})

describe('changes that are written together', () => {
  it('a row that is inserted and then deleted does not exist in the end', () => {
    const merged = mergeChanges([
      { deletes: [], rows: [row('a'), row('b')] },
      { deletes: ['a'], rows: [] },
    ])
    expect(merged).toEqual({ deletes: ['a'], rows: [row('b')] })
  })

  it('a row that is deleted and inserted again has its last content', () => {
    const merged = mergeChanges([
      { deletes: ['a'], rows: [row('a', 1)] },
      { deletes: ['a'], rows: [row('a', 2)] },
    ])
    expect(merged).toEqual({ deletes: ['a'], rows: [row('a', 2)] })
  })
})
