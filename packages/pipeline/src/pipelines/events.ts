import type { Clock, Logger, Metrics } from '@tributary/kernel'
import {
  type ConsumerJournal,
  type Coordination,
  type EventStore,
  EventStoreUnavailable,
  type LogReader,
  type LogRecord,
  type LogWriter,
  reconcile,
} from '@tributary/storage'
import { type AppendedBefore, findAppendedBefore } from '../appended-before.ts'
import { createDeliverBranch } from '../branches/deliver.ts'
import { createPublishBranch } from '../branches/publish.ts'
import { createStoreBranch } from '../branches/store.ts'
import type { JudgedBy, RawEvent } from '../event-types.ts'
import { createProcessor, type MicroBatch, withoutEffects } from '../process.ts'
import { createProgress } from '../progress.ts'
import { recover } from '../recovery.ts'
import { pause, retrying, Stopped } from '../retrying.ts'
import { sequence, type Verdict } from '../sequence.ts'
import { defaultPipelineSettings, type PipelineSettings } from '../settings.ts'
import { checkEnvelope } from '../steps/check-envelope.ts'
import { normalise } from '../steps/normalise.ts'
import { parseJson } from '../steps/parse-json.ts'
import { withinLimits } from '../steps/within-limits.ts'
import { createStoredBefore } from '../stored-before.ts'
import { createStoredVerdicts } from '../stored-verdicts.ts'

export type PipelineDeps = {
  /** The log of accepted requests. */
  reader: LogReader
  /** What this consumer knows durably. Used by this pipeline alone. */
  journal: ConsumerJournal
  eventStore: EventStore
  /** The log of deliveries. */
  deliveries: LogWriter
  /** Reads it, to see at the start what a run of before there were sequences appended. */
  deliveriesReader: LogReader
  /** Destinations connected to a source, from a snapshot in memory; asked once per record. */
  destinationsFor(sourceId: string): readonly string[]
  /** What a source's events are judged by, from a snapshot in memory; asked once per record. Without, none is judged. */
  schemaFor(sourceId: string): JudgedBy | undefined
  coordination: Pick<Coordination, 'publish' | 'subscribe'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings?: Partial<PipelineSettings>
  /** Told once of what the pipeline cannot mend by trying again; it has then ended and is to be started anew. */
  onFault?(error: unknown): void
}

export type PipelineState = {
  running: boolean
  /** About how many records are not yet committed (offsets), and bytes they have (by the mean size of those read). */
  lagRecords: number
  lagBytes: number
  /** Age of the oldest record in hand that is not committed; 0 with nothing in hand. */
  oldestUnstoredMs: number
  /** Rows waiting for their insert, bytes of rows not committed, inserts under way. */
  rowsWaiting: number
  bytesInHand: number
  inserts: number
}

export type Pipeline = {
  /** Repeats what the last run left open, then begins to read. Returns at once. */
  start(): void
  /** Reads no more, stores and commits what is in hand (at most `drainMs`), and ends. */
  stop(): Promise<void>
  /** Resolves when everything appended before the call is stored and committed. Rejects when the pipeline ends before. */
  idle(): Promise<void>
  /** Hints that there are new records. */
  wake(): void
  state(): Promise<PipelineState>
}

/** What every event goes through, in this order, between the split of its request and deduplication. */
export const eventSteps = (): ((event: RawEvent) => Verdict) =>
  sequence(withinLimits(), parseJson(), normalise(), checkEnvelope())

/**
 * The events pipeline: log → steps → event store, live channel, deliveries.
 *
 *     partitions ─ in turn ─▶ split ▶ limits ▶ parse ▶ normalise ▶ envelope ▶ deduplicate ▶ schema ─┬─▶ publish   best effort
 *                                                                                                   ├─▶ deliver   exactly once (*)
 *                                                                                                   └─▶ store     exactly once
 *
 * (*) Into the deliveries log: the pipeline is its producer `events`, and what recovery repeats is below the last sequence.
 *
 * Every event of a read record ends in the table `events` (accepted, blocked or rejected) or in a count of
 * `dropped_events`. Every accepted event goes on to the stream, whatever its destinations. What the schema of its source
 * blocks is stored and published, and goes on only when it is replayed.
 * Memory is bounded: reading waits while the store or the deliveries log is behind. Partitions take turns of a bounded
 * number of bytes, so a flood in one delays another by a turn, not by its backlog.
 */
