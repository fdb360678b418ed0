import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { EventStore, LogReader } from '@tributary/storage'
import type { AttemptLog } from '../log/attempts.ts'
import type { DeliverySettings } from '../settings.ts'
import type { Parking } from './parking.ts'

/** Dependencies for parked deliveries of all destinations. */
export type ParkingContext = {
  reader: LogReader
  /** Partitions that this delivery owns. It does not read, send, or look up deliveries of others. */
  owned: ReadonlySet<number>
  /** Whether the log was read up to and including an offset, so that every record before it was offered. */
  isRead(partition: number, offset: number): boolean
  attempts: AttemptLog
  /** Stores the delivery log, for look-ups of earlier deliveries. */
  eventStore: Pick<EventStore, 'query'>
  parking: Parking
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
}

/** Which of its parked deliveries a destination takes: all, one at a time, or none. */
export type Intake = 'flowing' | 'probing' | 'stopped'
