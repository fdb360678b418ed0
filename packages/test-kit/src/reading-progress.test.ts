import {
  type AcceptedEvent,
  type Consumer,
  createEventConsumer,
  createReadingProgress,
  partitionOf,
  partitionsOf,
} from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestEventStore, type TestEventStore } from './event-store.ts'
import { consumerDeps, createStreamWorld } from './people-world.ts'

let eventStore: TestEventStore
beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())

test('while earlier events are read, the share of events that are read is available, also after a kill; it is absent once all are read', async () => {
  await using world = await createStreamWorld(eventStore)
  // Workspaces of one partition, which are read in the order of their IDs.
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
  const progress = createReadingProgress({
    eventStore,
    journal,
    partitions: world.partitions,
    widestSpread: async () => 1,
  })
  const both = () => Promise.all([first, second].map(progress))
  expect(await both()).toEqual([undefined, undefined])

  /** A consumer that handles a number of batches, and then waits until it is stopped; resolves when it waits. */
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

test('each earlier event of a spread workspace is read once, whatever its partition, and the progress of the workspace covers all its partitions', async () => {
  await using world = await createStreamWorld(eventStore)
  const [wide, narrow] = ['wide', 'wide-2']
  const partitions = partitionsOf(wide, 3, world.partitions)
  const sent: string[] = []
  for (const [at, partition] of partitions.entries()) {
    const ids = Array.from({ length: 2 + at }, (_, n) => `${partition}-${n}`)
    const events = ids.map((messageId) => ({ type: 'track', event: messageId, userId: 'u', messageId }))
    await world.sendEvents(wide, 's', events, partition)
    sent.push(...ids)
  }
  await world.sendEvents(narrow, 's', [{ type: 'track', event: 'narrow', userId: 'u', messageId: 'narrow' }])
  await world.pipeline.idle()
  const progress = createReadingProgress({
    eventStore,
    journal: world.readers.journal,
    partitions: world.partitions,
    widestSpread: async (workspaceId) => (workspaceId === wide ? 3 : 1),
  })
  const handled: AcceptedEvent[] = []
  const reported: unknown[] = []
  const deps = consumerDeps(world.readers, eventStore, () => world.pipeline.idle())
  const consumer = createEventConsumer({
    ...deps,
    history: { ...deps.history, spreads: async () => new Map([[wide, 3]]) },
    name: 'spread',
    async handle(events) {
      reported.push(await progress(wide))
      handled.push(...events)
    },
  })
  consumer.give([0, 1, 2, 3])
  await consumer.idle()
  await consumer.stop()
  // Other events in the event store are from other logs.
  const own = handled.filter(({ workspaceId }) => workspaceId === wide || workspaceId === narrow)
  const names = own.map(({ json }) => String((JSON.parse(json) as { event: string }).event))
  expect(names.toSorted()).toEqual([...sent, 'narrow'].toSorted())
  expect(reported).toContainEqual({ read: expect.any(Number), total: sent.length })
  expect(await progress(wide)).toBeUndefined()
})
