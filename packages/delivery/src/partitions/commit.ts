import { faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal } from '@tributary/storage'
import type { DestinationWorker } from '../destination/destination-worker.ts'
import type { Place } from '../log/log-reading.ts'
import type { Parking } from '../parking/parking.ts'

/** Writes held and parked changes, then commits the positions. */
export type Commit = {
  /**
   * Runs one commit at a time. A caller during a commit waits for the next one. With `all`, it also writes ranges that
   * are young enough to stay in memory. Resolves to whether everything could be written; never rejects.
   */
  run(all?: boolean): Promise<boolean>
}

/**
 * Commits for all workers and partitions. A position advances only after everything before it is done or durably held.
 */
export const createCommit = (deps: {
  places: readonly Place[]
  workers: ReadonlyMap<string, DestinationWorker>
  parking: Parking
  journal: ConsumerJournal
  logger: Logger
  metrics: Metrics
}): Commit => {
  const { places, workers, parking, journal, logger, metrics } = deps
  let running: Promise<boolean> | undefined

  const lowestOpen = (place: Place): number => {
    let low = place.tracker.low() ?? place.next
    for (const worker of workers.values())
      for (const { spilled } of worker.lanes) low = Math.min(low, spilled.undurableLow(place.partition) ?? low)
    return low
  }

  const park = async (all: boolean): Promise<void> => {
    const changes = [...workers.values()].map((worker) => worker.ranges(all))
    const extra = {
      deletes: changes.flatMap((item) => item.change.deletes),
      rows: changes.flatMap((item) => item.change.rows),
    }
    const parks = parking.buffered() > 0 || extra.deletes.length > 0 || extra.rows.length > 0
    await parking.flush(extra)
    for (const item of changes) item.apply()
    if (parks) faultPoint('delivery.after-park')
  }

  const move = async (): Promise<void> => {
    const moved = places.filter((place) => lowestOpen(place) > place.committed)
    if (moved.length === 0) return
    faultPoint('delivery.before-commit')
    const positions = new Map(moved.map((place) => [place.partition, lowestOpen(place)]))
    await journal.commit(positions)
    for (const place of moved) place.committed = positions.get(place.partition) ?? place.committed
  }

  const once = async (all: boolean): Promise<boolean> => {
    try {
      await park(all)
      await move()
      return true
    } catch (error) {
      logger.warn({ err: error }, 'delivery positions cannot be committed; trying again')
      metrics.count('delivery_commit_failures', 1)
      return false
    }
  }

  return {
    run: async (all = false) => {
      while (running !== undefined) await running
      running = once(all).finally(() => {
        running = undefined
      })
      return running
    },
  }
}
