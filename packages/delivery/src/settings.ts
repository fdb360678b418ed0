import { type RetryPolicy, retryPolicies } from '@tributary/kernel'

/** Times in milliseconds, sizes in bytes. Every bound is per destination unless it says otherwise. */
export type DeliverySettings = {
  /** Requests under way, unless the connector says how many. */
  concurrency: number
  /**
   * Events and bytes that wait in memory for one of those requests; what comes then is held as a range of the log. Two of
   * the connector's batches may wait even if those are more events.
   */
  queueEvents: number
  queueBytes: number
  /** Bytes that wait in memory over all destinations. */
  totalBytes: number
  /** Back-off of one event; `maxElapsedMs` after its first try it is dead. */
  retry: RetryPolicy
  /** The circuit breaks after so many failures in a row, or when this share of the last `window` failed. */
  circuit: { consecutive: number; window: number; ratio: number; baseMs: number; capMs: number }
  /** Longest Retry-After that is obeyed. */
  retryAfterCapMs: number
  /** A spilled range younger than this stays in memory: short bursts never touch the relational store. */
  parkAfterMs: number
  /** When no request of a destination ended for so long, what it has in memory is parked and leaves the shared stream. */
  stallMs: number
  /** What waits in memory for so long beyond the time for a batch, because requests are slow or few are allowed, is parked likewise. */
  crawlMs: number
  /** Batches that wait longer than this wait in the log, as spilled ranges. */
  collectMs: number
  /** Parked rows, spilled ranges and positions are written this often, when there is something to write. */
  flushMs: number
  /** A delivery log insert leaves with so many rows or after this time; beyond the buffer no request starts. */
  attempts: { rows: number; waitMs: number; bufferRows: number; bufferBytes: number }
  /** Failures of one destination that wait to be parked; beyond it its requests stop. */
  unparked: number
  /** Events and rows of producers that are queued, under way or parked; what comes beyond it is held as a range of the log. */
  openChanges: number
  /** Parked rows in memory at once. */
  rowsInFlight: number
  /**
   * Held longer, or more: dead with the reason `limit`. So is what lies further back in the log than `maxLogAgeMs`, however
   * often it was made due: nothing keeps a file of the log for longer.
   */
  held: { maxAgeMs: number; maxLogAgeMs: number; maxEvents: number; maxRows: number }
  /** Dead letters kept in the relational store (the delivery log keeps them, too). */
  dead: { maxAgeMs: number; maxRows: number }
  /** How long a destination may be unknown to the configuration cache before it counts as deleted. */
  unknownGraceMs: number
  /** Limits, counts and the lowest needed offsets are looked after this often. */
  maintenanceMs: number
  /** Records read and not yet done, over all partitions; beyond it reading waits. */
  openRecords: number
  /** How long `stop` lets requests finish. */
  drainMs: number
}

export const defaultDeliverySettings: DeliverySettings = {
  concurrency: 16,
  queueEvents: 512,
  queueBytes: 4 * 1024 * 1024,
  totalBytes: 32 * 1024 * 1024,
  retry: retryPolicies.delivery,
  circuit: { consecutive: 5, window: 40, ratio: 0.8, ...retryPolicies.circuit },
  retryAfterCapMs: 3_600_000,
  parkAfterMs: 1000,
  stallMs: 2000,
  crawlMs: 15_000,
  collectMs: 5000,
  flushMs: 250,
  attempts: { rows: 10_000, waitMs: 1000, bufferRows: 40_000, bufferBytes: 16 * 1024 * 1024 },
  unparked: 1000,
  openChanges: 50_000,
  rowsInFlight: 1000,
  held: { maxAgeMs: 24 * 3_600_000, maxLogAgeMs: 27 * 24 * 3_600_000, maxEvents: 20_000_000, maxRows: 200_000 },
  dead: { maxAgeMs: 30 * 24 * 3_600_000, maxRows: 10_000 },
  unknownGraceMs: 30_000,
  maintenanceMs: 60_000,
  openRecords: 500_000,
  drainMs: 10_000,
}
