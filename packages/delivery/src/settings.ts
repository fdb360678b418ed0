import { type RetryPolicy, retryPolicies } from '@tributary/kernel'

/** Times in milliseconds, sizes in bytes. Every bound is per destination unless it says otherwise. */
export type DeliverySettings = {
  /** Maximum of requests in flight, unless the connector has its own. */
  concurrency: number
  /**
   * Maximum of events and bytes that wait in memory for one of those requests; later ones are held as a range of the
   * log. Two of the connector's batches may wait even if those are more events.
   */
  queueEvents: number
  queueBytes: number
  /** Maximum of bytes that wait in memory, all destinations together. */
  totalBytes: number
  /** Back-off of one event; `maxElapsedMs` after its first try it is dead. */
  retry: RetryPolicy
  /** The circuit breaks after this many failures in a row, or when this share of the last `window` failed. */
  circuit: { consecutive: number; window: number; ratio: number; baseMs: number; capMs: number }
  /** Maximum Retry-After that is obeyed. */
  retryAfterCapMs: number
  /** A spilled range younger than this stays in memory: short bursts never touch the relational store. */
  parkAfterMs: number
  /**
   * When no request of a destination ended for this long, its events in memory are parked and leave the shared stream.
   */
  stallMs: number
  /**
   * Parks events in memory that wait this long beyond the time for a batch, because requests are slow or few are
   * allowed.
   */
  crawlMs: number
  /** Batches that wait longer than this wait in the log, as spilled ranges. */
  collectMs: number
  /** Parked rows, spilled ranges and positions are written this often, when there is something to write. */
  flushMs: number
  /** A delivery log insert is sent with this many rows or after this time; beyond the buffer no request starts. */
  attempts: { rows: number; waitMs: number; bufferRows: number; bufferBytes: number }
  /** Failures of one destination that wait to be parked; beyond it its requests stop. */
  unparked: number
  /** Maximum of open changes of producers: queued, in flight, or parked. Later ones are held as a range of the log. */
  openChanges: number
  /** Maximum of parked rows in memory. */
  rowsInFlight: number
  /**
   * Beyond this age or number, held deliveries are dead with the reason `limit`. So are records further back in the log
   * than `maxLogAgeMs`, however often they were made due: nothing keeps a file of the log for longer.
   */
  held: { maxAgeMs: number; maxLogAgeMs: number; maxEvents: number; maxRows: number }
  /** Dead letters kept in the relational store (the delivery log keeps them, too). */
  dead: { maxAgeMs: number; maxRows: number }
  /** How long a destination may be unknown to the configuration cache before it counts as deleted. */
  unknownGraceMs: number
  /** How often limits, counts, and the lowest needed offsets are maintained. */
  maintenanceMs: number
  /** Maximum of records read and not done, over all partitions; beyond it reading waits. */
  openRecords: number
  /** How long `stop` waits for requests to finish. */
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
  attempts: { rows: 10_000, waitMs: 250, bufferRows: 40_000, bufferBytes: 16 * 1024 * 1024 },
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
