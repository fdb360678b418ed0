import type { Control } from '@tributary/control'
import { type Logger, type Metrics, systemClock } from '@tributary/kernel'
import type { LogEntry, LogWriter } from '@tributary/storage'
import type { Engines } from '../boot/engines.ts'
import type { Logs } from '../boot/open-log.ts'
import { GroupBeginning, GroupUnowned } from '../cluster/partition-ownership/group-questions.ts'
import { createStreamRetention } from '../cluster/stream/retention.ts'
import type { Config } from '../config/config.ts'
import type { Mail } from '../mail/mail.ts'
import type { Threads } from '../threads/threads.ts'
import { applyEventRetention, askPositions, createLogRetention } from './retention.ts'
import { createSetAsideWatch } from './set-aside/watch.ts'

const minute = 60_000
/** Delay in ms of the second run after a start. Before that, delivery has no positions yet. */
const againMs = 5000
/** Interval between searches for unused pictures, ms. */
const sweepMs = 6 * 60 * minute

type UpkeepDeps = {
  engines: Engines
  logs: Logs
  requests: LogWriter
  /** Appends an earlier request to the current partitions of its workspace. */
  appendRequest: (entry: LogEntry) => Promise<unknown>
  /** Writer of the log of outcomes, if delivery only appends to that log. */
  outcomes: LogWriter | undefined
  threads: Threads
  mail: Pick<Mail, 'pruneOutbox'>
  control: Pick<Control, 'sweepImages' | 'sweepUploads' | 'notifyStreamPressure' | 'notifySetAside'>
  logger: Logger
  metrics: Metrics
}

/** Trims the logs of this process: requests, the stream and outcomes. */
const openTrimming = async (
  { retention }: Config,
  { logs, requests, threads, control, logger, metrics, ...deps }: UpkeepDeps,
) => {
  const { pipeline, delivery } = threads
  const common = { keepMs: retention.logMs, clock: systemClock }
  const requestsReader = await logs.reader('requests')
  // The pipeline creates the stream, and is already running here.
  const streamReader = pipeline && (await logs.reader('stream'))
  const requestLog = createLogRetention({
    ...common,
    log: requests,
    positionsBefore: (time) => requestsReader.positionsBefore(time),
    needed: () => askPositions(pipeline, 'positions'),
  })
  const stream =
    pipeline &&
    streamReader &&
    createStreamRetention({
      ...common,
      trim: (before) => pipeline.ask('stream-trim', before),
      positionsBefore: (time) => streamReader.positionsBefore(time),
      starts: () => streamReader.starts(),
      ends: () => streamReader.ends(),
      maxBytes: retention.streamBytes,
      consumers: threads.consumers,
      tell: (pressure) => control.notifyStreamPressure(pressure),
      logger,
      metrics,
    })
  // Delivery, which writes this log, is already running, too.
  const outcomesReader = delivery && (await logs.reader('outcomes'))
  const outcomes =
    delivery &&
    outcomesReader &&
    createLogRetention({
      ...common,
      log: deps.outcomes ?? { trim: (before) => delivery.ask('outcomes-trim', before) },
      positionsBefore: (time) => outcomesReader.positionsBefore(time),
      // Producers read outcomes within `keepMs`, so all older records can be trimmed.
      needed: async () => (await outcomesReader.ends()).map((offset, partition) => ({ partition, offset })),
    })
  return {
    async run(): Promise<void> {
      if (pipeline?.running()) {
        await requestLog.run()
        await stream?.run()
      }
      if (delivery?.running()) await outcomes?.run()
    },
    close(): void {
      for (const reader of [requestsReader, streamReader, outcomesReader]) reader?.close()
    },
  }
}

/**
 * Maintains the files of this process. About once a minute it trims the logs and removes old mail from the outbox. It
 * also appends released requests again. Every few hours it removes unused pictures and uploads. It uses timers instead
 * of jobs: it must run even while the database is down or the disk fills, and no other process can do it.
 */
export const createUpkeep = async (config: Config, deps: UpkeepDeps) => {
  const { engines, threads, mail, control, logger } = deps
  const trimming = await openTrimming(config, deps)
  const run = async (): Promise<void> => {
    await trimming.run()
    await mail.pruneOutbox()
    // Asks for the needs of delivery, to find groups without an owner: the stream keeps the records of a consumer that
    // does not report its needs.
    if (threads.groups !== undefined) await threads.delivery?.ask('needed')
  }
  let unowned = 0
  const note = (error: unknown): void => {
    const isUnowned = error instanceof GroupUnowned || error instanceof GroupBeginning
    unowned = isUnowned ? unowned + 1 : 0
    if (!isUnowned) logger.warn({ error: String(error) }, 'trimming the logs failed and is tried again')
    // Processes with the pipeline may start after this one, so the first checks do not report anything.
    else if (unowned > 2)
      logger.warn(
        { error: String(error) },
        'groups of partitions have no owner, and their events wait: start processes that run the pipeline and delivery',
      )
  }
  const guarded = (): void =>
    void run().then(() => {
      unowned = 0
    }, note)
  const sweep = (): void => {
    for (const run of [control.sweepImages, control.sweepUploads])
      run().catch((error) =>
        logger.warn({ error: String(error) }, 'looking for unused files failed and is tried again'),
      )
  }
  const setAside = createSetAsideWatch({
    db: engines.relational.db,
    append: deps.appendRequest,
    notify: (count) => control.notifySetAside(count),
    logger,
    metrics: deps.metrics,
  })
  const timers: NodeJS.Timeout[] = []
  return {
    async start(): Promise<void> {
      await applyEventRetention(engines.eventStore, config.retention, logger)
      timers.push(setInterval(guarded, minute), setInterval(sweep, sweepMs))
      guarded()
      timers.push(setTimeout(guarded, againMs))
      setAside.start()
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      await setAside.stop()
      trimming.close()
    },
  }
}
