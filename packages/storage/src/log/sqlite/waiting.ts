import { createRestPace } from '@tributary/kernel'

/** Waiters for a condition that has to be checked: they check when notified, and from time to time. */
export type Waiting = {
  /** Resolves when `isThere` says so, `signal` aborts or `close` is called. Rejects with what `isThere` throws. */
  until(isThere: () => boolean, signal: AbortSignal): Promise<void>
  /** Makes all waiters check now. */
  notice(): void
  /** Ends all waits. */
  close(): void
}

/**
 * Creates an empty set of waiters. Each checks after `pollMs`, and later every four times that while nothing comes: a
 * writer in another process does not notify them.
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
