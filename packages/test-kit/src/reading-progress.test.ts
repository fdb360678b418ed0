import { type Consumer, createEventConsumer, createReadingProgress, partitionOf } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestEventStore, type TestEventStore } from './event-store.ts'
import { consumerDeps, createStreamWorld } from './people-world.ts'

let eventStore: TestEventStore
beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())

test('how much of the earlier events is read is known while it is, also after a kill, and no more when all is', async () => {
  await using world = await createStreamWorld(eventStore)
  // Two workspaces of one partition, which are read in the order of their ids.
  const names = Array.from({ length: 20 }, (_, n) => `w-${10 + n}`)
  const [first = '', ...others] = names
  const partition = partitionOf(first, world.partitions)
  const second = others.find((name) => partitionOf(name, world.partitions) === partition) ?? ''
  for (const [workspace, events] of [
    [first, 3],
    [second, 2],
  ] as const)
    await world.sendEvents(
      workspace,
      's',
      Array.from({ length: events }, (_, n) => ({
        type: 'track',
        event: 'Seen',
        userId: 'u',
        messageId: `${workspace}-${n}`,
      })),
    )
  await world.pipeline.idle()
  const { journal } = world.readers
  const progress = createReadingProgress({ eventStore, journal, partitions: world.partitions })
  const both = () => Promise.all([first, second].map(progress))
  expect(await both()).toEqual([undefined, undefined])

  /** A consumer that handles so many batches, and then waits until it is stopped; resolves when it waits. */
  const open = async (batches: number): Promise<Consumer> => {
    const stopped = Promise.withResolvers<void>()
    const waits = Promise.withResolvers<void>()
    let handled = 0
    const consumer = createEventConsumer({
      ...consumerDeps(world.readers, eventStore, () => world.pipeline.idle()),
      name: 'progress',
      async handle() {
        if (++handled <= batches) return
        waits.resolve()
        await stopped.promise
        throw new Error('stopped')
      },
    })
    consumer.give([partition])
    await waits.promise
    const stop = consumer.stop
    return {
      ...consumer,
      async stop() {
        const ended = stop()
        stopped.resolve()
        await ended
      },
    }
  }
  const none = await open(0)
  expect(await both()).toEqual([
    { read: 0, total: 3 },
    { read: 0, total: 2 },
  ])
  await none.stop()
  const half = await open(1)
  const halfRead = [
    { read: 3, total: 3 },
    { read: 0, total: 2 },
  ]
  expect(await both()).toEqual(halfRead)
  await half.stop()
  expect(await both()).toEqual(halfRead)

  const rest = createEventConsumer({
    ...consumerDeps(world.readers, eventStore, () => world.pipeline.idle()),
    name: 'progress',
    handle: async () => {},
  })
  rest.give([partition])
  await rest.idle()
  expect(await both()).toEqual([undefined, undefined])
  await rest.stop()
})
