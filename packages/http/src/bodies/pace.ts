/** Minimum pace of a body. */
export type PaceLimits = {
  /** Length of a window in ms. */
  windowMs: number
  /** Minimum bytes in each window. */
  windowBytes: number
  /** Maximum ms for the whole body. */
  totalMs: number
}

/** A body that is being received. The receiver adds the received bytes to `bytes`. */
export type Paced = { bytes: number; readonly late: () => void }

export type Pace = {
  /** Starts to watch a body; calls its `late` once if it arrives too slowly. */
  watch(body: Paced): void
  /** Stops the watch: the body is complete, or its receiver no longer waits. */
  done(body: Paced): void
  /** Returns the number of watched bodies. */
  watched(): number
}

/** The state of a body since its first check. Times are monotonic ms. */
type Seen = { start: number; windowStart: number; windowBytes: number }

/** Number of checks of all bodies in a window. */
const looksPerWindow = 4

/**
 * Creates a watch that ends bodies that arrive too slowly. One timer checks all bodies, so a single body needs no timer
 * and no reading of the clock. Most bodies are complete before the first check. The timer runs only while there are
 * bodies. The time of a body begins at its first check, so `late` is called up to half a window too late.
 */
export const createPace = (limits: PaceLimits, now: () => number = () => performance.now()): Pace => {
  const bodies = new Map<Paced, Seen | undefined>()
  let timer: NodeJS.Timeout | undefined
  const isLate = (body: Paced, seen: Seen, time: number): boolean => {
    if (time - seen.start >= limits.totalMs) return true
    if (time - seen.windowStart < limits.windowMs) return false
    if (body.bytes - seen.windowBytes < limits.windowBytes) return true
    seen.windowStart = time
    seen.windowBytes = body.bytes
    return false
  }
  const look = (): void => {
    const time = now()
    for (const [body, seen] of bodies) {
      if (seen === undefined) bodies.set(body, { start: time, windowStart: time, windowBytes: body.bytes })
      else if (isLate(body, seen, time)) {
        bodies.delete(body)
        body.late()
      }
    }
    if (bodies.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    watch(body) {
      bodies.set(body, undefined)
      if (timer !== undefined) return
      timer = setInterval(look, Math.max(1, limits.windowMs / looksPerWindow))
      timer.unref()
    },
    done: (body) => void bodies.delete(body),
    watched: () => bodies.size,
  }
}
