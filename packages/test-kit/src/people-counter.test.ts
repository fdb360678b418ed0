import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AcceptedEvent, valuesOf } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestEventStore, type TestEventStore } from './event-store.ts'
import { createStreamWorld } from './people-world.ts'

const all = [0, 1, 2, 3]

let eventStore: TestEventStore
beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())

const messageOf = (event: AcceptedEvent): string => valuesOf(event).event

/** Checks that every message was handled once, and those of each source in the order of sending. */
const expectWhole = (handled: readonly AcceptedEvent[], sent: readonly string[]): void => {
  expect(handled.map(messageOf).toSorted()).toEqual(sent.toSorted())
  for (const [source, events] of Map.groupBy(handled, ({ sourceId }) => sourceId)) {
    const messages = events.map(messageOf)
    expect(messages, source).toEqual(messages.toSorted())
  }
}

test('a consumer that starts late gets every stored event and continues with the stream, without gaps or repetitions, while events arrive', async () => {
  await eventStore.command('truncate table events')
  await using world = await createStreamWorld(eventStore)
  const sent = await world.send(100)
  await world.pipeline.idle()
  await world.stream.trim(all.map((partition) => ({ partition, offset: 20 })))
  const handled: AcceptedEvent[] = []
  // Events that arrive during a cut are before it in the log of requests, and after it in the stream.
  const consumer = world.list(handled, async () => void sent.push(...(await world.send(8))))
  const more = world.send(150)
  consumer.give(all)
  sent.push(...(await more))
  await world.pipeline.idle()
  await consumer.idle()
  await consumer.stop()
  expectWhole(handled, sent)
})

test('a consumer that was stopped for longer than the stream is kept catches up and then continues', async () => {
  await eventStore.command('truncate table events')
  await using world = await createStreamWorld(eventStore)
  const handled: AcceptedEvent[] = []
  const sent: string[] = []
  for (let time = 0; time < 2; time++) {
    const consumer = world.list(handled)
    consumer.give(all)
    sent.push(...(await world.send(40)))
    await world.pipeline.idle()
    await consumer.idle()
    await consumer.stop()
    sent.push(...(await world.send(160)))
    await world.pipeline.idle()
    const before = (await world.readers.stream.ends()).map((offset, partition) => ({ partition, offset }))
    await world.stream.trim(before)
    const places = world.readers.journal.positions()
    const starts = await world.readers.stream.starts()
    expect(starts.some((start, partition) => start > (places.get(partition) ?? 0))).toBe(true)
  }
  const consumer = world.list(handled)
  consumer.give(all)
  await consumer.idle()
  await consumer.stop()
  expectWhole(handled, sent)
})

const script = fileURLToPath(new URL('./people-process.ts', import.meta.url))

test('the people counter counts every person once, even if it is killed repeatedly, in history and in the stream', async () => {
  await eventStore.command('truncate table events')
  await using world = await createStreamWorld(eventStore)
  const run = async (...fault: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, world.dir, eventStore.url, ...fault])
    return JSON.parse(stdout)
  }
  const people = async (): Promise<number[]> => {
    const rows = await eventStore.query<{ people: number }>(
      'select workspace_id, uniqExact(user_id) as people from events group by workspace_id order by workspace_id',
    )
    return rows.map((row) => Number(row.people))
  }
  await world.send(60)
  await world.pipeline.idle()
  await world.stream.trim((await world.readers.stream.ends()).map((offset, partition) => ({ partition, offset })))
  for (const pass of ['1', '4']) await expect(run('consumer.before-commit', pass)).rejects.toThrow()
  expect(await run()).toEqual(await people())
  for (const [point, pass] of [
    ['consumer.after-handle', '2'],
    ['consumer.before-commit', '1'],
  ] as const) {
    await world.send(40)
    await world.pipeline.idle()
    await expect(run(point, pass)).rejects.toThrow()
  }
  expect(await run()).toEqual(await people())
})
