import type { LogRecord } from '@tributary/storage'
import { describe, expect, it } from 'vitest'
import { microBatch } from '../../branches/store/test-batches.ts'
import { createProcessor, type MicroBatch } from '../../process.ts'
import { createFanOut, createMicroBatcher } from './read-loop.ts'

const record = (offset: number, events: number): LogRecord => ({
  partition: 1,
  offset,
  incarnation: '',
  time: 1,
  key: 'w',
  meta: JSON.stringify({ w: 'w', s: 's', k: 'batch', r: 1, ip: '' }),
  body: Buffer.from(
    JSON.stringify({
      batch: Array.from({ length: events }, (_, n) => ({
        type: 'track',
        event: 'Bought',
        userId: 'u',
        messageId: `${offset}-${n}`,
      })),
    }),
  ),
})

const setUp = () => {
  const batches: MicroBatch[] = []
  const processor = createProcessor({
    journal: { firstSeen: () => undefined },
    destinationsFor: () => ['d'],
    schemaFor: () => undefined,
    isWatched: () => true,
    deliveryRecordBytes: 512 * 1024,
  })
  let bytes = 0
  const batcher = createMicroBatcher({
    processor,
    microBatchEvents: 10,
    onRead: (length) => {
      bytes += length
    },
    flush: (batch) => batches.push(batch),
  })
  return { batcher, batches, processor, bytes: () => bytes }
}

describe('the micro-batcher', () => {
  it('the micro-batcher flushes a micro-batch of whole records if it has enough events, and the rest at the end', async () => {
    const { batcher, batches, bytes } = setUp()
    const records = [record(0, 4), record(1, 7), record(2, 30), record(3, 1)]
    await batcher.consume(records)
    expect(batches.map(({ from, to, accepted }) => [from, to, accepted])).toEqual([
      [0, 2, 11],
      [2, 3, 30],
      [3, 4, 1],
    ])
    expect(bytes()).toBe(records.reduce((sum, { body }) => sum + body.byteLength, 0))
  })

  it('the micro-batcher flushes no record twice, and also flushes records without events', async () => {
    const { batcher, batches } = setUp()
    await batcher.consume([record(0, 10)])
    await batcher.consume([record(1, 0)])
    expect(batches.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
    ])
  })

  it('the micro-batcher yields to the event loop between micro-batches', async () => {
    const { batcher, batches } = setUp()
    let seen = 0
    setImmediate(() => {
      seen = batches.length
    })
    await batcher.consume([record(0, 10), record(1, 10)])
    expect(seen).toBe(1)
  })

  it('the micro-batcher adds only the IDs of stored records, and does not store or deliver these records again', () => {
    const { batcher, batches, processor, bytes } = setUp()
    batcher.consumeAgain([record(0, 2), record(1, 3)], new Set([0]))
    expect(
      batches.map(({ from, to, rows, deliveries, live }) => [from, to, rows.ends.length, deliveries.length, live.size]),
    ).toEqual([
      [0, 1, 0, 0, 0],
      [1, 2, 3, 1, 1],
    ])
    expect(processor.takeIds()).toHaveLength(5)
    expect(bytes()).toBeGreaterThan(0)
  })
})

it('a micro-batch goes to all branches and is counted by status, and its rows wait for its deliveries', () => {
  const appended = Promise.resolve()
  const reported: unknown[][] = []
  const fanOut = createFanOut({
    publish: { add: (...args) => reported.push(['publish', ...args]) },
    deliver: {
      add: (batch) => {
        reported.push(['deliver', batch])
        return appended
      },
    },
    store: { add: (batch, deliveries) => reported.push(['store', batch, deliveries === appended]) },
    metrics: { count: (name, by, labels) => reported.push([name, by, labels]) },
  })
  const batch = { ...microBatch(0, 0, ['a', 'b']), live: new Map([['s-1', []]]), rejected: new Map([['no_type', 3]]) }
  fanOut(batch)
  const accepted = ['pipeline_events', 2, { status: 'accepted' }]
  expect(reported).toEqual([
    ['publish', 's-1', []],
    ['deliver', batch],
    ['store', batch, true],
    accepted,
    ['pipeline_events', 3, { status: 'rejected' }],
    ['pipeline_events_rejected', 3, { reason: 'no_type' }],
  ])
  reported.length = 0
  fanOut({ ...batch, live: new Map(), rejected: new Map(), blocked: 4 })
  expect(reported.slice(2)).toEqual([accepted, ['pipeline_events', 4, { status: 'blocked' }]])
})
