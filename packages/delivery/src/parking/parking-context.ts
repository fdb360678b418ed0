import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { EventStore, LogReader } from '@tributary/storage'
import type { AttemptLog } from '../log/attempts.ts'
import type { DeliverySettings } from '../settings.ts'
import type { Parking } from './parking.ts'

/** Dependencies that everything parked shares, whatever its destination. */
export type ParkingContext = {
  reader: LogReader
  /** Partitions that this delivery owns: it reads, sends, and looks up nothing of others. */
  owned: ReadonlySet<number>
  /** Whether the log was read through an offset: everything up to there was offered. */
  isRead(partition: number, offset: number): boolean
  attempts: AttemptLog
  /** Has earlier deliveries, for look-ups. */
  eventStore: Pick<EventStore, 'query'>
  parking: Parking
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: DeliverySettings
}

/** What a destination takes of its parked deliveries: all, one at a time, or none. */
export type Intake = 'flowing' | 'probing' | 'stopped'
