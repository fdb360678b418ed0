import type { WorkerContext } from '../ports.ts'
import type { KeyOrder } from '../worker/key-order.ts'
import type { WorkerRows } from './retry-queue.ts'

/** Makes dead letters of all that waits for a deleted destination. */
export type DeadLettering = {
  /** Begins it, unless it is under way or nothing waits. A store that cannot be reached is asked again at the next call. */
  deadLetterAll(): void
  underWay(): boolean
}

/** Of one destination's rows, in all lanes. */
export const createDeadLettering = (
  id: string,
  rows: readonly WorkerRows[],
  { parking, metrics, logger }: Pick<WorkerContext, 'parking' | 'metrics' | 'logger'>,
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
            'Parked deliveries of a deleted destination cannot be closed yet',
          )
        },
      )
    },
    underWay: () => running,
  }
}
