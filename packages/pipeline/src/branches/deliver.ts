import { faultPoint, freeMemory, type Logger, type Metrics } from '@tributary/kernel'
import {
  type LogEntry,
  type LogWriter,
  type ProducerSequence,
  type ProducerStamp,
  StaleProducer,
} from '@tributary/storage'
import { aheadProducer, noteOfAhead } from '../overtaking/appended-ahead.ts'
import type { Overtaking } from '../overtaking/overtaking.ts'
import type { MicroBatch } from '../process.ts'
import { retrying } from '../retrying.ts'
import type { PipelineSettings } from '../settings.ts'

/** The pipeline's name as a producer of the deliveries log. */
const producer = 'events'

/**
 * The last sequences that the pipeline appended, per partition. `behind` is from the reading behind, which is the only
 * reading of most partitions. `ahead` is from the reading ahead.
 */
export type DeliveredSequences = {
  readonly behind: readonly ProducerSequence[]
  readonly ahead: readonly ProducerSequence[]
}

export type DeliverBranch = {
  /**
   * Begins the next epoch of the producer, which ends pending appends of a predecessor, and resolves to the last
   * sequences of each partition. Call it before `add`.
   */
  begin(): Promise<DeliveredSequences>
  /**
   * Appends the records of a micro-batch to the deliveries log as one group. The sequence of the group is the offset
   * after its last request, and its note is the incarnation of that request. The note of a group read ahead also has
   * the overtaken workspaces. Groups of a partition are appended in the order of the calls, for both readings together.
   * So a sequence of the reading behind means that every request before that offset is appended. A refused append is
   * retried without end. Resolves when the group is durable. Rejects with Stopped once `signal` aborts, and with
   * StaleProducer when a successor has begun.
   */
  add(batch: Pick<MicroBatch, 'partition' | 'lane' | 'to' | 'incarnation' | 'deliveries'>): Promise<void>
  /** Whether reading should wait, because too many bytes of deliveries are not durable yet. */
  isFull(): boolean
}

export type DeliverDeps = {
  deliveries: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  logger: Logger
  metrics: Metrics
  settings: PipelineSettings
  signal: AbortSignal
  /** Returns false for a group that must not have a sequence yet. If absent, every group has a sequence. */
  isStamped?(partition: number, to: number): boolean
  /** Returns the overtaken workspaces of a partition. If absent, no workspace is overtaken. */
  overtaking?(partition: number): Overtaking | undefined
  /** Called when back-pressure ends. */
  onDrain(): void
}

const nothing = Promise.resolve()

/**
 * Creates the branch to delivery. It appends one record per source and micro-batch, or more if the events exceed the
 * size of a record.
 */
export const createDeliverBranch = (deps: DeliverDeps): DeliverBranch => {
  const { deliveries, logger, metrics, settings, signal } = deps
  /**
   * The last append of each partition. Appends of a partition run one after the other: a sequence means that every
   * earlier request is appended.
   */
  const last = new Map<number, Promise<void>>()
  let waiting = 0
  let epoch = 0
  let aheadEpoch = 0

  const persistently = <Value>(task: () => Promise<Value>): Promise<Value> =>
    retrying(task, {
      baseMs: settings.retryBaseMs,
      capMs: settings.retryCapMs,
      signal,
      mayRetry: (error) => !(error instanceof StaleProducer),
      onFailure(error, attempt) {
        metrics.count('pipeline_deliveries_append_failures', 1)
        if (attempt === 1) logger.warn({ err: error }, 'deliveries log cannot be written; trying again')
      },
    })

  const append = async (before: Promise<void>, entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<void> => {
    await before
    await persistently(() => deliveries.appendGroup(entries, stamp))
    faultPoint('pipeline.after-deliveries-append')
    for (const { body } of entries) freeMemory(body)
  }

  return {
    async begin() {
      epoch = await persistently(() => deliveries.beginEpoch(producer))
      aheadEpoch = await persistently(() => deliveries.beginEpoch(aheadProducer))
      return {
        behind: await persistently(() => deliveries.lastSequences(producer)),
        ahead: await persistently(() => deliveries.lastSequences(aheadProducer)),
      }
    },
    add({ partition, lane, to, incarnation, deliveries: entries }) {
      if (entries.length === 0) return nothing
      let bytes = 0
      for (const entry of entries) bytes += entry.body.byteLength
      waiting += bytes
      metrics.count('pipeline_delivery_records', entries.length)
      const stampOf = (): ProducerStamp =>
        lane === partition
          ? { producer, epoch, sequence: to, note: incarnation }
          : {
              producer: aheadProducer,
              epoch: aheadEpoch,
              sequence: to,
              note: noteOfAhead(incarnation, deps.overtaking?.(partition)),
            }
      const stamp = deps.isStamped?.(partition, to) === false ? undefined : stampOf()
      const appended = append(last.get(partition) ?? nothing, entries, stamp).finally(() => {
        waiting -= bytes
        deps.onDrain()
      })
      last.set(partition, appended)
      return appended
    },
    isFull: () => waiting >= settings.deliveriesBytes,
  }
}
