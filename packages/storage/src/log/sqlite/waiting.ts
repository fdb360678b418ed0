import { createRestPace } from '@tributary/kernel'

/** Those who wait for something that only a look can tell: they look when told to, and now and then by themselves. */
export type Waiting = {
  /** Resolves when `isThere` says so, `signal` aborts or `close` is called. Rejects with what `isThere` throws. */
  until(isThere: () => boolean, signal: AbortSignal): Promise<void>
  /** Everybody looks at once. */
  notice(): void
  /** Nobody waits any more. */
  close(): void
}

/**
 * Nobody waits. Whoever does looks after `pollMs`, and every four times that once nothing has come for a while: a writer in another
 * process tells nobody.
 */
export const createWaiting = (pollMs: number): Waiting => {
  const looks = new Set<() => void>()
  let closed = false
  const notice = (): void => {
    for (const look of looks) look()
  }
  return {
    async until(isThere, signal) {
      if (closed || signal.aborted || isThere()) return
      await new Promise<void>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer)
          looks.delete(look)
          signal.removeEventListener('abort', look)
        }
        const look = (): void => {
          try {
            if (!closed && !signal.aborted && !isThere()) return
            end()
            resolve()
          } catch (error) {
            end()
            reject(error)
          }
        }
        const pace = createRestPace({ leastMs: pollMs, mostMs: 4 * pollMs })
        const lookAfter = (ms: number): NodeJS.Timeout =>
          setTimeout(() => {
            look()
            if (looks.has(look)) timer = lookAfter(pace.after(false))
          }, ms)
        let timer = lookAfter(pollMs)
        looks.add(look)
        signal.addEventListener('abort', look)
      })
    },
    notice,
    close() {
      closed = true
      notice()
    },
  }
}
