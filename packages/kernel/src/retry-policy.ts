/** How often and for how long an operation is retried. All times in milliseconds. */
export type RetryPolicy = { baseMs: number; capMs: number; maxElapsedMs: number }

const withoutEnd = Number.POSITIVE_INFINITY

/**
 * The retry policy of each operation. This table has all retry figures of the product, except those of jobs. The
 * figures of jobs are in seconds in their kind (`retries`), because the library of jobs schedules the retries.
 */
export const retryPolicies = {
  /**
   * An event that a destination did not accept. After the maximum time it becomes a dead letter;
   * `TRIBUTARY_DELIVERY_RETRY_HOURS` overrides this time.
   */
  delivery: { baseMs: 1000, capMs: 10 * 60_000, maxElapsedMs: 24 * 3_600_000 },
  /** The pause of a destination with an open circuit, before a single request probes it. */
  circuit: { baseMs: 1000, capMs: 60_000, maxElapsedMs: withoutEnd },
  /** A step of the pipeline that needs the event store or the stream. */
  pipeline: { baseMs: 50, capMs: 5000, maxElapsedMs: withoutEnd },
  /** A query for the message IDs of a workspace that moves to other owners; a caller waits for it. */
  refill: { baseMs: 50, capMs: 5000, maxElapsedMs: 60_000 },
  /** A batch that a consumer of the stream failed to handle. */
  consumer: { baseMs: 100, capMs: 10_000, maxElapsedMs: withoutEnd },
  /** A request to the blob bucket; a caller waits for it. */
  blobs: { baseMs: 100, capMs: 1000, maxElapsedMs: 4000 },
  /** The restart of an engine that ended. */
  engine: { baseMs: 100, capMs: 15_000, maxElapsedMs: withoutEnd },
  /** The restart of a thread that ended. */
  thread: { baseMs: 200, capMs: 10_000, maxElapsedMs: withoutEnd },
} as const satisfies Record<string, RetryPolicy>

/**
 * Returns the delay in ms before a retry; `attempt` 1 is the first retry. The delay grows exponentially up to a
 * maximum, with random jitter in its upper half. `random` returns [0, 1).
 */
export const backoffMs = (policy: RetryPolicy, attempt: number, random: () => number = Math.random): number => {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling / 2 + (random() * ceiling) / 2)
}
