import type { DestinationDefinition, RequestClient } from '@tributary/connector-kit'
import { type Clock, createWorkShare, faultPoint, type Logger, type Metrics, type WorkShare } from '@tributary/kernel'
import type { ConsumerJournal, Database, EventStore, LogPosition, LogReader } from '@tributary/storage'
import type { Kysely } from 'kysely'
import { createAttemptLog } from './attempts.ts'
import { createLane, type Lane, type LaneSnapshot } from './lane.ts'
import { createMaintenance } from './maintenance.ts'
import { createOffsetTracker } from './offsets.ts'
import { createParking } from './parking.ts'
import type { AccessTokens, DestinationDirectory, LaneContext } from './ports.ts'
import { restoredRange } from './range-change.ts'
import { openRecord } from './record.ts'
import { type DeliverySettings, defaultDeliverySettings } from './settings.ts'

export type DeliveryDeps = {
  /** Of the deliveries log. */
  reader: LogReader
  /** Positions of this consumer. Whoever holds it owns the parked rows, too. */
  journal: ConsumerJournal
  db: Kysely<Database>
  eventStore: EventStore
  directory: DestinationDirectory
  /** Connectors by slug. */
  connectors: ReadonlyMap<string, DestinationDefinition>
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  /** For destinations that need a grant of OAuth 2. */
  accessTokens?: AccessTokens
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings?: Partial<DeliverySettings>
  /** What workspaces have taken of the thread; a new one unless told. */
  workShare?: WorkShare
}

export type DeliveryState = {
  partitions: { partition: number; next: number; committed: number }[]
  lanes: LaneSnapshot[]
  queuedBytes: number
  /** Delivery log rows and parked changes that are not durable yet. */
  unwritten: { attempts: number; parked: number }
}

export type Delivery = {
  /** Loads what is held, then reads and delivers until `stop`. Rejects when a store cannot be reached. */
  start(): Promise<void>
  /** Lets requests end (bounded), writes what became of them, moves the position. Nothing else is lost or begun. */
  stop(): Promise<void>
  /** Resolves when the log is read to its end and everything that can be done now is done and written. */
  idle(): Promise<void>
  /** Looks for new records at once. */
  wake(): void
  state(): DeliveryState
  /** The lowest offset of each partition that deliveries still need: nothing below is read again. */
  minimumNeeded(): LogPosition[]
  /** Takes up at once what was made due for a destination in the relational store, held ranges included. */
  takeUp(destinationId: string): Promise<void>
  /** The same, and ends the destination's rest. */
  retryNow(destinationId: string): Promise<void>
}

const readBytes = 1024 * 1024
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Delivers the records of the deliveries log to each of their destinations, at least once. A record's position is left
 * behind only when, for every destination, each event is delivered with its row in the delivery log durable, or refused
 * or failed with a parked row and its row in the delivery log durable, or held by a durable reference. So the outcome of
 * every event can be found: in the delivery log, among the parked rows, or, held and not tried yet, in a parked range.
 */
