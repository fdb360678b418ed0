import { faultPoint, freeMemory, type Logger, type Metrics } from '@tributary/kernel'
import type { LogEntry, LogWriter } from '@tributary/storage'
import { retrying } from '../retrying.ts'
import type { PipelineSettings } from '../settings.ts'

export type DeliverBranch = {
  /**
   * Appends the records of a micro-batch to the deliveries log, in their order while the log takes them; one it refuses
   * is tried again for ever. Resolves when all are durable. Rejects with Stopped once `signal` aborts.
   */
  add(entries: readonly LogEntry[]): Promise<void>
  /** Whether so much waits for the disk that reading should. */
  isFull(): boolean
}

export type DeliverDeps = {
  deliveries: Pick<LogWriter, 'append'>
  logger: Logger
  metrics: Metrics
  settings: PipelineSettings
  signal: AbortSignal
  /** Called when room becomes free. */
  onRoom(): void
}

const nothing = Promise.resolve()

/** The branch to delivery: one record per source and micro-batch (more, if they exceed a record's size). */
export const createDeliverBranch = (deps: DeliverDeps): DeliverBranch => {
  const { deliveries, logger, metrics, settings, signal } = deps
  let waiting = 0

  const append = (entry: LogEntry): Promise<unknown> =>
    retrying(() => deliveries.append(entry), {
      baseMs: settings.retryBaseMs,
      capMs: settings.retryCapMs,
      signal,
      mayRetry: () => true,
      onFailure(error, attempt) {
        metrics.count('pipeline_deliveries_append_failures', 1)
        if (attempt === 1) logger.warn({ err: error }, 'The deliveries log cannot be written; trying again')
      },
    })

  const appendAll = async (entries: readonly LogEntry[]): Promise<void> => {
    await Promise.all(entries.map(append))
    faultPoint('pipeline.after-deliveries-append')
    for (const { body } of entries) freeMemory(body)
  }

  return {
    add(entries) {
      if (entries.length === 0) return nothing
      let bytes = 0
      for (const entry of entries) bytes += entry.body.byteLength
      waiting += bytes
      metrics.count('pipeline_delivery_records', entries.length)
      return appendAll(entries).finally(() => {
        waiting -= bytes
        deps.onRoom()
      })
    },
    isFull: () => waiting >= settings.deliveriesBytes,
  }
}
