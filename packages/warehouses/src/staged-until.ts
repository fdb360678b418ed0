import { sql } from 'kysely'
import type { Pace } from './pace.ts'
import type { WarehouseServices } from './services.ts'

/** Time in ms that delivery may need for an event that it has accepted, before it counts as waiting. */
const deliveryMs = 30_000

/**
 * Returns the time before which all received events are staged. A range of the log waits since its first event was
 * received. An event that failed waits since its first attempt, before which it waited for others.
 */
export const stagedUntil = async (
  { db, clock }: Pick<WarehouseServices, 'db' | 'clock'>,
  destinationId: string,
  { stageWaitMs }: Pick<Pace, 'stageWaitMs'>,
): Promise<Date> => {
  const now = clock() - deliveryMs
  const before = stageWaitMs + deliveryMs
  const found = await db
    .selectFrom('parked_deliveries')
    .select(
      sql<Date | null>`min(case when log_end is null then first_time - ${before} * interval '1 millisecond' else first_time end)`.as(
        'time',
      ),
    )
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return new Date(Math.min(now, found?.time?.getTime() ?? now))
}