export const createDelivery = (deps: DeliveryDeps): Delivery => {
  const { reader, journal, clock, logger, metrics, directory } = deps
  const settings: DeliverySettings = { ...defaultDeliverySettings, ...deps.settings }
  const abort = new AbortController()
  const parking = createParking(deps.db)
  const attempts = createAttemptLog({ eventStore: deps.eventStore, clock, logger, metrics, settings })
  const context: LaneContext = {
    reader,
    directory,
    connectors: deps.connectors,
    requestClient: deps.requestClient,
    accessTokens: deps.accessTokens,
    attempts,
    parking,
    clock,
    logger,
    metrics,
    settings,
    signal: abort.signal,
    workShare: deps.workShare ?? createWorkShare({ waiting: Number.POSITIVE_INFINITY }),
    queued: { bytes: 0 },
  }
  const lanes = new Map<string, Lane>()
  const partitions = Array.from({ length: reader.partitions }, (_, partition) => ({
    partition,
    next: 0,
    committed: 0,
    tracker: createOffsetTracker(),
  }))
  let loaded = false
  let stopping = false
  let loops: Promise<void>[] = []
  let wakeReader: (() => void) | undefined
  let committing: Promise<boolean> | undefined

  const laneOf = (id: string): Lane => {
    const known = lanes.get(id)
    if (known !== undefined) return known
    const lane = createLane(id, context)
    lanes.set(id, lane)
    return lane
  }
  const maintenance = createMaintenance({ parking, lanes, laneOf, clock, logger, metrics, settings })

  /** Reads one piece of a partition; true when there was anything. */
  const readPiece = (place: (typeof partitions)[number]): boolean => {
    const records = reader.read(place.partition, place.next, readBytes)
    for (const found of records) {
      const entry = place.tracker.begin(found.offset)
      const record = openRecord(found)
      if (record === undefined) {
        logger.error(
          { partition: found.partition, offset: found.offset },
          'A record of the deliveries log has no readable meta',
        )
        metrics.count('delivery_records_unreadable', 1)
      } else for (const id of record.reference.meta.d) laneOf(id).offer(record, entry, place.tracker)
      place.next = found.offset + 1
      place.tracker.release(entry)
    }
    return records.length > 0
  }

  const underWay = (): number => partitions.reduce((sum, place) => sum + place.tracker.size(), 0)

  const readLoop = async (): Promise<void> => {
    while (!stopping) {
      let read = false
      try {
        const ends = reader.ends()
        for (const place of partitions) {
          if (stopping || underWay() >= settings.openRecords) break
          if (place.next >= (ends[place.partition] ?? 0)) continue
          if (!readPiece(place)) continue
          read = true
          await breathe()
        }
      } catch (error) {
        logger.error({ err: error }, 'The deliveries log cannot be read; it is tried again')
        await pause(500)
      }
      if (read || stopping) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, settings.pollMs)
        wakeReader = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wakeReader = undefined
    }
  }

  const lowestOpen = (place: (typeof partitions)[number]): number => {
    let low = place.tracker.low() ?? place.next
    for (const lane of lanes.values()) low = Math.min(low, lane.held.undurableLow(place.partition) ?? low)
    return low
  }

  /** Parks, then moves positions; true when everything that could be written was. */
  const commitOnce = async (all: boolean): Promise<boolean> => {
    const changes = [...lanes.values()].map((lane) => lane.ranges(all))
    const extra = {
      deletes: changes.flatMap((item) => item.change.deletes),
      rows: changes.flatMap((item) => item.change.rows),
    }
    try {
      const parks = parking.buffered() > 0 || extra.deletes.length > 0 || extra.rows.length > 0
      await parking.flush(extra)
      for (const item of changes) item.apply()
      if (parks) faultPoint('delivery.after-park')
      const moved = partitions.filter((place) => lowestOpen(place) > place.committed)
      if (moved.length === 0) return true
      faultPoint('delivery.before-commit')
      const positions = new Map(moved.map((place) => [place.partition, lowestOpen(place)]))
      journal.commit(positions)
      for (const place of moved) place.committed = positions.get(place.partition) ?? place.committed
      return true
    } catch (error) {
      logger.warn({ err: error }, 'Positions of deliveries cannot be moved yet; it is tried again')
      metrics.count('delivery_commit_failures', 1)
      return false
    }
  }

  /** One commit at a time; whoever comes meanwhile waits and then has one of its own. */
  const commit = async (all = false): Promise<boolean> => {
    while (committing !== undefined) await committing
    committing = commitOnce(all).finally(() => {
      committing = undefined
    })
    return committing
  }

  const writeLoop = async (): Promise<void> => {
    while (!stopping) {
      const done = await commit()
      await pause(done ? settings.flushMs : 500)
    }
  }

  const tickLoop = async (): Promise<void> => {
    const everyMs = Math.min(50, settings.flushMs)
    while (!stopping) {
      for (const lane of lanes.values()) {
        lane.tick()
        if (!lane.over() || !lane.idle()) continue
        lanes.delete(lane.id)
        void lane.end()
      }
      void attempts.flush()
      metrics.gauge('delivery_queued_bytes', context.queued.bytes)
      if (maintenance.due()) void maintenance.run()
      await pause(everyMs)
    }
  }

  const load = async (): Promise<void> => {
    await directory.ready()
    const positions = journal.positions()
    const starts = reader.starts()
    for (const place of partitions) {
      place.committed = positions.get(place.partition) ?? 0
      place.next = Math.max(place.committed, starts[place.partition] ?? 0)
    }
    for (const row of await parking.ranges()) laneOf(row.destinationId).held.restore(restoredRange(row, clock()))
    await maintenance.refresh()
    loaded = true
  }

  /** What this lane holds is in its memory before it is in the store: a range that it does not know was made due by others. */
  const takeUpRanges = async (destinationId: string): Promise<void> => {
    const { held } = laneOf(destinationId)
    const known = new Set(held.all().map((range) => range.id))
    const waiting = await parking.ranges()
    for (const range of held.all()) known.add(range.id)
    for (const row of waiting)
      if (row.destinationId === destinationId && !known.has(row.id)) held.restore(restoredRange(row, clock()))
  }

  const takeUp = async (destinationId: string): Promise<void> => {
    await takeUpRanges(destinationId)
    await maintenance.refresh()
  }

  const settled = (): boolean => {
    const ends = reader.ends()
    return (
      partitions.every((place) => place.next >= (ends[place.partition] ?? 0)) &&
      [...lanes.values()].every((lane) => lane.idle()) &&
      attempts.buffered() === 0 &&
      parking.buffered() === 0
    )
  }

  return {
    start: async () => {
      await load()
      loops = [readLoop(), writeLoop(), tickLoop()]
    },
    stop: async () => {
      stopping = true
      wakeReader?.()
      await Promise.all(loops)
      for (const lane of lanes.values()) lane.halt()
      const until = clock() + settings.drainMs
      const busy = (): boolean => [...lanes.values()].some((lane) => lane.snapshot().inFlight > 0)
      while (busy() && clock() < until) await pause(10)
      abort.abort()
      await Promise.all([...lanes.values()].map((lane) => lane.end()))
      if (!loaded) return
      for (let tries = 0; tries < 5; tries++) {
        await attempts.flush(true)
        const done = await commit(true)
        if (done && attempts.buffered() === 0 && parking.buffered() === 0) return
      }
    },
    idle: async () => {
      for (;;) {
        if (settled()) {
          const before = partitions.map((place) => place.next).join()
          // The commit may bring work of its own; only a round without any counts.
          if ((await commit(true)) && settled() && before === partitions.map((place) => place.next).join()) return
        }
        await attempts.flush(true)
        wakeReader?.()
        await pause(10)
      }
    },
    wake: () => wakeReader?.(),
    takeUp,
    retryNow: async (destinationId) => {
      await takeUp(destinationId)
      lanes.get(destinationId)?.endRest()
    },
    state: () => ({
      partitions: partitions.map(({ partition, next, committed }) => ({ partition, next, committed })),
      lanes: [...lanes.values()].map((lane) => lane.snapshot()),
      queuedBytes: context.queued.bytes,
      unwritten: { attempts: attempts.buffered(), parked: parking.buffered() },
    }),
    minimumNeeded: () =>
      partitions.map(({ partition, committed }) => ({
        partition,
        // Before the parked rows were looked up, everything may be needed.
        offset: loaded ? Math.min(committed, parking.lowest().get(partition) ?? committed) : 0,
      })),
  }
}
