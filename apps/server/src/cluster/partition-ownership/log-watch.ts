/** Interval in ms at which the log is polled, and maximum time for a response. */
const askMs = 1000
const withinMs = 3000

/** Whether this process gets responses from the log. */
export type LogWatch = {
  /** Returns the time in ms since the log stopped responding; 0 while it responds. */
  silentMs(): number
  stop(): void
}

/** Polls the log, one request at a time. `answers` rejects if the log does not respond. */
export const watchLog = (answers: () => Promise<unknown>): LogWatch => {
  let silentSince: number | undefined
  let isAsking = false
  const ask = (): void => {
    if (isAsking) return
    isAsking = true
    const since = performance.now()
    const late = setTimeout(() => {
      silentSince ??= since
    }, withinMs)
    answers()
      .then(
        () => {
          silentSince = undefined
        },
        () => {
          silentSince ??= since
        },
      )
      .finally(() => {
        clearTimeout(late)
        isAsking = false
      })
  }
  const timer = setInterval(ask, askMs)
  ask()
  return {
    silentMs: () => (silentSince === undefined ? 0 : performance.now() - silentSince),
    stop: () => clearInterval(timer),
  }
}
