import { type Clock, type Logger, type Metrics, NewerFormat } from '@tributary/kernel'
import {
  type ConsumerJournal,
  type Coordination,
  type EventStore,
  type LogReader,
  type LogWriter,
} from '@tributary/storage'
import { type Asking, createAsking } from '../asking.ts'
import { createDeliverBranch } from '../branches/deliver.ts'
import { createPublishBranch } from '../branches/publish.ts'
import { createStoreBranch } from '../branches/store.ts'
import type { SchemaInForce } from '../event-types.ts'
import { createFloods } from '../overtaking/floods.ts'
import { createOvertakings, createReadings } from '../overtaking/overtakings.ts'
import { createProcessor } from '../process.ts'
import { createProgress } from '../progress.ts'
import type { AlreadyAppended } from '../recovery/already-appended.ts'
import { createAlreadyStored } from '../recovery/already-stored.ts'
import { createWorkspaceRefill, type RefillFrom } from '../recovery/refill-ids.ts'
import { createStoredStatuses } from '../recovery/stored-statuses.ts'
import { createRetryWrite } from '../retrying.ts'
import { RecordFailed, type SetAside } from '../set-aside.ts'
import { defaultPipelineSettings, type PipelineSettings } from '../settings.ts'
import { createLifecycle, type Lifecycle } from './events/lifecycle.ts'
import { createNews, type News } from './events/news.ts'
import { createFanOut, createMicroBatcher, createRestOf, readLoop } from './events/read-loop.ts'
import { startUp } from './events/start-up.ts'

export type PipelineDeps = {
  /**
   * The log of accepted requests. If other processes handle some of the partitions, it has only the partitions `owned`
   * (`readerOfOwned`).
   */
  reader: LogReader
  /** The partitions that this pipeline processes. If absent, all partitions. */
  owned?: ReadonlySet<number>
  /**
   * Resolves to the maximum number of partitions that each workspace was ever spread over, if more than one. If absent,
   * no workspace was spread.
   */
  widestSpreads?: () => Promise<ReadonlyMap<string, number>>
  /** The durable state of this consumer. Used by this pipeline alone. */
  journal: ConsumerJournal
  eventStore: EventStore
  /** The log of deliveries. */
  deliveries: LogWriter
  /** Returns the destinations connected to a source, from memory. Called once per record. */
  destinationsFor(sourceId: string): readonly string[]
  /**
   * Whether a consumer of the stream needs complete events of a source. Called once per record. If absent, no consumer
   * does.
   */
  needsWhole?(sourceId: string): boolean
  /**
   * Returns the schema that validates the events of a source, from memory; undefined if no event is validated. Called
   * once per record.
   */
  schemaFor(sourceId: string): SchemaInForce | undefined
  /**
   * Whether other workspaces may overtake these workspaces, which delay a partition. Return false if the partition has
   * no other workspace that would gain. Called repeatedly while the workspaces delay the partition. If absent, no
   * workspace is overtaken.
   */
  mayOvertake?(partition: number, workspaceIds: readonly string[]): boolean
  /** Keeps requests on which the steps throw. Without it, such a request ends the pipeline at each start. */
  setAside?: SetAside
  coordination: Pick<Coordination, 'publish' | 'subscribe'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings?: Partial<PipelineSettings>
  /** Called once with an error that a retry cannot fix; the pipeline has then ended and must be created anew. */
  onFault?(error: unknown): void
}

export type PipelineState = {
  running: boolean
  /**
   * Approximate number of uncommitted records (offsets), and their bytes (estimated from the mean size of read
   * records).
   */
  lagRecords: number
  lagBytes: number
  /** Age of the oldest uncommitted record, ms; 0 if everything is committed. */
  oldestUnstoredMs: number
  /** Rows waiting for their insert, bytes of uncommitted rows, inserts in flight. */
  rowsWaiting: number
  uncommittedBytes: number
  inserts: number
}

