/** Reads a list again after something was left out of it. */
export type Reread = {
  /** Something was left out just now. */
  ask: () => void
  /** Nothing is read any more. */
  stop: () => void
}

/**
 * Whatever was left out is followed by one `read` that begins at least `after` ms later, when it is stored. What is
 * left out meanwhile waits for the same read; while that goes on and on, there is a read about every twice that time.
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
