/** How slowly a body may come. */
export type PaceLimits = {
  /** In each window of so many ms … */
  windowMs: number
  /** … so many bytes have to come, … */
  windowBytes: number
  /** … and the whole body within so many ms. */
  totalMs: number
}

/** One body that is on its way. */
export type Paced = {
  /** Notes that bytes have come. */
  came(bytes: number): void
  /** The body is whole, or nobody waits for it any more. */
  done(): void
}

export type Pace = {
  /** Watches a body from now on; `late` is called once, when it has come too slowly. */
  watch(late: () => void): Paced
  /** Bodies that are watched. */
  watched(): number
}

type Entry = { start: number; windowStart: number; windowBytes: number; late: () => void }

/**
 * Ends bodies that come too slowly. One timer looks after all of them, so that a body costs no timer of its own; it
 * runs only while there are any, and a body is told that it is late up to a quarter of a window after it was. `now` is
 * monotonic ms.
 */
export const createPace = (limits: PaceLimits, now: () => number = () => performance.now()): Pace => {
  const entries = new Set<Entry>()
  let timer: NodeJS.Timeout | undefined
  const remove = (entry: Entry): void => {
    entries.delete(entry)
  }
  const isLate = (entry: Entry, time: number): boolean => {
    if (time - entry.start >= limits.totalMs) return true
    if (time - entry.windowStart < limits.windowMs) return false
    if (entry.windowBytes < limits.windowBytes) return true
    entry.windowStart = time
    entry.windowBytes = 0
    return false
  }
  const look = (): void => {
    const time = now()
    for (const entry of entries) {
      if (!isLate(entry, time)) continue
      remove(entry)
      entry.late()
    }
    if (entries.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    watch(late) {
      const time = now()
      const entry: Entry = { start: time, windowStart: time, windowBytes: 0, late }
      entries.add(entry)
      if (timer === undefined) {
        timer = setInterval(look, Math.max(1, limits.windowMs / 4))
        timer.unref()
      }
      return {
        came(bytes) {
          entry.windowBytes += bytes
        },
        done: () => remove(entry),
      }
    },
    watched: () => entries.size,
  }
}