export type Pipeline = {
  /** Repeats the ranges that the last run left open, then begins to read. Returns immediately. */
  start(): void
  /** Stops reading, stores and commits what is uncommitted (at most `drainMs`), and ends. */
  stop(): Promise<void>
  /**
   * Resolves when everything appended before the call is stored and committed. Rejects if the pipeline ends before
   * that.
   */
  idle(): Promise<void>
  /**
   * Loads the message IDs of a workspace that moves into the pipeline's partitions: the IDs of its events in the log
   * since a time, or within the window. Rejects if the pipeline has not begun to read, or ends.
   */
  refill(workspaceId: string, from?: RefillFrom): Promise<void>
  /** Hints that there are new records. */
  wake(): void
  state(): Promise<PipelineState>
  /** Age of the oldest uncommitted record at the last progress report, in ms; 0 if there was none. */
  behindMs(): number
  /** How long the pipeline has waited for a response of the event store that it needs, ms; 0 if it does not wait. */
  waitedMs(): number
}

type Wiring = {
  deps: Omit<PipelineDeps, 'settings'>
  settings: PipelineSettings
  lifecycle: Lifecycle
  asking: Asking
  /** Called when back-pressure ends. */
  onDrain(): void
}

/** Creates the steps, the three branches after them, and the progress reports. */
const createParts = ({ deps, settings, lifecycle: { signal, fail }, onDrain }: Wiring) => {
  const { coordination, clock, metrics, journal } = deps
  /** The deliveries that earlier runs appended. */
  let before: AlreadyAppended | undefined
  const publish = createPublishBranch({ coordination, clock, metrics, settings })
  const overtakings = createOvertakings({
    ...deps,
    partitions: deps.reader.partitions,
    retryWrite: createRetryWrite({ ...deps, settings, signal }),
    onBegin: (lane, at) => store.beginLane(lane, at),
  })
  const processor = createProcessor({
    journal,
    destinationsFor: deps.destinationsFor,
    ...(deps.needsWhole === undefined ? {} : { needsWhole: deps.needsWhole }),
    schemaFor: deps.schemaFor,
    isWatched: publish.isWatched,
    isPassedOver: overtakings.isPassedOver,
    isAppended: (record, workspaceId) => before?.(record, workspaceId) === true,
    isSetAside: (record) => deps.setAside?.has(record) === true,
    deliveryRecordBytes: settings.deliveryRecordBytes,
  })
  const deliver = createDeliverBranch({
    ...deps,
    settings,
    signal,
    overtaking: overtakings.of,
    onDrain,
  })
  const store = createStoreBranch({
    ...deps,
    settings,
    signal,
    takeIds: processor.takeIds,
    idsFlushed: processor.idsFlushed,
    onCommitted: () => progress.committed(),
    onDrain,
    onFault: fail,
  })
  const progress = createProgress({ ...deps, store, settings })
  const onAlreadyAppended = (found: AlreadyAppended): void => {
    before = found
  }
  return { publish, processor, deliver, store, progress, overtakings, onAlreadyAppended }
}

/**
 * Runs a task, and records a request on which the steps throw. A request that recovery repeats is not recorded. If it
 * were skipped now and released later, its events would count as repetitions of events that may never have been stored.
 * A request of a newer version is not recorded either: that version can process it.
 */
const runNoting = async (setAside: SetAside | undefined, task: () => Promise<void>): Promise<void> => {
  try {
    await task()
  } catch (error) {
    if (error instanceof RecordFailed && !error.isRepeated && !(error.cause instanceof NewerFormat))
      await setAside?.failed(error.record, error.cause)
    throw error
  }
}

