import { setTimeout as pause } from 'node:timers/promises'

/**
 * Returns the pause between two checks, ms. A check that takes long is repeated less often, because the awaited process
 * needs the processors, too.
 */
const pauseAfter = (tookMs: number): number => Math.min(500, Math.max(25, 2 * tookMs))

/**
 * Repeats a check until it returns something other than undefined or false, or throws the last error when the time is
 * over. For waiting on another process; inside one process, await the event itself.
 */
export const eventually = async <T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 45_000,
): Promise<T> => {
  const until = Date.now() + deadlineMs
  let last: unknown
  for (;;) {
    const began = performance.now()
    try {
      const found = await check()
      if (found !== undefined && found !== false) return found
      last = undefined
    } catch (error) {
      last = error
    }
    if (Date.now() > until) throw new Error(`${what}: not within ${deadlineMs} ms`, { cause: last })
    await pause(pauseAfter(performance.now() - began))
  }
}
