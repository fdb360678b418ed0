/** How often and how long something is tried again. All times in milliseconds. */
export type RetryPolicy = { baseMs: number; capMs: number; maxElapsedMs: number }

/**
 * Delay before try number `attempt` (1 = the first retry): exponential with full jitter in the upper half, capped.
 * `random` returns [0, 1).
 */
export const backoffMs = (policy: RetryPolicy, attempt: number, random: () => number = Math.random): number => {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling / 2 + (random() * ceiling) / 2)
}
