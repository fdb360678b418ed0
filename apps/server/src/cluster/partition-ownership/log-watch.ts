/** How often the log is polled, and how long a response may take, ms. */
const askMs = 1000
const withinMs = 3000

/** Whether this process gets responses from the log. */
export type LogWatch = {
  /** How long the log has not responded, ms; 0 while it responds. */
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
