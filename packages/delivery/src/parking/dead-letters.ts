import type { KeyOrder } from './key-order.ts'
import type { ParkingContext } from './parking-context.ts'
import type { WorkerRows } from './retry-queue.ts'

/** Dead-letters all waiting deliveries of a deleted destination. */
export type DeadLettering = {
  /**
   * Starts dead-lettering, unless it is running or nothing waits. If the database cannot be reached, the next call
   * tries again.
   */
  deadLetterAll(): void
  underWay(): boolean
}

/** Dead-letters the rows of one destination, in all lanes. */
export const createDeadLettering = (
  id: string,
  rows: readonly WorkerRows[],
  { parking, metrics, logger }: Pick<ParkingContext, 'parking' | 'metrics' | 'logger'>,
  order: Pick<KeyOrder, 'forget'>,
): DeadLettering => {
  let running = false
  return {
    deadLetterAll: () => {
      if (running || rows.every(({ waiting, nextDue }) => waiting === 0 && !Number.isFinite(nextDue))) return
      running = true
      parking.deadLetterAll(id, 'The destination was deleted').then(
        (events) => {
          order.forget()
          for (const each of rows) Object.assign(each, { waiting: 0, nextDue: Number.POSITIVE_INFINITY })
          running = false
          metrics.count('delivery_events_dead', events, { reason: 'deleted' })
        },
        (error: unknown) => {
          running = false
          logger.warn(
            { err: error, destination: id },
            'parked deliveries of a deleted destination cannot be dead-lettered; trying again',
          )
        },
      )
    },
    underWay: () => running,
  }
}
