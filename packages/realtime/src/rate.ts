/** Allows `perSecond` calls in each second; a second begins with a call. `now` is monotonic, in ms. */
export const createRate = (perSecond: number): ((now: number) => boolean) => {
  let from = Number.NEGATIVE_INFINITY
  let used = 0
  return (now) => {
    if (now - from >= 1000) {
      from = now
      used = 0
    }
    return ++used <= perSecond
  }
}
