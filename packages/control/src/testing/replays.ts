import { newId } from '@tributary/kernel'
import type { Harness } from './control-harness.ts'

/** Returns a stored event of a workspace and source. `more` sets its name and content. */
export const storedRow = (
  workspaceId: string,
  sourceId: string,
  id: string,
  receiveTime: number,
  more: Record<string, unknown> = {},
): object => ({
  workspace_id: workspaceId,
  source_id: sourceId,
  event_id: id,
  message_id: `m-${id}`,
  type: 'track',
  event: 'Order Completed',
  user_id: 'u1',
  status: 'accepted',
  receive_time: receiveTime,
  timestamp: receiveTime,
  context: '{}',
  original: JSON.stringify({ event: 'Order Completed', userId: 'u1', properties: { total: 5 } }),
  ...more,
})

/** Inserts rows into a table of the event store. */
export const insertRows = (harness: Harness, table: string, rows: readonly object[]): Promise<void> =>
  harness.eventStore.insert(table, rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })

/** Inserts a dead letter of a destination. */
export const deadLetter = (
  harness: Harness,
  ids: { workspaceId: string; sourceId: string; destinationId: string },
  offset: number,
  more: {
    events?: number
    /** The indexes of the dead letter's events in the record, and the IDs of these events. */
    indexes?: number[]
    ids?: string[]
    end?: number
    time?: number
    reason?: string
    state?: 'dead' | 'waiting'
  } = {},
): Promise<unknown> =>
  harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: ids.workspaceId,
      source_id: ids.sourceId,
      destination_id: ids.destinationId,
      log_partition: 0,
      log_offset: offset,
      log_end: more.end ?? null,
      event_indexes:
        more.indexes ?? (more.end === undefined ? Array.from({ length: more.events ?? 1 }, (_, index) => index) : []),
      event_ids: more.ids ?? [],
      event_count: more.indexes?.length ?? more.events ?? 1,
      bytes: 100,
      state: more.state ?? 'dead',
      attempts: 3,
      first_time: new Date(more.time ?? harness.now() - 60_000),
      next_time: new Date(harness.now()),
      last_reason: more.reason ?? 'HTTP 400',
    })
    .execute()
