import { setTimeout as pause } from 'node:timers/promises'
import type { DestinationDefinition, LoadedConnectors, RequestClient } from '@tributary/connector-kit'
import { type Clock, createWorkShare, type Logger, type Metrics, type WorkShare } from '@tributary/kernel'
import type { ConsumerJournal, Database, EventStore, LogPosition, LogReader, LogWriter } from '@tributary/storage'
import type { Kysely } from 'kysely'
import {
  createDestinationWorker,
  type DestinationWorker,
  type WorkerSnapshot,
} from './destination/destination-worker.ts'
import { createShares } from './destination/shares.ts'
import type { WorkerContext } from './destination/worker-context.ts'
import { createAttemptLog } from './log/attempts.ts'
import { createOutcomeLog } from './log/outcome-log.ts'
import { createParking } from './parking/parking.ts'
import { restoredRange } from './parking/range-change.ts'
import { isRangeWritten } from './parking/spilled-ranges.ts'
import { createMaintenance } from './partitions/maintenance.ts'
import { createPartitions, type Partitions } from './partitions/partitions.ts'
import { createCommit, createLogReading, createPlaces } from './partitions/reading.ts'
import { createDeadLetterReports } from './partitions/report-dead-letters.ts'
import type { AccessTokens, DestinationCache, ForgottenUsers, Profiles } from './ports.ts'
import { createQuietRests } from './quiet-rests.ts'
import { type DeliverySettings, defaultDeliverySettings } from './settings.ts'

export type DeliveryDeps = {
  /** Reads the deliveries log. */
  reader: LogReader
  /** The positions of this consumer. The process that holds the journal also owns the parked rows. */
  journal: ConsumerJournal
  db: Kysely<Database>
  eventStore: EventStore
  /** The log from which producers read the outcomes of their rows. */
  outcomes: Pick<LogWriter, 'appendGroup'>
  destinationCache: DestinationCache
  forgotten: ForgottenUsers
  /** The profiles of events, for mappings that use them. Without it, such mappings get no values. */
  profiles?: Profiles
  /** Connectors by slug. Those of all configured destinations are loaded. */
  connectors: Pick<LoadedConnectors<DestinationDefinition>, 'get'>
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  /** The access tokens of destinations that need an OAuth 2 grant. */
  accessTokens?: AccessTokens
  /**
   * Number of groups that the partitions are divided into. This delivery owns partitions of one group. If absent, one
   * group.
   */
  groups?: number
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings?: Partial<DeliverySettings>
  /** The thread time that workspaces use. If absent, a new share. */
  workShare?: WorkShare
}

export type DeliveryState = {
  partitions: { partition: number; next: number; committed: number }[]
  workers: WorkerSnapshot[]
  queuedBytes: number
  /** Number of delivery log rows, and of parked changes, that are not durable yet. */
  unwritten: { attempts: number; parked: number }
}

export type Delivery = {
  /**
   * Takes over partitions (all if absent), then reads and delivers until `stop`. Rejects when a store cannot be
   * reached.
   */
  start(partitions?: readonly number[]): Promise<void>
  /** Takes over more partitions, and continues where their last owner stopped. */
  give: Partitions['give']
  /**
   * Gives partitions up. Resolves when none of their events are in flight or in memory, and all outcomes are durable.
   */
  take: Partitions['take']
  /**
   * Waits for open requests for a limited time, writes their outcomes, and commits positions. Loses nothing and starts
   * no request.
   */
  stop(): Promise<void>
  /**
   * Resolves when the log is read to its end, everything that can be sent now is sent, and all outcomes are written.
   */
  idle(): Promise<void>
  /** Looks for new records immediately. */
  wake(): void
  /**
   * Applies all deletions of users that are known at the call. When it resolves, no new request sends their events, and
   * no new sample or dead letter of theirs is written. Earlier writes are durable. Rejects while a store is down.
   */
  forget(): Promise<void>
  state(): DeliveryState
  /** The lowest offset of each owned partition that deliveries still need; earlier records are never read again. */
  minimumNeeded(): LogPosition[]
  /** Immediately picks up the rows and ranges of a destination that were made due in the database. */
  takeUp(destinationId: string): Promise<void>
  /** Does the same as `takeUp`, and ends the back-off of the destination. */
  retryNow(destinationId: string): Promise<void>
}

/**
 * Restores the ranges of a destination that another process made due. Such a range is only in the store, because this
 * worker creates its own ranges in memory first.
 */
