import { type EventStore, systemOwner } from '@tributary/storage'
import type { AcceptedStatus } from '../event-types.ts'

/**
 * The common facts of some records of one partition: their offsets (`from` to before `to`), times of receipt and
 * owners.
 */
export type RecordSpan = {
  readonly partition: number
  readonly from: number
  readonly to: number
  readonly workspaceIds: readonly string[]
  readonly sourceIds: readonly string[]
  /** Epoch ms. */
  readonly firstTime: number
  readonly lastTime: number
}

/** Returns the statuses of the stored events of these records, by event ID. Events that are not stored are absent. */
export type StoredStatuses = (span: RecordSpan) => Promise<ReadonlyMap<string, AcceptedStatus>>

/**
 * Queries the event store for events whose insert may have finished before the last run ended. The sources limit what
 * is read. With the times of receipt they exclude events of an earlier log with the same places.
 */
export const createStoredStatuses =
  (eventStore: Pick<EventStore, 'query'>): StoredStatuses =>
  async ({ partition, from, to, workspaceIds, sourceIds, firstTime, lastTime }) => {
    const rows = await eventStore.query<{ event_id: string; status: AcceptedStatus }>(
      `select event_id, status from events
       where workspace_id in {workspaces:Array(String)} and source_id in {sources:Array(String)}
         and receive_time between fromUnixTimestamp64Milli({first:Int64}) and fromUnixTimestamp64Milli({last:Int64})
         and status in ('accepted', 'blocked', 'held') and startsWith(event_id, {partition:String})
         and toUInt64OrZero(splitByChar('-', event_id)[2]) >= {from:UInt64}
         and toUInt64OrZero(splitByChar('-', event_id)[2]) < {to:UInt64}`,
      {
        workspaces: workspaceIds,
        sources: sourceIds,
        first: firstTime,
        last: lastTime,
        partition: `${partition}-`,
        from,
        to,
      },
      { owner: systemOwner, slot: 'heavy' },
    )
    return new Map(rows.map(({ event_id, status }) => [event_id, status]))
  }
