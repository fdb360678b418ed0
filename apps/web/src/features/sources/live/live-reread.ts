/** Reloads a list after events were omitted from it. */
export type Reread = {
  /** Call this when events were omitted. */
  ask: () => void
  /** Stops further loads. */
  stop: () => void
}

/**
 * Calls `read` once, at least `after` ms after events were omitted: by then they are stored. The same read covers
 * events that are omitted until then. While events keep being omitted, there is a read about every twice that time.
 */
export const createReread = (read: () => void, after: number): Reread => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let first = 0
  let last = 0
  const wait = (ms: number): void => {
    timer = setTimeout(fire, ms)
  }
  const fire = (): void => {
    const now = Date.now()
    const left = last + after - now
    const patience = first + 2 * after - now
    if (left > 0 && patience > 0) return wait(Math.min(left, patience))
    timer = undefined
    if (left > 0) {
      first = last
      wait(left)
    }
    read()
  }
  return {
    ask() {
      last = Date.now()
      if (timer !== undefined) return
      first = last
      wait(after)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
