import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Logger } from '@tributary/kernel'
import { type ConsumerJournal, type LogReader, reconcile } from '@tributary/storage'
import type { Parking } from '../retry/parking.ts'
import { restoredRange } from '../retry/range-change.ts'
import { restoreOrder } from '../retry/restore-order.ts'
import { isRangeWritten } from '../retry/spilled-ranges.ts'
import type { DestinationWorker } from '../worker/destination-worker.ts'
import type { AttemptLog } from './attempts.ts'
import type { Commit } from './commit.ts'
import type { LogReading, Place } from './log-reading.ts'
import type { Maintenance } from './maintenance.ts'
import { sentAgainBefore } from './sent-again.ts'

/** Partitions that come and go. */
export type Partitions = {
  /** Takes partitions up where their last holder left them: position, spilled ranges, parked rows. */
  give(partitions: readonly number[]): Promise<void>
  /**
   * Takes partitions away: what waits in memory goes back to where it waits, what is being sent ends and is written down.
   * Resolves when all of it is durable and nothing of them is in memory; while a store is away it waits for that.
   */
  take(partitions: readonly number[]): Promise<void>
}

/** Of a delivery that has none yet; `owned` are those it has. */
export const createPartitions = (deps: {
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
}): Partitions => {
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
        deps.logger.warn({ partitions: [...rewound] }, 'The log is another one: it is delivered from there')
      const positions = deps.journal.positions()
      // Of another log, such a note says nothing.
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
      // What is held and parked has to be known before anything new is offered.
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
            // A range that was sent while it was written would be sent again by whoever reads what was written.
            worker.lanes.every(({ spilled }) =>
              spilled.all().every((range) => !gone.has(range.partition) || isRangeWritten(range)),
            ),
        )
      // A commit writes what is held, and then the position behind it.
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
