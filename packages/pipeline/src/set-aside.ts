import type { RecordPlace } from '@tributary/kernel'
import type { LogRecord } from '@tributary/storage'

/** The requests on which processing fails again and again: kept elsewhere, so that what comes behind them is processed. */
export type SetAside = {
  /** Whether a request is one of them, and passed over; asked once per record, from memory. */
  has(record: RecordPlace): boolean
  /**
   * Notes durably that the steps threw on a request. The pipeline ends by that and is started anew, and meets the request again, unless that was
   * the last of its tries. The body is valid until this has resolved.
   */
  failed(record: LogRecord, error: unknown): Promise<void>
}

/** Thrown when the steps throw on a record; the `cause` is what they threw. */
export class RecordFailed extends Error {
  override readonly name = 'RecordFailed'
  readonly record: LogRecord
  /** Whether it was begun before: what it came to then may be stored, and its message ids are known. */
  readonly isRepeated: boolean
  constructor(record: LogRecord, isRepeated: boolean, cause: unknown) {
    super(`Record ${record.offset} of partition ${record.partition} cannot be processed`, { cause })
    this.record = record
    this.isRepeated = isRepeated
  }
}
