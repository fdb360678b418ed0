/** The rests of one loop, which others can end. */
export type Rest = {
  /** Resolves after `ms`, or earlier if `wake` was called since the last rest. */
  take(ms: number): Promise<void>
  /** Ends the current rest, or else the next one. */
  wake(): void
}

/** Creates the rests of a loop. */
export const createRest = (): Rest => {
  let end: (() => void) | undefined
  let isWoken = false
  return {
    async take(ms) {
      if (!isWoken && ms > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        end = resolve
        await promise
        clearTimeout(timer)
        end = undefined
      }
      isWoken = false
    },
    wake() {
      isWoken = true
      end?.()
    },
  }
}
