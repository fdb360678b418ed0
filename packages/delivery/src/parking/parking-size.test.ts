import { newId } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createParking } from './parking.ts'

test('a row with every event of the largest possible record is parked once, even if it is written repeatedly', async () => {
  await using database = await createTestDatabase()
  const parking = createParking(database.db, new Set([0]))
  const indexes = Array.from({ length: 20_000 }, (_, index) => index * 3)
  const row = {
    workspaceId: newId(),
    sourceId: newId(),
    destinationId: newId(),
    partition: 0,
    offset: 1,
    indexes,
    eventIds: [],
    attempts: 1,
    firstTime: 0,
    nextTime: 0,
    needsReport: false,
    lane: 'live' as const,
    events: indexes.length,
    bytes: 0,
    state: 'waiting' as const,
    lastStatus: undefined,
    reason: '',
    request: '',
    response: '',
  }
  for (let time = 0; time < 2; time++) {
    parking.push({ deletes: [], rows: [{ ...row, id: newId() }] }, () => {})
    await parking.flush()
  }
  const found = await parking.waiting(row.destinationId, 'live', [], 10)
  expect(found.map((each) => each.indexes)).toEqual([indexes])
})
