import { type RetryPolicy, retryPolicies } from '@tributary/kernel'

/** Times in milliseconds, sizes in bytes. Every limit is per destination unless it says otherwise. */
export type DeliverySettings = {
  /** Maximum number of requests in flight, unless the connector has its own. */
  concurrency: number
  /**
   * Maximum number of events and bytes that wait in memory for a request; later ones are held as a range of the log.
   * Two of the connector's batches may wait even if they have more events.
   */
  queueEvents: number
  queueBytes: number
  /** Maximum bytes that wait in memory, for all destinations together. */
  totalBytes: number
  /** Back-off of one event; `maxElapsedMs` after its first attempt it becomes a dead letter. */
  retry: RetryPolicy
  /**
   * The circuit breaks after this many consecutive failures, or when this share of the last `window` requests failed.
   */
  circuit: { consecutive: number; window: number; ratio: number; baseMs: number; capMs: number }
  /** Maximum Retry-After that is obeyed. */
  retryAfterCapMs: number
  /** A spilled range younger than this stays in memory, so that short bursts are not written to the database. */
  parkAfterMs: number
  /**
   * If no request of a destination has ended for this long, its events in memory are parked and leave the shared
   * stream.
   */
  stallMs: number
  /**
   * Parks events in memory that wait this long beyond the time for a batch, because requests are slow or few are
   * allowed.
   */
  crawlMs: number
  /** Batches that wait longer than this wait in the log, as spilled ranges. */
  collectMs: number
  /** How often parked rows, spilled ranges and positions are written, if any have changed. */
  flushMs: number
  /**
   * A delivery log insert is sent with this many rows, with a quarter of `bufferBytes`, or after `waitMs`. When the
   * buffer is full, no request starts.
   */
  attempts: { rows: number; waitMs: number; bufferRows: number; bufferBytes: number }
  /** Maximum number of failures of one destination that wait to be parked; at this number its requests stop. */
  unparked: number
  /**
   * Maximum number of open changes of producers: queued, in flight, or parked. Later ones are held as a range of the
   * log.
   */
  openChanges: number
  /** Maximum number of parked rows in memory. */
  rowsInFlight: number
  /**
   * Held deliveries beyond this age or number become dead with the reason `limit`. So do records that are older in the
   * log than `maxLogAgeMs`, even if they were made due repeatedly: nothing keeps a file of the log for longer.
   */
  held: { maxAgeMs: number; maxLogAgeMs: number; maxEvents: number; maxRows: number }
  /** Limits of the dead letters in the database. The delivery log keeps all dead letters. */
  dead: { maxAgeMs: number; maxRows: number }
  /** How long a destination may be missing in the configuration cache before it counts as deleted. */
  unknownGraceMs: number
  /** How often limits, counts, and the lowest needed offsets are maintained. */
  maintenanceMs: number
  /** Maximum number of records read and not done, over all partitions; beyond it reading waits. */
  openRecords: number
  /**
   * How long an event waits, from its append, until profiles have read it, if a mapping uses the profile. Then it is
   * sent with the values that the profile has already. Also how long look-ups may fail before events are sent without.
   */
  profileWaitMs: number
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
  profileWaitMs: 30_000,
  drainMs: 10_000,
}
