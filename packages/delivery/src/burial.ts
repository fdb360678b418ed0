import type { LaneContext } from './ports.ts'
import type { LaneRows } from './retry-queue.ts'

/** Makes dead letters of all that waits for a deleted destination. */
export type Burial = {
  /** Begins it, unless it is under way or nothing waits. A store that cannot be reached is asked again at the next call. */
  bury(): void
  underWay(): boolean
}

/** Of one destination's rows. */
export const createBurial = (
  id: string,
  rows: LaneRows,
  { parking, metrics, logger }: Pick<LaneContext, 'parking' | 'metrics' | 'logger'>,
): Burial => {
  let burying = false
  return {
    bury: () => {
      if (burying || (rows.waiting === 0 && !Number.isFinite(rows.nextDue))) return
      burying = true
      parking.bury(id, 'The destination was deleted').then(
        (events) => {
          rows.waiting = 0
          rows.nextDue = Number.POSITIVE_INFINITY
          burying = false
          metrics.count('delivery_events_dead', events, { reason: 'deleted' })
        },
        (error: unknown) => {
          burying = false
          logger.warn(
            { err: error, destination: id },
            'Parked deliveries of a deleted destination cannot be closed yet',
          )
        },
      )
    },
    underWay: () => burying,
  }
}
