/** Waiters for a condition that only a request to Kafka can check. */
export type RemoteWaiting = {
  /** Resolves when `isThere` returns true, `signal` aborts or `close` is called. Rejects if `isThere` rejects. */
  until(isThere: () => Promise<boolean>, signal: AbortSignal): Promise<void>
  /** Makes all waiters check now. */
  notice(): void
  close(): void
}

/**
 * Creates an empty set of waiters. Each checks every `pollMs`, since a writer in another process does not notify them.
 */
export const createRemoteWaiting = (pollMs: number): RemoteWaiting => {
  const wakes = new Set<() => void>()
  let closed = false
  const notice = (): void => {
    for (const wake of wakes) wake()
  }
  return {
    async until(isThere, signal) {
      let noticed = false
      let wake = (): void => {}
      const onWake = (): void => {
        noticed = true
        wake()
      }
      wakes.add(onWake)
      signal.addEventListener('abort', onWake)
      const over = (): boolean => closed || signal.aborted
      try {
        for (;;) {
          if (over()) return
          noticed = false
          const found = isThere()
          // A request to unreachable brokers may take long, and its waiter may have ended by then.
          found.catch(() => {})
          const ended = new Promise<'ended'>((resolve) => {
            wake = () => over() && resolve('ended')
            if (over()) resolve('ended')
          })
          const answer = await Promise.race([found, ended])
          if (answer === 'ended' || answer) return
          if (noticed) continue
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, pollMs)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
          })
        }
      } finally {
        wakes.delete(onWake)
        signal.removeEventListener('abort', onWake)
      }
    },
    notice,
    close() {
      closed = true
      notice()
    },
  }
}
