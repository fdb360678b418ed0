import { retryPolicies } from '@tributary/kernel'

/** Settings that balance throughput, delay, and memory. Sizes are in bytes, times in ms. */
export type PipelineSettings = {
  /** Bytes read from a partition in its turn. */
  turnBytes: number
  /** Minimum time between two rounds over the partitions, if no partition had a full turn or some had to wait. */
  roundMs: number
  /**
   * The same after a round with at least `busyRecords` requests, if they came at `busyRecordsPerMs` or faster. The rate
   * decides, because a longer rest alone gives the next round more requests. Each round wakes all readers of the stream.
   */
  busyRoundMs: number
  busyRecords: number
  busyRecordsPerMs: number
  /** How long a partition may be behind before other workspaces overtake those that delay it. */
  overtakeMs: number
  /** Number of events of one micro-batch for the branches. */
  microBatchEvents: number
  /** A batch for the event store begins at this number of rows or bytes, or at this age. */
  flushRows: number
  flushBytes: number
  flushAgeMs: number
  /**
   * Rows and bytes of one batch at which reading waits until the batch can begin. If the store needs longer than
   * `batchMs` for it, batches get fewer rows, so that an event never waits for many long inserts.
   */
  batchRows: number
  batchBytes: number
  batchMs: number
  /** Bytes that a partition may always add to a full batch, so that a flood in other partitions does not block it. */
  shareBytes: number
  /** Maximum number of concurrent inserts. */
  concurrentInserts: number
  /** Reading waits when this many bytes of deliveries are not durable yet. */
  deliveriesBytes: number
  /** Maximum bytes of a record's body in the deliveries log. */
  deliveryRecordBytes: number
  /** Bisection: number of refusals after which all rows of the senders found at fault are replaced. */
  patience: number
  /** Retry back-off while an engine is down. */
  retryBaseMs: number
  retryCapMs: number
  /** Minimum time between two live messages of a channel. */
  liveMs: number
  /** Maximum size of a live message. */
  liveBytes: number
  /** How often `pipeline.positions` is published. */
  reportMs: number
  /** How long `stop` waits for uncommitted records; the next start repeats the rest. */
  drainMs: number
}

/** Settings for one machine. */
export const defaultPipelineSettings: PipelineSettings = {
  turnBytes: 1024 * 1024,
  roundMs: 4,
  busyRoundMs: 20,
  busyRecords: 16,
  busyRecordsPerMs: 1.5,
  overtakeMs: 500,
  microBatchEvents: 2000,
  flushRows: 20_000,
  flushBytes: 32 * 1024 * 1024,
  flushAgeMs: 1000,
  batchRows: 40_000,
  batchBytes: 48 * 1024 * 1024,
  batchMs: 1000,
  shareBytes: 64 * 1024,
  concurrentInserts: 2,
  deliveriesBytes: 16 * 1024 * 1024,
  deliveryRecordBytes: 512 * 1024,
  patience: 64,
  retryBaseMs: retryPolicies.pipeline.baseMs,
  retryCapMs: retryPolicies.pipeline.capMs,
  liveMs: 100,
  liveBytes: 10_000,
  reportMs: 1000,
  drainMs: 10_000,
}

/** Maximum share of the event store's memory for the rows of one insert that begins without a delay. */
const insertShare = 1 / 32

/**
 * Computes the size of inserts for an event store with this much memory (bytes), if it has less than the defaults need.
 * An insert takes up to five times the bytes of its rows. Measured with rows of 150 properties out of 1000 names: 50
 * MiB of them fit in 256 MiB, 76 MiB do not. A batch that had to wait may have twice the bytes, and one insert per slot
 * may be in flight. All that together takes two thirds of the memory; merges and queries use the rest. Larger inserts
 * would be refused and halved each time.
 */
export const insertSizesFor = (memoryBytes: number): Pick<PipelineSettings, 'flushBytes' | 'batchBytes'> => {
  const { flushBytes, batchBytes } = defaultPipelineSettings
  const maxBatchBytes = Math.min(batchBytes, Math.floor(memoryBytes * insertShare))
  return { batchBytes: maxBatchBytes, flushBytes: Math.floor((flushBytes / batchBytes) * maxBatchBytes) }
}
