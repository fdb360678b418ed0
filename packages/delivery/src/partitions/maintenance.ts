import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { LogReader } from '@tributary/storage'
import type { DestinationWorker } from '../destination/destination-worker.ts'
import type { Parking } from '../parking/parking.ts'
import { limit } from '../parking/range-change.ts'
import type { DeliverySettings } from '../settings.ts'

export type Maintenance = {
  due(): boolean
  /** Looks up waiting deliveries in the database: rows of each destination, and the lowest offsets. */
  refresh(): Promise<void>
  /** Enforces limits, deletes old dead letters, then refreshes. Never rejects. */
  run(): Promise<void>
}

/** Periodic work on parked deliveries. */
export const createMaintenance = (deps: {
  parking: Parking
  reader: Pick<LogReader, 'positionsBefore'>
  /** Reports dead letters to producers. */
  reportDeadLetters: () => Promise<void>
  workers: ReadonlyMap<string, DestinationWorker>
  workerOf: (id: string) => DestinationWorker
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
}): Maintenance => {
  const { parking, reader, workers, workerOf, clock, logger, metrics, settings } = deps
  let last = 0
  let running = false

  const refresh = async (): Promise<void> => {
    last = clock()
    const summary = await parking.summary()
    const seen = new Set(summary.map(({ destinationId, lane }) => `${destinationId} ${lane}`))
    for (const worker of workers.values())
      for (const { lane, rows } of worker.lanes)
        if (!seen.has(`${worker.id} ${lane}`) && rows.taken.size === 0) rows.waiting = 0
    for (const item of summary) {
      const { rows } = workerOf(item.destinationId).held[item.lane]
      rows.waiting = item.rows
      rows.version++
      // Rows in flight end soon. An unneeded look-up costs only one short query.
      rows.nextDue = Math.min(rows.nextDue, item.nextTime)
    }
    await parking.refreshLowest()
  }

  const enforce = async (): Promise<void> => {
    const { held, dead } = settings
    const crowded = [...workers.values()].flatMap(({ id: destinationId, lanes }) =>
      lanes.filter(({ rows }) => rows.waiting > held.maxRows).map(({ lane }) => ({ destinationId, lane })),
    )
    const before = clock() - Math.max(held.maxAgeMs, settings.retry.maxElapsedMs)
    const old = await reader.positionsBefore(clock() - held.maxLogAgeMs)
    const ends = new Map(old.map(({ partition, offset }) => [partition, offset]))
    for (const worker of workers.values())
      for (const { spilled } of worker.lanes)
        for (const range of spilled.all()) if (range.cursor < (ends.get(range.partition) ?? 0)) range.dead ??= limit
    const died = [
      ...(await parking.enforceLimits({ before, maxRows: held.maxRows, crowded })),
      ...(await parking.deadLetterBelow(old.filter(({ offset }) => offset > 0))),
    ]
    for (const { id, destinationId } of died) workers.get(destinationId)?.keyOrder.lost([id])
    const events = died.reduce((sum, row) => sum + row.events, 0)
    if (events > 0) {
      metrics.count('delivery_events_dead', events, { reason: 'limit' })
      logger.warn({ events }, 'parked deliveries exceeded their limits and were dead-lettered')
    }
    await parking.purgeDeadLetters({ before: clock() - dead.maxAgeMs, maxRows: dead.maxRows })
  }

  return {
    due: () => !running && clock() - last >= settings.maintenanceMs,
    refresh,
    run: async () => {
      running = true
      try {
        await enforce()
        await deps.reportDeadLetters()
        await refresh()
      } catch (error) {
        last = clock()
        logger.warn({ err: error }, 'maintenance of parked deliveries failed; trying again')
      } finally {
        running = false
      }
      const waiting = [...workers.values()]
        .flatMap(({ lanes }) => lanes)
        .reduce((sum, { spilled, rows }) => sum + spilled.events() + rows.waiting, 0)
      metrics.gauge('delivery_waiting', waiting)
    },
  }
}
