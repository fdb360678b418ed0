import type { Logger } from '@tributary/kernel'
import { EventStoreUnavailable } from '@tributary/storage'
import { retrying } from './retrying.ts'
import type { PipelineSettings } from './settings.ts'

/** Questions to the event store without which the pipeline cannot go on. */
export type Asking = {
  /** Repeats a query until the event store answers. Rejects with Stopped at the end of the pipeline. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** For how long the oldest open question has had no answer, ms; 0 without one. */
  waitedMs(): number
}

/** Creates the questions of a pipeline. */
export const createAsking = ({
  settings,
  signal,
  logger,
}: {
  settings: Pick<PipelineSettings, 'retryBaseMs' | 'retryCapMs'>
  signal: AbortSignal
  logger: Logger
}): Asking => {
  const open = new Set<{ since: number }>()
  return {
    async ask(question) {
      const asked = { since: performance.now() }
      open.add(asked)
      try {
        return await retrying(question, {
          baseMs: settings.retryBaseMs,
          capMs: settings.retryCapMs,
          signal,
          mayRetry: (error) => error instanceof EventStoreUnavailable,
          onFailure: (error, attempt) => {
            if (attempt === 1)
              logger.warn(
                { err: error },
                'the event store does not answer which events it has; the pipeline asks again',
              )
          },
        })
      } finally {
        open.delete(asked)
      }
    },
    waitedMs() {
      const [oldest] = open
      return oldest === undefined ? 0 : Math.round(performance.now() - oldest.since)
    },
  }
}
