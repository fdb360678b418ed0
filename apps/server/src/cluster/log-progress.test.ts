import { positionsTopic } from '@tributary/collect'
import { silentLogger } from '@tributary/kernel'
import { createCoordinationHub } from '@tributary/storage'
import { expect, test } from 'vitest'
import { followLogProgress, publishLogProgress } from './log-progress.ts'

test('a process publishes positions of its own partitions, receives those of others, and keeps its own newer ones', async () => {
  const hub = createCoordinationHub()
  const elsewhere = [3, 0, 9, -1]
  const published: [number, number][][] = []
  const progress = {
    tell: async (positions: ReadonlyMap<number, number>) => void published.push([...positions]),
    ask: async () => elsewhere,
    close: () => {},
  }
  const received: unknown[] = []
  hub.coordination.subscribe(positionsTopic, (message) => received.push(message))
  const deps = {
    progress,
    logger: silentLogger,
    coordination: hub.coordination,
    owns: (partition: number) => partition < 2,
  }
  const stops = [publishLogProgress(deps), followLogProgress(deps)]
  await expect.poll(() => received).toEqual([[-1, -1, 9, -1]])
  expect(published).toEqual([])
  hub.coordination.publish(positionsTopic, [5, -1, 7, -1])
  hub.coordination.publish(positionsTopic, [5, 2, -1, -1])
  // A second thread publishes offsets while those of the first are being sent. They are sent afterwards.
  await expect.poll(() => published).toEqual([[[0, 5]], [[1, 2]]])
  hub.coordination.publish(positionsTopic, [5, 2, -1, -1])
  hub.coordination.publish(positionsTopic, [6, -1, -1, -1])
  await expect.poll(() => published).toEqual([[[0, 5]], [[1, 2]], [[0, 6]]])
  for (const stop of stops) stop()
  await hub.close()
})

test('a pending position of a partition with a new owner is not published, since that owner has published a later one', async () => {
  const hub = createCoordinationHub()
  const published: [number, number][][] = []
  const first = Promise.withResolvers<void>()
  let owned = [0, 1]
  const stop = publishLogProgress({
    progress: {
      async tell(positions) {
        published.push([...positions])
        if (published.length === 1) await first.promise
      },
      ask: async () => [],
      close: () => {},
    },
    logger: silentLogger,
    coordination: hub.coordination,
    owns: (partition) => owned.includes(partition),
  })
  let received = 0
  hub.coordination.subscribe(positionsTopic, () => received++)
  hub.coordination.publish(positionsTopic, [5, -1])
  await expect.poll(() => published).toEqual([[[0, 5]]])
  hub.coordination.publish(positionsTopic, [6, 2])
  await expect.poll(() => received).toBe(2)
  // The process was paused for longer than a lease.
  owned = [1]
  first.resolve()
  await expect.poll(() => published).toEqual([[[0, 5]], [[1, 2]]])
  stop()
  await hub.close()
})
