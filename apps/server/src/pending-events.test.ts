import { eventIdAt, recordPlace } from '@tributary/pipeline'
import { partitionOf } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createPendingEvents } from './pending-events.ts'

const workspace = '01a2045c-679e-72ef-94b1-27f97873c49a'
const partition = partitionOf(workspace, 64)
const stats = { partitions: [{ partition, first: 0, next: 12 }], bytes: 0 }
const isPending = (id: string, storedBefore = recordPlace(partition, 10)): Promise<boolean> =>
  createPendingEvents({
    log: { partitions: 64, stats: async () => stats },
    storedBefore: async () => storedBefore,
  })(workspace, id)
const at = (offset: number, place = partition): string => eventIdAt(recordPlace(place, offset), 3)

test.each([
  ['an accepted event that the pipeline has not committed', at(10), true],
  ['the newest event of the log', at(11), true],
  ['an event before what is committed', at(9), false],
  ['an event beyond the end of the log', at(12), false],
  ["an event of another workspace's partition", at(10, (partition + 1) % 64), false],
  ['an id of no event', 'none', false],
  ['an id without an index', `${partition}-0000000010`, false],
])('%s: %s is pending %s', async (_, id, pending) => {
  expect(await isPending(id)).toBe(pending)
})

test('while the pipeline cannot be asked, no event is said to be pending', async () => {
  expect(await isPending(at(11), '')).toBe(false)
})
