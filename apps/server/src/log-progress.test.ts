import { positionsTopic } from '@tributary/collect'
import { silentLogger } from '@tributary/kernel'
import { createCoordinationHub } from '@tributary/storage'
import { expect, test } from 'vitest'
import { followLogProgress, tellLogProgress } from './log-progress.ts'

test('a process tells how far its own partitions are, hears of the others, and takes no old news of its own', async () => {
  const hub = createCoordinationHub()
  const elsewhere = [3, 0, 9, -1]
  const told: [number, number][][] = []
  const progress = {
    tell: async (positions: ReadonlyMap<number, number>) => void told.push([...positions]),
    ask: async () => elsewhere,
    close: () => {},
  }
  const heard: unknown[] = []
  hub.coordination.subscribe(positionsTopic, (message) => heard.push(message))
  const deps = {
    progress,
    logger: silentLogger,
    coordination: hub.coordination,
    owns: (partition: number) => partition < 2,
  }
  const stops = [tellLogProgress(deps), followLogProgress(deps)]
  await expect.poll(() => heard).toEqual([[-1, -1, 9, -1]])
  expect(told).toEqual([])
  hub.coordination.publish(positionsTopic, [5, -1, 7, -1])
  hub.coordination.publish(positionsTopic, [5, 2, -1, -1])
  // Offsets that a second thread publishes while those of the first are being sent are sent next.
  await expect.poll(() => told).toEqual([[[0, 5]], [[1, 2]]])
  hub.coordination.publish(positionsTopic, [5, 2, -1, -1])
  hub.coordination.publish(positionsTopic, [6, -1, -1, -1])
  await expect.poll(() => told).toEqual([[[0, 5]], [[1, 2]], [[0, 6]]])
  for (const stop of stops) stop()
  await hub.close()
})

test('what waits to be told of a partition that is not its own any more is not told: another has told more by then', async () => {
  const hub = createCoordinationHub()
  const told: [number, number][][] = []
  const first = Promise.withResolvers<void>()
  let owned = [0, 1]
  const stop = tellLogProgress({
    progress: {
      async tell(positions) {
        told.push([...positions])
        if (told.length === 1) await first.promise
      },
      ask: async () => [],
      close: () => {},
    },
    logger: silentLogger,
    coordination: hub.coordination,
    owns: (partition) => owned.includes(partition),
  })
  let heard = 0
  hub.coordination.subscribe(positionsTopic, () => heard++)
  hub.coordination.publish(positionsTopic, [5, -1])
  await expect.poll(() => told).toEqual([[[0, 5]]])
  hub.coordination.publish(positionsTopic, [6, 2])
  await expect.poll(() => heard).toBe(2)
  // It was paused meanwhile, for longer than a lease.
  owned = [1]
  first.resolve()
  await expect.poll(() => told).toEqual([[[0, 5]], [[1, 2]]])
  stop()
  await hub.close()
})
