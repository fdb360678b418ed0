/** Minimum pace of a body. */
export type PaceLimits = {
  /** In each window of this many ms … */
  windowMs: number
  /** … this many bytes must come, … */
  windowBytes: number
  /** … and the whole body within this many ms. */
  totalMs: number
}

/** A body that is being received. The receiver adds to `bytes`. */
export type Paced = { bytes: number; readonly late: () => void }

export type Pace = {
  /** Watches a body from now on; calls its `late` once, when it has come too slowly. */
  watch(body: Paced): void
  /** Ends the watch: the body is whole, or its receiver no longer waits. */
  done(body: Paced): void
  /** Number of watched bodies. */
  watched(): number
}

/** The state of a body since its first look. Times are monotonic ms. */
type Seen = { start: number; windowStart: number; windowBytes: number }

/** Number of looks at all bodies in a window. */
const looksPerWindow = 4

/**
 * Ends bodies that come too slowly. One timer looks at all of them, so that a body costs neither a timer nor a look at
 * the clock; most are whole before it looks. It runs only while there are any. A body's time begins with the first
 * look, so `late` is called up to half a window after it was late.
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
