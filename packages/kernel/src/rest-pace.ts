/** The pauses between the polls of a poller that looks for work. */
export type RestPace = {
  /**
   * Returns the ms until the next poll: the minimum after a poll that found work, doubled after each poll that found
   * none, up to the maximum.
   */
  after(found: boolean): number
}

/**
 * Creates pauses from `leastMs` to `mostMs`, so that an idle poller costs almost nothing, and an active poller is
 * rarely late.
 */
export const createRestPace = ({ leastMs, mostMs }: { leastMs: number; mostMs: number }): RestPace => {
  let ms = leastMs
  return {
    after(found) {
      ms = found ? leastMs : Math.min(mostMs, 2 * ms)
      return ms
    },
  }
}