const takeUpRanges = async (
  { id: destinationId, held, lanes }: DestinationWorker,
  { parking, clock }: WorkerContext,
): Promise<void> => {
  const ids = (): string[] => lanes.flatMap(({ spilled }) => spilled.all().map(({ id }) => id))
  const known = new Set(ids())
  const waiting = await parking.ranges()
  for (const id of ids()) known.add(id)
  for (const row of waiting)
    if (row.destinationId === destinationId && !known.has(row.id))
      held[row.lane].spilled.restore(restoredRange(row, clock()))
}

/**
 * Creates the parts of a delivery. Each part uses parts that were created before it. Open requests end when the signal
 * aborts.
 */
const createParts = (deps: DeliveryDeps, signal: AbortSignal) => {
  const { reader, journal, clock, logger, metrics, destinationCache } = deps
  const settings: DeliverySettings = { ...defaultDeliverySettings, ...deps.settings }
  const owned = new Set<number>()
  const parking = createParking(deps.db, owned)
  const shares = createShares({ groups: deps.groups ?? 1, owned, parking, destinationCache, clock, logger })
  const attempts = createAttemptLog({ eventStore: deps.eventStore, clock, logger, metrics, settings })
  const outcomes = createOutcomeLog({ log: deps.outcomes, clock, logger, metrics })
  const places = createPlaces(reader.partitions)
  const context: WorkerContext = {
    ...deps,
    shares,
    owned,
    isRead: (partition, offset) => {
      const place = places[partition]
      return place !== undefined && (offset < place.next || offset >= place.end)
    },
    accessTokens: deps.accessTokens,
    profiles: deps.profiles,
    attempts,
    outcomes,
    parking,
    settings,
    signal,
    workShare: deps.workShare ?? createWorkShare({ waiting: Number.POSITIVE_INFINITY }),
    queued: { bytes: 0 },
  }
  const workers = new Map<string, DestinationWorker>()

  const workerOf = (id: string): DestinationWorker => {
    const known = workers.get(id)
    if (known !== undefined) return known
    const worker = createDestinationWorker(id, context)
    workers.set(id, worker)
    return worker
  }
  const deadLetterReports = createDeadLetterReports(context)
  const maintenance = createMaintenance({ ...context, reportDeadLetters: deadLetterReports.run, workers, workerOf })

  const quiet = createQuietRests()
  const reading = createLogReading({
    ...context,
    journal,
    places,
    offer: (id, record, entry, tracker) => {
      quiet.offered()
      workerOf(id).offer(record, entry, tracker)
    },
  })
  const commit = createCommit({ ...context, places, workers, journal })
  const partitions = createPartitions({
    ...context,
    owned,
    places,
    workers,
    workerOf,
    journal,
    commit,
    reading,
    maintenance,
  })
  return { context, places, workers, workerOf, reading, maintenance, commit, partitions, quiet }
}
type Parts = ReturnType<typeof createParts>

/** Ends workers whose destination is gone, and starts the writes and the upkeep that are due. */
const tick = ({ context, workers, maintenance }: Parts): void => {
  for (const worker of workers.values()) {
    worker.tick()
    if (!worker.over() || !worker.idle()) continue
    workers.delete(worker.id)
    void worker.end()
  }
  void context.attempts.flush()
  void context.outcomes.flush()
  void context.shares.refresh()
  context.metrics.gauge('delivery_queued_bytes', context.queued.bytes)
  if (maintenance.due()) void maintenance.run()
}

/** Whether everything that was read and can be sent now is sent, and all outcomes are written. */
const isQuiet = ({ context, workers }: Parts): boolean =>
  context.attempts.buffered() === 0 &&
  context.outcomes.buffered() === 0 &&
  context.parking.buffered() === 0 &&
  [...workers.values()].every((worker) => worker.idle())

/** Whether everything that can be sent now is sent, and all outcomes are written. */
const isSettled = async (parts: Parts): Promise<boolean> => (await parts.reading.upToDate()) && isQuiet(parts)

/** Resolves when everything is sent and written, and a commit creates no more work. */
const untilIdle = async (parts: Parts): Promise<void> => {
  const { context, places, commit } = parts
  for (;;) {
    if (await isSettled(parts)) {
      const before = places.map((place) => place.next).join()
      // The commit may create more work, so the loop ends only after a round that created none.
      if ((await commit.run(true)) && (await isSettled(parts)) && before === places.map((place) => place.next).join())
        return
    }
    await Promise.all([context.attempts.flush(true), context.outcomes.flush()])
    context.reader.notice()
    await pause(10)
  }
}

