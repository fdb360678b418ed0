import type { Clock } from '@tributary/kernel'

/** One timer: of several times that were set the next one counts. */
export type Alarm = {
  /** Rings after so many ms, at the latest; never for Infinity. */
  ringIn(ms: number): void
  stop(): void
}

/** An alarm that is not set. */
export const createAlarm = (clock: Clock, ring: () => void): Alarm => {
  let set: { at: number; timer: NodeJS.Timeout } | undefined
  return {
    ringIn: (ms) => {
      const at = clock() + ms
      if (!Number.isFinite(ms) || (set !== undefined && set.at <= at)) return
      clearTimeout(set?.timer)
      const timer = setTimeout(() => {
        set = undefined
        ring()
      }, ms)
      set = { at, timer }
    },
    stop: () => {
      clearTimeout(set?.timer)
      set = undefined
    },
  }
}
