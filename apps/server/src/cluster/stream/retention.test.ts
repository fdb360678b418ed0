import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamPressure } from '@tributary/control'
import { type Metrics, noMetrics, silentLogger } from '@tributary/kernel'
import { type LogPosition, openLogReader, openLogWriter } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type StreamConsumer, threadConsumer, type WhenBehind } from './consumers.ts'
import { createStreamRetention } from './retention.ts'

const recordBytes = 60_000
const records = 20

let stack: AsyncDisposableStack
let stream: Awaited<ReturnType<typeof openStream>>
let reported: StreamPressure[]
let gauges: Map<string, number>

/** Opens a stream of one partition in which every record is a separate segment. */
const openStream = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tributary-stream-'))
  stack.defer(() => rmSync(dir, { recursive: true, force: true }))
  const writer = await openLogWriter({ dir, partitions: 1, inline: true, segmentBytes: recordBytes })
  stack.defer(() => writer.close())
  const reader = openLogReader({ dir })
  stack.defer(() => reader.close())
  const append = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await writer.append({ key: 'w', meta: '{}', body: randomBytes(recordBytes) })
  }
  const bytes = async (): Promise<number> => (await writer.stats()).bytes
  const first = async (): Promise<number> => (await reader.starts())[0] ?? -1
  return { writer, reader, append, bytes, first }
}

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  stream = await openStream()
  reported = []
  gauges = new Map()
  await stream.append(records)
})
afterEach(() => stack.disposeAsync())

const metrics: Metrics = {
  ...noMetrics,
  gauge: (name, value, labels = {}) => void gauges.set([name, ...Object.values(labels)].join(' '), value),
}

const at = (name: string, whenBehind: WhenBehind, place: { offset: number }): StreamConsumer => ({
  name,
  whenBehind,
  needed: async () => [{ partition: 0, offset: place.offset }],
  wake: () => {},
})

const retentionOf = (consumers: StreamConsumer[], maxBytes: number, keepMs = 0) =>
  createStreamRetention({
    trim: async (before: readonly LogPosition[]) => {
      await stream.writer.trim(before)
      return await stream.bytes()
    },
    positionsBefore: (time) => stream.reader.positionsBefore(time),
    starts: () => stream.reader.starts(),
    ends: () => stream.reader.ends(),
    keepMs,
    maxBytes,
    consumers,
    tell: async (pressure) => void reported.push(pressure),
    clock: () => Date.now() + 1000,
    logger: silentLogger,
    metrics,
  })

test('the stream keeps what its slowest consumer needs, and removes what all have read', async () => {
  const [slow, quick] = [{ offset: 6 }, { offset: records }]
  const retention = retentionOf([at('quick', 'holds', quick), at('slow', 'catches-up', slow)], 1e9)
  await retention.run()
  expect(await stream.first()).toBe(6)
  slow.offset = 15
  await retention.run()
  expect(await stream.first()).toBe(15)
  expect(gauges.get('stream_consumer_behind_records slow')).toBe(5)
  expect(reported).toEqual([])
})

test('a disabled consumer, which is not registered, keeps no records', async () => {
  const delivery = at('delivery', 'holds', { offset: records - 1 })
  await retentionOf([delivery, at('profiles', 'catches-up', { offset: 0 })], 1e9).run()
  expect(await stream.first()).toBe(0)
  await retentionOf([delivery], 1e9).run()
  expect(await stream.first()).toBe(records - 1)
})

test('if a consumer does not report its needs, all records stay', async () => {
  const away = threadConsumer('delivery', 'holds', undefined)
  await retentionOf([away, at('profiles', 'catches-up', { offset: records })], 10 * recordBytes).run()
  expect(await stream.first()).toBe(0)
  expect(reported).toMatchObject([{ consumer: 'delivery', lost: false, records }])
})

test('from 80 % of the limit on, platform admins are notified of the slowest consumer', async () => {
  const consumers = [at('delivery', 'holds', { offset: 0 }), at('profiles', 'catches-up', { offset: 9 })]
  const bytes = await stream.bytes()
  await retentionOf(consumers, bytes / 0.79).run()
  expect(reported).toEqual([])
  await retentionOf(consumers, bytes / 0.81).run()
  expect(reported).toMatchObject([{ consumer: 'delivery', records, bytes, lost: false }])
  expect(await stream.first()).toBe(0)
})

test('above the limit, age protects no record; then the slowest catching-up consumers lose their position, but delivery never does', async () => {
  const [delivery, profiles, audiences] = [{ offset: 12 }, { offset: 4 }, { offset: 8 }]
  const consumers = [
    at('delivery', 'holds', delivery),
    at('profiles', 'catches-up', profiles),
    at('audiences', 'catches-up', audiences),
  ]
  const hour = 3_600_000
  const bytesOf = async (offset: number): Promise<number> => ((await stream.bytes()) * (records - offset)) / records
  await retentionOf(consumers, (await bytesOf(4)) * 1.1, hour).run()
  expect([await stream.first(), reported.filter(({ lost }) => lost)]).toEqual([4, []])
  const limit = (await bytesOf(0)) * (12 / 16) * 1.1
  const retention = retentionOf(consumers, limit, hour)
  await retention.run()
  expect(await stream.first()).toBe(8)
  expect(reported.filter(({ lost }) => lost)).toMatchObject([{ consumer: 'profiles', records: 16 }])
  expect(gauges.get('stream_consumer_lost profiles')).toBe(1)
  expect(gauges.get('stream_consumer_lost audiences')).toBe(0)
  profiles.offset = records
  await retention.run()
  expect(gauges.get('stream_consumer_lost profiles')).toBe(0)
  await retentionOf(consumers, recordBytes, hour).run()
  expect(await stream.first()).toBe(12)
})
