import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Logger } from '@tributary/kernel'
import { type ConsumerJournal, type LogReader, reconcile } from '@tributary/storage'
import type { DestinationWorker } from '../destination/destination-worker.ts'
import type { AttemptLog } from '../log/attempts.ts'
import { openRecord } from '../log/record.ts'
import type { KeyOrder } from '../parking/key-order.ts'
import type { ParkedRow } from '../parking/parked-row.ts'
import type { Parking } from '../parking/parking.ts'
import { restoredRange } from '../parking/range-change.ts'
import { isOf } from '../parking/row-reading.ts'
import { isRangeWritten } from '../parking/spilled-ranges.ts'
import type { Maintenance } from './maintenance.ts'
import type { Commit, LogReading, Place } from './reading.ts'

/** Maximum number of rows per query. */
const rowsAtOnce = 1000
/** Maximum number of bytes of the log per read. */
const pieceBytes = 1024 * 1024

/**
 * Restores the waiting rows of some partitions in the key orders of destinations, so that no later change of the same
 * records is sent before them. Must run before any record of these partitions is offered. Rejects if the database or
 * the log cannot be read.
 */
const restoreOrder = async (
  deps: {
    parking: Pick<Parking, 'waitingOfProducers'>
    reader: Pick<LogReader, 'find'>
    orderOf: (id: string) => KeyOrder
  },
  partitions: ReadonlySet<number>,
): Promise<void> => {
  let last: ParkedRow | undefined
  for (;;) {
    const rows = await deps.parking.waitingOfProducers(partitions, last, rowsAtOnce)
    for (let done = 0; done < rows.length; ) {
      const found = await deps.reader.find(rows.slice(done), pieceBytes)
      for (const each of found) {
        const row = rows[done++]
        const record = each === undefined ? undefined : openRecord(each)
        if (row === undefined || record?.reference.meta.producer === undefined || !isOf(record, row)) continue
        deps.orderOf(row.destinationId).restore(row.id, record, row.indexes, row.nextTime)
      }
    }
    last = rows.at(-1)
    if (rows.length < rowsAtOnce) return
  }
}

/** The offset before which records of a partition are sent again; 0 if none are. */
export const sentAgainBefore = (note: string | undefined): number => Number(note ?? 0)

/** Creates the note of a partition that is reset from a position. If it was reset before, the higher offset counts. */
export const sentAgainNote =
  (position: number) =>
  (note: string): string =>
    String(Math.max(position, sentAgainBefore(note)))

/** Gives and takes away partitions. */
export type Partitions = {
  /** Takes over partitions where their last owner stopped: position, spilled ranges, parked rows. */
  give(partitions: readonly number[]): Promise<void>
  /**
   * Takes partitions away: items in memory are requeued, and requests in flight end and are recorded. Resolves when all
   * of it is durable and no item of them is in memory; waits while a store is down.
   */
  take(partitions: readonly number[]): Promise<void>
}

type PartitionsDeps = {
  owned: Set<number>
  places: readonly Place[]
  workers: ReadonlyMap<string, DestinationWorker>
  workerOf: (id: string) => DestinationWorker
  reader: Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends' | 'find'>
  journal: Pick<ConsumerJournal, 'positions' | 'places' | 'openEnds' | 'rewind' | 'notes' | 'commit'>
  parking: Pick<Parking, 'ranges' | 'waitingOfProducers'>
  attempts: Pick<AttemptLog, 'flush'>
  commit: Commit
  reading: Pick<LogReading, 'change'>
  maintenance: Pick<Maintenance, 'refresh'>
  clock: Clock
  logger: Logger
}

/** Creates the partition ownership of a delivery that owns none yet; `owned` is updated. */
export const createPartitions = (deps: PartitionsDeps): Partitions => {
  const { owned, places, workers, workerOf, parking, maintenance, clock } = deps
  const placesOf = (partitions: readonly number[], isOwned: boolean): Place[] =>
    places.filter((place) => place.owned === isOwned && partitions.includes(place.partition))

  return {
    give: async (partitions) => {
      const given = placesOf(partitions, false)
      const rewound = await reconcile(
        deps.journal,
        deps.reader,
        given.map(({ partition }) => partition),
      )
      if (rewound.size > 0)
        deps.logger.warn(
          { partitions: [...rewound] },
          'the log was replaced or restored: delivery goes on where the new one begins to differ',
        )
      const positions = deps.journal.positions()
      // Notes about an earlier log do not apply to this one.
      const over = new Map([...rewound].filter((each) => deps.journal.notes().get(each)).map((each) => [each, '']))
      if (over.size > 0) await deps.journal.commit(new Map(), over)
      const notes = deps.journal.notes()
      const starts = await deps.reader.starts()
      const ends = await deps.reader.ends()
      for (const place of given) {
        place.committed = positions.get(place.partition) ?? 0
        place.next = Math.max(place.committed, starts[place.partition] ?? 0)
        place.end = ends[place.partition] ?? 0
        place.again = sentAgainBefore(notes.get(place.partition))
      }
      const fresh = new Set(given.map(({ partition }) => partition))
      const ranges = await parking.ranges(fresh)
      for (const row of ranges) {
        const limit = rewound.has(row.partition) ? (positions.get(row.partition) ?? 0) : undefined
        workerOf(row.destinationId).held[row.lane].spilled.restore(restoredRange(row, clock(), limit))
      }
      await restoreOrder({ parking, reader: deps.reader, orderOf: (id) => workerOf(id).keyOrder }, fresh)
      for (const partition of fresh) owned.add(partition)
      await maintenance.refresh()
      // Held and parked changes must be restored before anything new is offered.
      for (const place of given) {
        place.given++
        place.owned = true
      }
      deps.reading.change()
    },
    take: async (partitions) => {
      const leaving = placesOf(partitions, true)
      const gone = new Set(leaving.map(({ partition }) => partition))
      for (const place of leaving) {
        place.owned = false
        owned.delete(place.partition)
      }
      for (const worker of workers.values()) worker.requeue(gone)
      const isFree = (): boolean =>
        leaving.every((place) => place.tracker.size() === 0 && place.committed === place.next) &&
        [...workers.values()].every(
          (worker) =>
            !worker.isBusy(gone) &&
            // A range is written again if its events were sent while it was written. Otherwise the next owner would
            // repeat these events.
            worker.lanes.every(({ spilled }) =>
              spilled.all().every((range) => !gone.has(range.partition) || isRangeWritten(range)),
            ),
        )
      // A commit writes held changes, and then the position behind them.
      for (let done = false; !done; ) {
        await deps.attempts.flush(true)
        const written = await deps.commit.run(true)
        done = written && isFree()
        if (!done) await pause(10)
      }
      for (const worker of workers.values()) {
        for (const { spilled } of worker.lanes) for (const partition of gone) spilled.forget(partition)
        worker.keyOrder.forget(gone)
      }
      await maintenance.refresh()
    },
  }
}
