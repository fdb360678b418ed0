/** How long a poller that looks for work rests between looks. */
export type RestPace = {
  /**
   * Ms until the next look: the minimum after one that found something, twice as long after each that did not, up to
   * the maximum.
   */
  after(found: boolean): number
}

/** A pace from `leastMs` to `mostMs`: a poller that is idle for long costs next to nothing, and is seldom late. */
export const createRestPace = ({ leastMs, mostMs }: { leastMs: number; mostMs: number }): RestPace => {
  let ms = leastMs
  return {
    after(found) {
      ms = found ? leastMs : Math.min(mostMs, 2 * ms)
      return ms
    },
  }
}
