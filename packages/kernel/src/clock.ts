/** Returns the current time in epoch ms. Code that needs the time gets a clock, so that a test can set the time. */
export type Clock = () => number

/** The machine's clock. */
export const systemClock: Clock = () => Date.now()
