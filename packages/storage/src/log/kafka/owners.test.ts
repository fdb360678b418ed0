import { randomUUID } from 'node:crypto'
import { findCoordinatorV4, initProducerIdV4 } from '@platformatic/kafka'
import { type KafkaPeer, skipsKafka, startKafka } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAll } from '../conformance.ts'
import { partitionOf } from '../entries.ts'
import { type LogEntry, LogUnavailable } from '../port.ts'
import { encodeBatch } from './batches.ts'
import { openCluster } from './cluster.ts'
import { codes, WriterReplaced } from './errors.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions } from './partitions.ts'
import { openKafkaLogReader } from './reader.ts'
import { prepareKafkaLogs } from './topics.ts'
import { openKafkaLogWriter } from './writer.ts'

const partitions = 4
/** One key for each partition. */
const keys = [0, 1, 2, 3].map((wanted) => {
  let n = 0
  while (partitionOf(`${n}`, partitions) !== wanted) n++
  return `${n}`
})
const entry = (partition: number, body: string): LogEntry => ({
  key: keys[partition] ?? '',
  meta: '{}',
  body: Buffer.from(body),
})

describe.skipIf(skipsKafka())('writers of a log on Kafka, by partition', () => {
  let kafka: KafkaPeer
  beforeAll(async () => {
    kafka = await startKafka()
  })
  afterAll(() => kafka?.[Symbol.asyncDispose]())

  const made = (): KafkaLogOptions => {
    const [host = '', port] = kafka.address.split(':')
    return {
      brokers: [{ host, port: Number(port) }],
      topicPrefix: randomUUID(),
      name: 'stream',
      tls: undefined,
      sasl: undefined,
    }
  }
  const opening = (log: KafkaLogOptions, owned?: number[], onReplaced?: (error: WriterReplaced) => void) =>
    openKafkaLogWriter({
      ...log,
      partitions,
      ...(owned === undefined ? {} : { owned }),
      ...(onReplaced === undefined ? {} : { onReplaced }),
    })
  const read = async (log: KafkaLogOptions) => {
    const reader = await openKafkaLogReader(log)
    const records = await readAll(reader)
    const ranges = await Promise.all([0, 1, 2, 3].map((partition) => reader.incarnations(partition)))
    reader.close()
    return { records, ranges, texts: records.map(({ body }) => Buffer.from(body).toString()).toSorted() }
  }

  test('writers of different partitions append in parallel; taking a partition ends only its own writer', async () => {
    const log = made()
    await prepareKafkaLogs(log, ['stream'], { partitions })
    const reported: WriterReplaced[] = []
    const [low, high] = await Promise.all([opening(log, [0, 1], (error) => reported.push(error)), opening(log, [2, 3])])
    await Promise.all([low.append(entry(0, 'a0')), low.append(entry(1, 'a1')), high.append(entry(2, 'b2'))])
    await expect(low.append(entry(2, 'not its own'))).rejects.toBeInstanceOf(RangeError)
    expect((await low.stats()).partitions.map(({ partition }) => partition)).toEqual([0, 1])
    const taking = await opening(log, [1])
    await taking.append(entry(1, 'c1'))
    await expect(low.append(entry(1, 'late'))).rejects.toBeInstanceOf(LogUnavailable)
    expect(reported).toEqual([expect.any(WriterReplaced)])
    await high.append(entry(3, 'b3'))
    await Promise.all([low, high, taking].map((writer) => writer.close()))
    const { records, ranges, texts } = await read(log)
    expect(texts).toEqual(['a0', 'a1', 'b2', 'b3', 'c1'])
    const of = (text: string) => records.find(({ body }) => Buffer.from(body).toString() === text)?.incarnation ?? ''
    expect(of('a1')).toBe(of('a0'))
    expect(of('a1') < of('c1')).toBe(true)
    expect(new Set([of('a0'), of('b2'), of('c1')]).size).toBe(3)
    expect(ranges.map((each) => each.map(({ incarnation }) => incarnation))).toEqual([
      [of('a0')],
      [of('a1'), of('c1')],
      [of('b2')],
      [of('b2')],
    ])
  })

  test('the next owner of partitions gets the sequences and epochs of their producers', async () => {
    const log = made()
    const all = await opening(log)
    const epoch = await all.beginEpoch('p')
    for (const partition of [0, 3])
      await all.appendGroup([entry(partition, 'all')], { producer: 'p', epoch, sequence: 7 })
    await all.close()
    const [low, high] = await Promise.all([opening(log, [0, 1]), opening(log, [2, 3])])
    expect(await low.lastSequences('p')).toEqual([{ partition: 0, epoch, sequence: 7, note: '' }])
    expect(await high.lastSequences('p')).toEqual([{ partition: 3, epoch, sequence: 7, note: '' }])
    const lower = await low.beginEpoch('p')
    await high.beginEpoch('p')
    const higher = await high.beginEpoch('p')
    expect([lower, higher]).toEqual([epoch + 1, epoch + 2])
    await low.appendGroup([entry(0, 'low')], { producer: 'p', epoch: lower, sequence: 8 })
    await high.appendGroup([entry(3, 'high')], { producer: 'p', epoch: higher, sequence: 9 })
    // One writer is closed, the other one killed; the partitions of both become free.
    const ends = [...(await low.stats()).partitions, ...(await high.stats()).partitions]
    for (const writer of [low, high])
      await writer.trim(ends.map(({ partition, next }) => ({ partition, offset: next })))
    await low.close()
    const last = await opening(log)
    expect((await last.lastSequences('p')).toSorted((a, b) => a.partition - b.partition)).toEqual([
      { partition: 0, epoch: lower, sequence: 8, note: '' },
      { partition: 3, epoch: higher, sequence: 9, note: '' },
    ])
    expect(await last.beginEpoch('p')).toBe(higher + 1)
    await Promise.all([last.close(), high.close()])
  })

  test('a writer of an older version is ended, but its recorded state still applies', async () => {
    const log = made()
    await prepareKafkaLogs(log, ['stream'], { partitions })
    const cluster = openCluster(log)
    const names = topicsOf(log)
    const data = await openPartitions(cluster, names.data)
    const control = await openPartitions(cluster, names.control)
    await (await opening({ ...log, topicPrefix: randomUUID() })).close()
    const [coordinator] = (await cluster.call(undefined, findCoordinatorV4.api, 1, [names.data])).coordinators
    const old = await cluster.call(coordinator, initProducerIdV4.api, names.data, 60_000, -1n, -1)
    const send = (partition: number, sequence: number, body: string, head: object) =>
      data.produce(
        new Map([
          [
            partition,
            encodeBatch([{ ...entry(partition, body), addressed: true }], {
              head: { i: '0mfoldold00000', c: 0, ...head },
              time: Date.now(),
              stamp: { producerId: old.producerId, epoch: old.producerEpoch, sequence },
            }),
          ],
        ]),
      )
    for (const partition of [0, 1, 2, 3]) await send(partition, 0, '', { f: 1 })
    await send(0, 1, 'noted', { p: 'p', e: 4, s: 5, n: '' })
    await send(1, 1, 'behind the checkpoint', { p: 'p', e: 4, s: 6, n: '' })
    const noted = (key: string, value: unknown) => ({
      key,
      meta: '',
      body: Buffer.from(JSON.stringify(value)),
      addressed: true,
    })
    const none = [0, 0, 0, 0]
    const written = [
      noted('fence', true),
      noted('opening 0mfoldold00000', {
        incarnation: '0mfoldold00000',
        topicId: data.id,
        fences: none,
        ends: none,
        bytes: none,
      }),
      noted('producer p', { epoch: 4, last: [{ partition: 0, epoch: 4, sequence: 5, note: '' }] }),
      noted('producer q', { epoch: 9, last: [{ partition: 3, epoch: 9, sequence: 2, note: 'gone' }] }),
      noted('checkpoint', { topicId: data.id, positions: [2, 1, 1, 1] }),
    ]
    const stamp = { producerId: old.producerId, epoch: old.producerEpoch, sequence: 0 }
    await control.produce(new Map([[0, encodeBatch(written, { head: { i: '', c: 0 }, time: Date.now(), stamp })]]))
    const low = await opening(log, [0, 1])
    // It can continue in partitions that no later owner has taken yet.
    expect((await send(3, 1, 'other', {})).get(3)?.code).toBe(codes.none)
    expect((await send(0, 2, 'late', {})).get(0)?.code).toBe(codes.producerEpochOver)
    const high = await opening(log, [2, 3])
    expect((await send(3, 2, 'late', {})).get(3)?.code).toBe(codes.producerEpochOver)
    expect(await low.lastSequences('p')).toEqual([
      { partition: 0, epoch: 4, sequence: 5, note: '' },
      { partition: 1, epoch: 4, sequence: 6, note: '' },
    ])
    expect(await high.lastSequences('q')).toEqual([{ partition: 3, epoch: 9, sequence: 2, note: 'gone' }])
    expect([await low.beginEpoch('p'), await high.beginEpoch('q')]).toEqual([5, 10])
    await Promise.all([low.close(), high.close()])
    const again = await opening(log)
    expect(await again.lastSequences('p')).toHaveLength(2)
    expect(await again.beginEpoch('q')).toBe(11)
    await again.close()
    cluster.close()
    expect((await read(log)).texts).toEqual(['behind the checkpoint', 'noted', 'other'])
  })
})