/** Writes what is not durable yet. Gives up after a few attempts, if a store is down. */
const writeRest = async ({ context: { attempts, outcomes, parking }, commit, workers }: Parts): Promise<void> => {
  for (let tries = 0; tries < 5; tries++) {
    await Promise.all([attempts.flush(true), outcomes.flush()])
    const done = await commit.run(true)
    // A written row lacks events that were sent during its write, so the loop writes the row again.
    const written = [...workers.values()].every(({ lanes }) =>
      lanes.every(({ spilled }) => spilled.all().every(isRangeWritten)),
    )
    if (done && written && attempts.buffered() + outcomes.buffered() + parking.buffered() === 0) return
  }
}

/**
 * Delivers the records of the deliveries log to each of their destinations, at least once. A position passes a record
 * only when every event has a durable state at every destination:
 * - delivered, with its row in the delivery log;
 * - rejected or failed, with a parked row and its row in the delivery log;
 * - held by a reference. So the outcome of every event can be found: in the delivery log, among the parked rows, or,
 *   for a held event, in a parked range. For rows of other producers, the outcome is also in the log of outcomes before
 *   the position passes them.
 */
export const createDelivery = (deps: DeliveryDeps): Delivery => {
  const abort = new AbortController()
  const parts = createParts(deps, abort.signal)
  const { context, places, workers, workerOf, reading, maintenance, commit, partitions, quiet } = parts
  const { reader, clock, attempts, parking, settings } = context
  let loaded = false
  let stopping = false
  let loops: Promise<void>[] = []

  const writeLoop = async (): Promise<void> => {
    while (!stopping) {
      const wasQuiet = isQuiet(parts)
      const done = await commit.run()
      if (done && wasQuiet && isQuiet(parts)) await quiet.take('write')
      else await pause(done ? settings.flushMs : 500)
    }
  }

  const tickLoop = async (): Promise<void> => {
    while (!stopping) {
      tick(parts)
      if (isQuiet(parts)) await quiet.take('tick')
      else {
        // The tick itself may have found something to write.
        quiet.offered()
        await pause(Math.min(50, settings.flushMs))
      }
    }
  }

  const takeUp = async (destinationId: string): Promise<void> => {
    await takeUpRanges(workerOf(destinationId), context)
    await maintenance.refresh()
  }

  return {
    start: async (given = places.map(({ partition }) => partition)) => {
      await context.destinationCache.ready()
      await partitions.give(given)
      loaded = true
      loops = [reading.run(), writeLoop(), tickLoop()]
    },
    stop: async () => {
      stopping = true
      reading.stop()
      quiet.wake()
      await Promise.all(loops)
      for (const worker of workers.values()) worker.halt()
      const until = clock() + settings.drainMs
      const busy = (): boolean => [...workers.values()].some((worker) => worker.snapshot().inFlight > 0)
      while (busy() && clock() < until) await pause(10)
      abort.abort()
      await Promise.all([...workers.values()].map((worker) => worker.end()))
      if (!loaded) return
      await writeRest(parts)
    },
    give: partitions.give,
    take: partitions.take,
    idle: () => untilIdle(parts),
    wake: () => reader.notice(),
    takeUp,
    retryNow: async (destinationId) => {
      await takeUp(destinationId)
      workers.get(destinationId)?.endRest()
    },
    forget: async () => {
      for (const worker of workers.values()) worker.tick()
      // Attempts are written first: once their rows are durable, parked changes can be written.
      if (!(await attempts.drain()) || !(await commit.run(true))) throw new Error('Deliveries cannot be written yet')
    },
    state: () => ({
      partitions: places.map(({ partition, next, committed }) => ({ partition, next, committed })),
      workers: [...workers.values()].map((worker) => worker.snapshot()),
      queuedBytes: context.queued.bytes,
      unwritten: { attempts: attempts.buffered(), parked: parking.buffered() },
    }),
    minimumNeeded: () => {
      const positions = deps.journal.positions()
      return places
        .filter(({ owned: isOwned }) => isOwned)
        .map(({ partition }) => {
          const committed = positions.get(partition) ?? 0
          // Every record may be needed until the parked rows are looked up.
          return { partition, offset: loaded ? Math.min(committed, parking.lowest().get(partition) ?? committed) : 0 }
        })
    },
  }
}
