import { createCoordinationHub } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followStoredPositions, positionsTopic, type StoredPositions } from './stored-positions.ts'

let hub: ReturnType<typeof createCoordinationHub>
let stored: StoredPositions
beforeEach(() => {
  hub = createCoordinationHub({})
  stored = followStoredPositions(hub.coordination)
})
afterEach(() => hub.close())

test('a waiter for an offset of a partition is notified once that offset is stored, and not before', async () => {
  const notified: string[] = []
  const waits = [
    stored.whenStored(1, 5).then(() => notified.push('1 at 5')),
    stored.whenStored(0, 9).then(() => notified.push('0 at 9')),
  ]
  hub.coordination.publish(positionsTopic, [8, 4])
  hub.coordination.publish(positionsTopic, [8, 5])
  await waits[0]
  expect(notified).toEqual(['1 at 5'])
  hub.coordination.publish(positionsTopic, [9, 5])
  await waits[1]
  await stored.whenStored(0, 3)
})

test('the pipeline is behind if a partition is not stored up to its end, but not before the first report', async () => {
  expect(stored.isBehind([9, 5])).toBe(false)
  hub.coordination.publish(positionsTopic, [9, 4])
  await stored.whenStored(1, 4)
  expect(stored.isBehind([9, 5])).toBe(true)
  hub.coordination.publish(positionsTopic, [9, 5])
  await stored.whenStored(1, 5)
  expect(stored.isBehind([9, 5])).toBe(false)
})

test('nothing counts as stored before the first report of the pipeline, and closing rejects the waiters', async () => {
  const waiting = stored.whenStored(0, 0)
  stored.close()
  await expect(waiting).rejects.toThrow('not followed')
  await expect(stored.whenStored(0, 0)).rejects.toThrow('not followed')
})