export const createPipeline = (deps: PipelineDeps): Pipeline => {
  const { reader, journal, clock, logger, metrics, coordination } = deps
  const settings = { ...defaultPipelineSettings, ...deps.settings }
  // A micro-batch is one group, which lies in one partition.
  if (reader.partitions !== deps.deliveries.partitions)
    throw new RangeError('The logs of requests and of deliveries differ in their number of partitions')
  const ending = new AbortController()
  /** Aborted when nothing more is to be read. */
  const reading = new AbortController()
  let phase: 'new' | 'running' | 'draining' | 'ended' = 'new'
  let loop: Promise<void> = Promise.resolve()
  /** Aborted when room becomes free: a new one for each round, so that none is missed. */
  let room = new AbortController()
  const next = new Map<number, number>()
  let served = -1
  /** What earlier runs appended to deliveries. */
  let before: AppendedBefore | undefined
  /** With a new or lost journal, or one of another log: what was in the log at the start may be stored already. */
  let unknownBefore: readonly number[] = []

  const fail = (error: unknown): void => {
    if (phase === 'ended') return
    phase = 'ended'
    logger.error({ err: error }, 'The pipeline ended by a fault')
    end(error)
    deps.onFault?.(error)
  }

  const storedBefore = createStoredBefore(deps.eventStore)
  const storedVerdicts = createStoredVerdicts(deps.eventStore)
  const publish = createPublishBranch({ coordination, clock, metrics, settings })
  const processor = createProcessor({
    steps: eventSteps(),
    journal,
    destinationsFor: deps.destinationsFor,
    schemaFor: deps.schemaFor,
    isWatched: publish.isWatched,
    isAppended: (record, eventId) => before?.has(record, eventId) === true,
    deliveryRecordBytes: settings.deliveryRecordBytes,
  })
  const onRoom = (): void => {
    if (progress.isAwaited()) store.pump(true)
    room.abort()
  }
  const deliver = createDeliverBranch({
    ...deps,
    settings,
    signal: ending.signal,
    isStamped: (partition, to) => before?.isStamped(partition, to) !== false,
    onRoom,
  })
  const store = createStoreBranch({
    ...deps,
    settings,
    signal: ending.signal,
    idsInHand: processor.idsInHand,
    idsHandedOver: processor.idsHandedOver,
    onCommitted: (bytes) => progress.committed(bytes),
    onRoom,
    onFault: fail,
  })
  const progress = createProgress({ coordination, clock, metrics, journal, reader, store, settings, logger })

  const stopReading = (): void => {
    reading.abort()
    room.abort()
  }

  const end = (cause?: unknown): void => {
    stopReading()
    ending.abort()
    store.close()
    publish.close()
    progress.close(new Stopped(cause))
  }

  /** Hands a micro-batch to the three branches; none waits for another. */
  const handOn = (batch: MicroBatch): void => {
    next.set(batch.partition, batch.to)
    for (const [sourceId, events] of batch.live) publish.add(sourceId, events)
    store.add(batch, deliver.add(batch))
    metrics.count('pipeline_events', batch.accepted, { status: 'accepted' })
    if (batch.blocked > 0) metrics.count('pipeline_events', batch.blocked, { status: 'blocked' })
    for (const [reason, count] of batch.rejected) {
      metrics.count('pipeline_events', count, { status: 'rejected' })
      metrics.count('pipeline_events_rejected', count, { reason })
    }
  }

  const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  /** Records of one turn through the steps, in micro-batches; other work gets its time between them. */
  const take = async (records: readonly LogRecord[]): Promise<void> => {
    for (const record of records) {
      processor.add(record)
      progress.read(record.body.byteLength)
      if (processor.size().events < settings.microBatchEvents) continue
      handOn(processor.take())
      await breathe()
    }
    if (processor.size().records > 0) handOn(processor.take())
  }

  /** Asks the event store what it has, until it answers. */
  const asking = <T>(question: () => Promise<T>): Promise<T> =>
    retrying(question, {
      baseMs: settings.retryBaseMs,
      capMs: settings.retryCapMs,
      signal: ending.signal,
      mayRetry: (error) => error instanceof EventStoreUnavailable,
      onFailure: (error, attempt) => {
        if (attempt === 1) logger.warn({ err: error }, 'The event store cannot be asked what it has; trying again')
      },
    })

  /**
   * Records that a run whose journal is lost may have stored: their ids are taken in, and what the store has already is
   * neither stored nor delivered again.
   */
  const takeAgain = async (partition: number, records: readonly LogRecord[]): Promise<void> => {
    const stored = await asking(() => storedBefore(partition, records))
    for (const record of records) {
      processor.add(record)
      progress.read(record.body.byteLength)
      handOn(stored.has(record.offset) ? withoutEffects(processor.take()) : processor.take())
    }
  }

  /**
   * One turn for every partition with news, beginning behind the one served last. Tells which had to be passed over for
   * want of room, and whether some had more than their turn.
   */
  const round = async (ends: readonly number[]): Promise<{ held: ReadonlySet<number>; more: boolean }> => {
    const held = new Set<number>()
    let more = false
    const first = served + 1
    for (let step = 0; step < ends.length && phase === 'running'; step++) {
      const partition = (first + step) % ends.length
      const end = ends[partition] ?? 0
      const from = next.get(partition) ?? 0
      if (from >= end) continue
      if (store.isFull(partition) || deliver.isFull()) {
        held.add(partition)
        continue
      }
      const records = await reader.read(partition, from, settings.turnBytes)
      if (records.length === 0) continue
      journal.saw(records)
      if (from < (unknownBefore[partition] ?? 0)) await takeAgain(partition, records)
      else await take(records)
      served = partition
      if ((next.get(partition) ?? 0) < end) more = true
      await breathe()
    }
    return { held, more }
  }

  /** Until there is news in a partition that is not held, or, where some are, room somewhere. */
  const waitForNews = async (held: ReadonlySet<number>): Promise<void> => {
    const { signal } = held.size > 0 ? room : reading
    await pause(settings.roundMs, signal)
    const from = [...next].filter(([partition]) => !held.has(partition))
    await reader.wait(
      from.map(([partition, offset]) => ({ partition, offset })),
      signal,
    )
  }

  const run = async (): Promise<void> => {
    const rewound = await reconcile(journal, reader)
    if (rewound.size > 0)
      logger.warn({ partitions: [...rewound] }, 'The log is another one: it is processed from there')
    store.begin()
    before = await findAppendedBefore({
      requests: reader,
      deliveries: deps.deliveriesReader,
      journal,
      sequences: await deliver.begin(),
    })
    if (before.found > 0) logger.info({ events: before.found }, 'Found what a run of before appended and left open')
    const repeated = await recover({
      journal,
      reader,
      processor,
      store,
      deliver,
      storedVerdicts: (span) => asking(() => storedVerdicts(span)),
      readBytes: settings.turnBytes,
    })
    if (repeated > 0) logger.info({ inserts: repeated }, 'Repeated what the last run left open')
    const starts = await reader.starts()
    progress.begin(starts)
    const ends = await reader.ends()
    unknownBefore = ends.map((end, partition) => (journal.fresh || rewound.has(partition) ? end : 0))
    for (let partition = 0; partition < reader.partitions; partition++) {
      next.set(partition, Math.max(store.committed().get(partition) ?? 0, starts[partition] ?? 0))
    }
    while (phase === 'running') {
      room = new AbortController()
      const { held, more } = await round(await reader.ends())
      if (progress.isAwaited()) store.pump(true)
      if (held.size > 0 || !more) await waitForNews(held)
    }
  }

  return {
    start() {
      if (phase !== 'new') throw new Error('A pipeline starts once')
      phase = 'running'
      progress.start()
      loop = run().catch((error: unknown) => {
        if (!(error instanceof Stopped)) fail(error)
      })
    },

    async stop() {
      if (phase === 'ended') return
      const deadline = AbortSignal.any([ending.signal, AbortSignal.timeout(settings.drainMs)])
      phase = 'draining'
      stopReading()
      await Promise.race([loop, pause(settings.drainMs, deadline)])
      while (!deadline.aborted && !store.isIdle()) {
        store.pump(true)
        await pause(2, deadline)
      }
      phase = 'ended'
      end()
      await loop
    },

    async idle() {
      const ends = await reader.ends()
      reader.notice()
      await progress.whenCommitted(ends, () => store.pump(true))
    },

    wake: () => reader.notice(),

    async state() {
      const lag = await progress.lag()
      const { rows, bytes, inserts } = store.load()
      return { running: phase === 'running', ...lag, rowsWaiting: rows, bytesInHand: bytes, inserts }
    },
  }
}
