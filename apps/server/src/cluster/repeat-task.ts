import { setTimeout as pause } from 'node:timers/promises'

/**
 * Runs a task again and again, with a pause after each run, until it is stopped. The task never rejects. Stopping
 * aborts the signal and waits for the end of the last run.
 */
export const repeatTask = (
  pauseMs: number,
  task: (stopping: AbortSignal) => Promise<void>,
): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    while (!signal.aborted) {
      await task(signal)
      await pause(pauseMs, undefined, { ref: false, signal }).catch(() => {})
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