/** Continues where the last run ended, and then processes new records until the pipeline stops. */
const run = async (wiring: Wiring, parts: ReturnType<typeof createParts>, news: News): Promise<void> => {
  const { deps, settings, lifecycle } = wiring
  const { processor, deliver, store, progress, overtakings } = parts
  const asking = wiring.asking.ask
  const storedStatuses = createStoredStatuses(deps.eventStore)
  const alreadyStored = createAlreadyStored(deps.eventStore)
  const fanOut = createFanOut({ ...deps, ...parts })
  progress.start()
  const { next, unknownBefore } = await startUp({
    ...deps,
    ...parts,
    asking,
    storedStatuses: (span) => asking(() => storedStatuses(span)),
    readBytes: settings.turnBytes,
  })
  const batcher = createMicroBatcher({
    processor,
    microBatchEvents: settings.microBatchEvents,
    onRead: progress.read,
    flush(batch) {
      next.set(batch.lane, batch.to)
      fanOut(batch)
    },
  })
  const readings = createReadings({
    journal: deps.journal,
    overtakings,
    floods: createFloods({ afterMs: settings.overtakeMs, minBytes: settings.turnBytes }),
    next,
    unknownBefore,
    mayOvertake: (partition, workspaceIds) => deps.mayOvertake?.(partition, workspaceIds) === true,
    committed: store.committed,
    turnBytes: settings.turnBytes,
  })
  await readLoop({
    ...deps,
    batcher,
    news,
    next,
    unknownBefore,
    readings,
    alreadyStored: (partition, records) => asking(() => alreadyStored(partition, records)),
    turnBytes: settings.turnBytes,
    restOf: createRestOf(settings),
    isFull: (lane) => store.isFull(lane) || deliver.isFull(),
    isRunning: lifecycle.isRunning,
    onRound() {
      if (progress.isAwaited()) store.pump(true)
    },
  })
}

/**
 * The events pipeline: log → path of each event (`event-path.ts`) → event store, live channel, deliveries.
 *
 *     partitions ─ in turn ─▶ split ▶ event path ─┬─▶ publish best effort
 *                                                 ├─▶ deliver exactly once (*)
 *                                                 └─▶ store exactly once
 *
 * (*) Exactly once in the deliveries log: the pipeline appends with sequences, as the producer `events`. Recovery does
 * not append again what is below the last sequence.
 *
 * Every event of a read record ends in the table `events` (accepted, blocked, or rejected) or in a count of
 * `dropped_events`. Every accepted event goes on to the stream, even if it has no destinations. An event that the
 * schema of its source blocks is stored and published, and is delivered only when it is replayed.
 *
 * Memory is bounded: reading waits while the store or the deliveries log is behind. Partitions take turns of a bounded
 * number of bytes, so a flood in one partition delays another by a turn, not by its backlog. In a partition that falls
 * behind, other workspaces overtake those that delay the partition (`overtaking/`).
 */
export const createPipeline = (deps: PipelineDeps): Pipeline => {
  const { reader, logger } = deps
  const settings = { ...defaultPipelineSettings, ...deps.settings }
  // A micro-batch is appended as one group, and a group is in one partition.
  if (reader.partitions !== deps.deliveries.partitions)
    throw new RangeError('The logs of requests and of deliveries differ in their number of partitions')
  const news = createNews({
    reader,
    partitionOf: (lane) => lane % reader.partitions,
  })

  const lifecycle = createLifecycle({
    run: () => runNoting(deps.setAside, () => run(wiring, parts, news)),
    stopReading: news.close,
    flush: () => store.pump(true),
    isIdle: () => store.isIdle(),
    close(reason) {
      store.close()
      publish.close()
      progress.close(reason)
    },
    drainMs: settings.drainMs,
    logger,
    onFault: deps.onFault,
  })
  const onDrain = (): void => {
    if (progress.isAwaited()) store.pump(true)
    news.drained()
  }
  const asking = createAsking({ settings, signal: lifecycle.signal, logger })
  const wiring: Wiring = { deps, settings, lifecycle, asking, onDrain }
  const parts = createParts(wiring)
  const { publish, store, progress } = parts

  return {
    start: lifecycle.start,
    stop: lifecycle.stop,
    async idle() {
      const ends = await reader.ends()
      reader.notice()
      await progress.whenCommitted(ends, () => store.pump(true))
    },
    refill: createWorkspaceRefill({ ...deps, signal: lifecycle.signal }),
    wake: () => reader.notice(),
    async state() {
      const lag = await progress.lag()
      const { rows, bytes, inserts } = store.load()
      return { running: lifecycle.isRunning(), ...lag, rowsWaiting: rows, uncommittedBytes: bytes, inserts }
    },
    behindMs: progress.behindMs,
    waitedMs: asking.waitedMs,
  }
}
