/** The pauses between the polls of a poller that looks for work. */
export type RestPace = {
  /**
   * Returns the ms until the next poll: the minimum after a poll that found work, doubled after each poll that found
   * none, up to the maximum.
   */
  after(found: boolean): number
}

/**
 * Creates pauses from `minMs` to `maxMs`, so that an idle poller costs almost nothing, and an active poller is
 * rarely late.
 */
export const createRestPace = ({ minMs, maxMs }: { minMs: number; maxMs: number }): RestPace => {
  let ms = minMs
  return {
    after(found) {
      ms = found ? minMs : Math.min(maxMs, 2 * ms)
      return ms
    },
  }
}
