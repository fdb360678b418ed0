/** How often it is asked whether the log answers, and how long that may take, ms. */
const askMs = 1000
const withinMs = 3000

/** Whether the log answers, as this process sees it. */
export type LogWatch = {
  /** For how long it has not answered, ms; 0 while it does. */
  silentMs(): number
  stop(): void
}

/** Polls the log, one question at a time. `answers` rejects when it does not answer. */
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
