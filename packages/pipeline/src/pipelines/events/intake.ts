import type { LogRecord } from '@tributary/storage'
import { type MicroBatch, type Processor, withoutEffects } from '../../process.ts'
import { breathe } from './turns.ts'

export type IntakeDeps = {
  processor: Pick<Processor, 'add' | 'size' | 'take'>
  /** Events that go on together. */
  microBatchEvents: number
  /** Called for each record that went through the steps, with the bytes of its body. */
  onRead(bytes: number): void
  handOn(batch: MicroBatch): void
}

export type Intake = {
  /** Takes records of one turn through the steps, in micro-batches; other work gets its time between them. */
  take(records: readonly LogRecord[]): Promise<void>
  /**
   * Takes records that a run whose journal is lost may have stored, each by itself: their ids are taken in, and what is
   * at the `stored` offsets is neither stored nor delivered again.
   */
  takeAgain(records: readonly LogRecord[], stored: ReadonlySet<number>): void
}

/** Takes records through the steps and hands on what they come to. */
export const createIntake = ({ processor, microBatchEvents, onRead, handOn }: IntakeDeps): Intake => {
  const add = (record: LogRecord): void => {
    processor.add(record)
    onRead(record.body.byteLength)
  }
  return {
    async take(records) {
      for (const record of records) {
        add(record)
        if (processor.size().events < microBatchEvents) continue
        handOn(processor.take())
        await breathe()
      }
      if (processor.size().records > 0) handOn(processor.take())
    },
    takeAgain(records, stored) {
      for (const record of records) {
        add(record)
        handOn(stored.has(record.offset) ? withoutEffects(processor.take()) : processor.take())
      }
    },
  }
}
