import type { LogRecord } from '@tributary/storage'
import { createProcessor, type MicroBatch } from '../../process.ts'

const processor = createProcessor({
  journal: { firstSeen: () => undefined },
  destinationsFor: () => [],
  schemaFor: () => undefined,
  isWatched: () => false,
  deliveryRecordBytes: 512 * 1024,
})

/** A request at `offset` of `partition` with one event for each message ID. */
const record = (partition: number, offset: number, messageIds: readonly string[], time: number): LogRecord => ({
  partition,
  offset,
  incarnation: '',
  time,
  key: `w-${partition}`,
  meta: JSON.stringify({ w: `w-${partition}`, s: 's-1', k: 'batch', r: time, ip: '' }),
  body: Buffer.from(
    JSON.stringify({
      batch: messageIds.map((messageId) => ({ type: 'track', event: messageId, userId: 'u-1', messageId })),
    }),
  ),
})

/** The micro-batch of one such request. A message ID that occurs twice is discarded once. */
export const microBatch = (partition: number, offset: number, messageIds: readonly string[], time = 1): MicroBatch => {
  processor.add(record(partition, offset, messageIds, time))
  processor.takeIds()
  processor.idsFlushed()
  return processor.take()
}
