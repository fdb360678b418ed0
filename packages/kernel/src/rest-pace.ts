/** How long somebody rests who looks for work again and again. */
export type RestPace = {
  /** Ms until the next look: the least after one that found something, twice as long after each that did not, up to the most. */
  after(found: boolean): number
}

/** A pace from `leastMs` to `mostMs`: what has nothing to do for long costs next to nothing, and is seldom late. */
export const createRestPace = ({ leastMs, mostMs }: { leastMs: number; mostMs: number }): RestPace => {
  let ms = leastMs
  return {
    after(found) {
      ms = found ? leastMs : Math.min(mostMs, 2 * ms)
      return ms
    },
  }
}
