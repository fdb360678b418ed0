import { newId } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createParking } from './parking.ts'

test('a fetch of rows ends at 4 MB of profile values, and says that there are more', async () => {
  await using database = await createTestDatabase()
  const parking = createParking(database.db, new Set([0]))
  const destinationId = newId()
  const profile = { json: JSON.stringify({ traits: { a: 'x'.repeat(1024 * 1024) } }), lacks: '', needs: [] }
  const rows = [0, 1, 2, 3, 4, 5].map((offset) => ({
    id: newId(),
    workspaceId: newId(),
    sourceId: newId(),
    destinationId,
    partition: 0,
    offset,
    indexes: [0],
    eventIds: [`0-${offset}-0`],
    attempts: 1,
    firstTime: 0,
    nextTime: offset,
    needsReport: false,
    lane: 'live' as const,
    events: 1,
    bytes: 0,
    state: 'waiting' as const,
    lastStatus: undefined,
    reason: '',
    request: '',
    response: '',
    profiles: { [`0-${offset}-0`]: profile },
  }))
  parking.push({ deletes: [], rows }, () => {})
  await parking.flush()
  for (const order of ['due', 'place'] as const) {
    const first = await parking.waiting(destinationId, 'live', [], 200, order)
    expect([first.rows.map(({ offset }) => offset), first.more]).toEqual([[0, 1, 2, 3], true])
    const taken = first.rows.map(({ id }) => id)
    const second = await parking.waiting(destinationId, 'live', taken, 200, order)
    expect([second.rows.map(({ offset }) => offset), second.more]).toEqual([[4, 5], false])
  }
})

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
  const { rows: found } = await parking.waiting(row.destinationId, 'live', [], 10)
  expect(found.map((each) => each.indexes)).toEqual([indexes])
})
