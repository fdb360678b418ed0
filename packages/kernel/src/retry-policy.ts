/** How often and how long something is tried again. All times in milliseconds. */
export type RetryPolicy = { baseMs: number; capMs: number; maxElapsedMs: number }

const withoutEnd = Number.POSITIVE_INFINITY

/**
 * How often each operation is retried: every figure of the product stands here. Jobs have it in seconds in their kind
 * (`retries`), since their library keeps the times.
 */
export const retryPolicies = {
  /** An event that a destination did not take. Then it is a dead letter, after `TRIBUTARY_DELIVERY_RETRY_HOURS` where that is set. */
  delivery: { baseMs: 1000, capMs: 10 * 60_000, maxElapsedMs: 24 * 3_600_000 },
  /** The rest of a destination whose circuit is broken, until a single request probes it. */
  circuit: { baseMs: 1000, capMs: 60_000, maxElapsedMs: withoutEnd },
  /** A step of the pipeline that needs the event store or the stream. */
  pipeline: { baseMs: 50, capMs: 5000, maxElapsedMs: withoutEnd },
  /** A query of the message IDs of a workspace that moves, for which a caller waits. */
  refill: { baseMs: 50, capMs: 5000, maxElapsedMs: 60_000 },
  /** A batch that a consumer of the stream could not handle. */
  consumer: { baseMs: 100, capMs: 10_000, maxElapsedMs: withoutEnd },
  /** A request to the bucket of blobs, for which a caller waits. */
  blobs: { baseMs: 100, capMs: 1000, maxElapsedMs: 4000 },
  /** The start of an engine that ended. */
  engine: { baseMs: 100, capMs: 15_000, maxElapsedMs: withoutEnd },
  /** The start of a thread that ended. */
  thread: { baseMs: 200, capMs: 10_000, maxElapsedMs: withoutEnd },
} as const satisfies Record<string, RetryPolicy>

/**
 * Delay before try number `attempt` (1 = the first retry): exponential with full jitter in the upper half, capped.
 * `random` returns [0, 1).
 */
export const backoffMs = (policy: RetryPolicy, attempt: number, random: () => number = Math.random): number => {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling / 2 + (random() * ceiling) / 2)
}
