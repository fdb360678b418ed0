import { createRestPace } from '@tributary/kernel'

/** Waiters for a condition that must be checked: when notified, and periodically. */
export type Waiting = {
  /** Resolves when `isThere` returns true, `signal` aborts or `close` is called. Rejects if `isThere` throws. */
  until(isThere: () => boolean, signal: AbortSignal): Promise<void>
  /** Makes all waiters check now. */
  notice(): void
  /** Ends all waits. */
  close(): void
}

/**
 * Creates an empty set of waiters. Each checks after `pollMs`, and then after growing pauses up to `maxPollMs` while
 * nothing comes, since a writer in another process does not notify them.
 */
export const createWaiting = (pollMs: number, maxPollMs = 4 * pollMs): Waiting => {
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
        const pace = createRestPace({ minMs: pollMs, maxMs: maxPollMs })
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
