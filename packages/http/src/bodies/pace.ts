/** How slowly a body may come. */
export type PaceLimits = {
  /** In each window of so many ms … */
  windowMs: number
  /** … so many bytes have to come, … */
  windowBytes: number
  /** … and the whole body within so many ms. */
  totalMs: number
}

/** One body that is on its way. Whoever receives it adds to `bytes`. */
export type Paced = { bytes: number; readonly late: () => void }

export type Pace = {
  /** Watches a body from now on; its `late` is called once, when it has come too slowly. */
  watch(body: Paced): void
  /** The body is whole, or nobody waits for it any more. */
  done(body: Paced): void
  /** Bodies that are watched. */
  watched(): number
}

/** What is known of a body since it was first looked at. Times are monotonic ms. */
type Seen = { start: number; windowStart: number; windowBytes: number }

/** How often all bodies are looked at in a window. */
const looksPerWindow = 4

/**
 * Ends bodies that come too slowly. One timer looks after all of them, so that a body costs neither a timer nor a look at
 * the clock; most are whole before it looks. It runs only while there are any. A body's time begins with the first look,
 * so it is told up to half a window after it was late.
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
