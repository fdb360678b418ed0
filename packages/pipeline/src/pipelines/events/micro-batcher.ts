import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Metrics } from '@tributary/kernel'
import type { LogRecord } from '@tributary/storage'
import type { DeliverBranch } from '../../branches/deliver.ts'
import type { PublishBranch } from '../../branches/publish.ts'
import type { StoreBranch } from '../../branches/store.ts'
import { type MicroBatch, type Processor, withoutEffects } from '../../process.ts'

export type MicroBatcherDeps = {
  processor: Pick<Processor, 'add' | 'size' | 'take'>
  /** Number of events of one micro-batch. */
  microBatchEvents: number
  /** Called for each record that went through the steps, with the bytes of its body. */
  onRead(bytes: number): void
  flush(batch: MicroBatch): void
}

export type MicroBatcher = {
  /**
   * Takes records of one turn of a lane through the steps, in micro-batches, and yields to the event loop between them.
   */
  consume(records: readonly LogRecord[], lane?: number): Promise<void>
  /**
   * Takes records that a run with a lost journal may have stored, separately from other records. The message IDs of all
   * these records are added. Records at the `stored` offsets are not stored or delivered again.
   */
  consumeAgain(records: readonly LogRecord[], stored: ReadonlySet<number>, lane?: number): void
}

/** Takes records through the steps and flushes the micro-batches. */
export const createMicroBatcher = ({ processor, microBatchEvents, onRead, flush }: MicroBatcherDeps): MicroBatcher => {
  const add = (record: LogRecord, lane = record.partition): void => {
    processor.add(record, undefined, lane)
    onRead(record.body.byteLength)
  }
  return {
    async consume(records, lane) {
      for (const record of records) {
        add(record, lane)
        if (processor.size().events < microBatchEvents) continue
        flush(processor.take())
        await yieldToEventLoop()
      }
      if (processor.size().records > 0) flush(processor.take())
    },
    consumeAgain(records, stored, lane) {
      let isStored = false
      const end = (): void => {
        if (processor.size().records > 0) flush(isStored ? withoutEffects(processor.take()) : processor.take())
      }
      for (const record of records) {
        if (stored.has(record.offset) !== isStored || processor.size().events >= microBatchEvents) end()
        isStored = stored.has(record.offset)
        add(record, lane)
      }
      end()
    },
  }
}

export type FanOutDeps = {
  publish: Pick<PublishBranch, 'add'>
  deliver: Pick<DeliverBranch, 'add'>
  store: Pick<StoreBranch, 'add'>
  metrics: Pick<Metrics, 'count'>
}

/** Passes a micro-batch to the three branches, which do not wait for each other, and counts its events by status. */
export const createFanOut =
  ({ publish, deliver, store, metrics }: FanOutDeps): ((batch: MicroBatch) => void) =>
  (batch) => {
    for (const [sourceId, events] of batch.live) publish.add(sourceId, events)
    store.add(batch, deliver.add(batch))
    metrics.count('pipeline_events', batch.accepted, { status: 'accepted' })
    if (batch.blocked > 0) metrics.count('pipeline_events', batch.blocked, { status: 'blocked' })
    if (batch.held > 0) metrics.count('pipeline_events', batch.held, { status: 'held' })
    for (const [reason, count] of batch.rejected) {
      metrics.count('pipeline_events', count, { status: 'rejected' })
      metrics.count('pipeline_events_rejected', count, { reason })
    }
  }
