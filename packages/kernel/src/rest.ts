/** The rests of one loop, which others can end. */
export type Rest = {
  /** Resolves after `ms`, or earlier, but not before `leastMs`, if `wake` was called since the last rest. */
  take(ms: number, leastMs?: number): Promise<void>
  /** Ends the current rest, or else the next one. */
  wake(): void
  /** Ends the current rest, or else the next one, whatever its least duration. */
  stop(): void
}

/** Creates the rests of a loop. */
export const createRest = (): Rest => {
  let end: (() => void) | undefined
  let isLeast = false
  let isWoken = false
  let isStopped = false
  const pass = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    end = resolve
    await promise
    clearTimeout(timer)
    end = undefined
  }
  return {
    async take(ms, leastMs = 0) {
      if (!isStopped && leastMs > 0) {
        isLeast = true
        await pass(leastMs)
        isLeast = false
      }
      if (!isWoken && ms > leastMs) await pass(ms - leastMs)
      isWoken = false
      isStopped = false
    },
    wake() {
      isWoken = true
      if (!isLeast) end?.()
    },
    stop() {
      isWoken = true
      isStopped = true
      end?.()
    },
  }
}
