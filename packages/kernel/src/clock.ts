/** Epoch milliseconds, UTC. Passed in wherever time decides something, so that a test can set it. */
export type Clock = () => number

/** The machine's clock. */
export const systemClock: Clock = () => Date.now()
