import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { LogRecord } from '@tributary/storage'
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
  /** Takes records of one turn of a lane through the steps, in micro-batches; yields to other work between them. */
  consume(records: readonly LogRecord[], lane?: number): Promise<void>
  /**
   * Takes records that a run with a lost journal may have stored, apart from other records. Their IDs are noted.
   * Records at the `stored` offsets are neither stored nor delivered again.
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
