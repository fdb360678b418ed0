import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal, Coordination, LogReader } from '@tributary/storage'
import type { StoreBranch } from './branches/store.ts'
import { backlogTopic } from './pipeline-lag.ts'
import type { PipelineSettings } from './settings.ts'
import { positionsTopic, unknownPosition } from './stored-positions.ts'

export type Progress = {
  start(): void
  /** Sets the first offset of the log, per partition. Deleted records before it are not awaited. */
  begin(starts: readonly number[]): void
  /** Called when a record of this many bytes was read. */
  read(bytes: number): void
  /** Called when more records are stored and committed. */
  committed(): void
  /** Resolves when every partition is committed up to `ends`; rejects if `close` is called before that. */
  whenCommitted(ends: readonly number[], onWaiting: () => void): Promise<void>
  /** Whether a caller waits in `whenCommitted`. */
  isAwaited(): boolean
  /** Age of the oldest uncommitted record at the last report, ms. */
  behindMs(): number
  lag(): Promise<{ lagRecords: number; lagBytes: number; oldestUnstoredMs: number }>
  close(reason: Error): void
}

export type ProgressDeps = {
  coordination: Pick<Coordination, 'publish'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  journal: Pick<ConsumerJournal, 'expire'>
  reader: Pick<LogReader, 'ends'>
  owned?: ReadonlySet<number>
  store: Pick<StoreBranch, 'committed' | 'oldest'>
  settings: Pick<PipelineSettings, 'reportMs'>
}

type Waiter = { ends: readonly number[]; resolve(): void; reject(error: Error): void }

const expiryMs = 60_000
/** Unchanged progress is published once in this number of reports, for threads that start later. */
const reportsPerRepeat = 5

const safely = (logger: Logger, what: string, task: () => Promise<void> | void) => async (): Promise<void> => {
  try {
    await task()
  } catch (error) {
    logger.warn({ err: error }, what)
  }
}

/**
 * Reports the progress of the pipeline to waiting callers, to collection (for its back-pressure), and to the metrics.
 */
export const createProgress = (deps: ProgressDeps): Progress => {
  const { coordination, clock, logger, metrics, journal, reader, owned, store, settings } = deps
  let waiters: Waiter[] = []
  let closed: Error | undefined
  let reporting: NodeJS.Timeout | undefined
  let expiring: NodeJS.Timeout | undefined
  let [meanBytes, behindMs] = [0, 0]
  let floor: readonly number[] = []
  /** The last message of each topic, as text. */
  const published = new Map<string, string>()
  let reports = 0

  const position = (partition: number): number => Math.max(store.committed().get(partition) ?? 0, floor[partition] ?? 0)

  const reached = (ends: readonly number[]): boolean => ends.every((end, partition) => position(partition) >= end)

  const lag = async (): ReturnType<Progress['lag']> => {
    const ends = await reader.ends()
    const lagRecords = ends.reduce((sum, end, partition) => sum + Math.max(0, end - position(partition)), 0)
    return {
      lagRecords,
      lagBytes: Math.round(lagRecords * meanBytes),
      oldestUnstoredMs: Math.max(0, clock() - (store.oldest() ?? Number.POSITIVE_INFINITY)),
    }
  }

  /** Publishes a message if it is new, and otherwise at each of `reportsPerRepeat` reports. */
  const publish = (topic: string, message: unknown): void => {
    const text = JSON.stringify(message)
    if (published.get(topic) === text && reports % reportsPerRepeat !== 0) return
    published.set(topic, text)
    coordination.publish(topic, message)
  }

  const report = async (): Promise<void> => {
    reports++
    // Before the start, the journal may belong to another log.
    if (floor.length > 0)
      publish(
        positionsTopic,
        floor.map((_, partition) => (owned?.has(partition) === false ? unknownPosition : position(partition))),
      )
    const { lagRecords, lagBytes, oldestUnstoredMs } = await lag()
    behindMs = oldestUnstoredMs
    // Readers ignore old reports of a backlog, so it is repeated as long as there is one.
    if (lagBytes > 0) published.delete(backlogTopic)
    publish(backlogTopic, lagBytes)
    metrics.gauge('pipeline_lag_records', lagRecords)
    metrics.gauge('pipeline_lag_bytes', lagBytes)
    metrics.gauge('pipeline_oldest_unstored_seconds', oldestUnstoredMs / 1000)
  }

  /** Resolves the callers whose offsets are committed. */
  const settle = (): void => {
    if (waiters.length === 0) return
    const done = waiters.filter((waiter) => reached(waiter.ends))
    waiters = waiters.filter((waiter) => !done.includes(waiter))
    for (const waiter of done) waiter.resolve()
  }

  return {
    start() {
      reporting = setInterval(safely(logger, 'progress cannot be reported', report), settings.reportMs)
      const expire = safely(logger, 'Old message ids could not be forgotten', () => journal.expire(clock()))
      expiring = setInterval(expire, expiryMs)
    },
    begin(starts) {
      floor = starts
      settle()
    },
    read(bytes) {
      meanBytes = meanBytes === 0 ? bytes : meanBytes * 0.99 + bytes * 0.01
    },
    committed: settle,
    whenCommitted(ends, onWaiting) {
      if (reached(ends)) return Promise.resolve()
      if (closed !== undefined) return Promise.reject(closed)
      return new Promise((resolve, reject) => {
        waiters.push({ ends, resolve, reject })
        onWaiting()
      })
    },
    isAwaited: () => waiters.length > 0,
    behindMs: () => behindMs,
    lag,
    close(reason) {
      closed = reason
      clearInterval(reporting)
      clearInterval(expiring)
      for (const waiter of waiters) waiter.reject(reason)
      waiters = []
    },
  }
}
