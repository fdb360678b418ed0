import type { RecordPlace } from '@tributary/kernel'
import type { LogRecord } from '@tributary/storage'

/**
 * The requests whose processing fails repeatedly. They are stored elsewhere, so that later requests can be processed.
 */
export type SetAside = {
  /** Whether a request is set aside and must be skipped; called once per record, from memory. */
  has(record: RecordPlace): boolean
  /**
   * Durably records that the steps threw on a request. The pipeline ends, is restarted, and processes the request
   * again, unless that was the last attempt. The body must stay valid until the promise resolves.
   */
  failed(record: LogRecord, error: unknown): Promise<void>
}

/** Thrown when the steps throw on a record; `cause` is the original error. */
export class RecordFailed extends Error {
  override readonly name = 'RecordFailed'
  readonly record: LogRecord
  /**
   * Whether the record is in a range that an earlier run began. Then its events may be stored, and its message IDs are
   * known.
   */
  readonly isRepeated: boolean
  constructor(record: LogRecord, isRepeated: boolean, cause: unknown) {
    super(`Record ${record.offset} of partition ${record.partition} cannot be processed`, { cause })
    this.record = record
    this.isRepeated = isRepeated
  }
}
