import type { Logger } from '@tributary/kernel'
import { EventStoreUnavailable } from '@tributary/storage'
import { retrying } from './retrying.ts'
import type { PipelineSettings } from './settings.ts'

/** Queries to the event store that block the pipeline until they have a result. */
export type Asking = {
  /** Repeats a query until the event store responds. Rejects with Stopped when the pipeline ends. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** How long the oldest open query has waited for a response, ms; 0 if no query is open. */
  waitedMs(): number
}

/** Creates the retrying queries of a pipeline. */
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
