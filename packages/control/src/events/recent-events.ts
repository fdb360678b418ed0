import { type StoredEventRow, storedEventColumns } from '@tributary/replays'
import type { EventStore } from '@tributary/storage'

/** The events to read: those of these sources. An empty list of types or an empty name does not restrict them. */
export type RecentFilter = {
  workspaceId: string
  sourceIds: readonly string[]
  types: readonly string[]
  event: string
}

export type RecentRow = StoredEventRow & { source_id: string }

const hour = 3_600_000
/**
 * The periods that are searched one after the other. The last hour is usually enough, and only a small part of a large
 * table.
 */
const spans = [hour, 24 * hour, 30 * 24 * hour]

/** Reads the newest accepted events of the last 30 days, newest first, at most `limit` events. */
export const readRecentEvents = async (
  eventStore: EventStore,
  filter: RecentFilter,
  limit: number,
  options: { now: number; signal: AbortSignal },
): Promise<RecentRow[]> => {
  if (filter.sourceIds.length === 0) return []
  const within = `workspace_id = {workspace:String} and source_id in {sources:Array(String)}
    and receive_time >= fromUnixTimestamp64Milli({since:Int64}) and status = 'accepted'
    ${filter.types.length === 0 ? '' : 'and type in {types:Array(String)}'}
    ${filter.event === '' ? '' : 'and event = {event:String}'}`
  // The inner query reads only times and IDs. The texts, which may be large, are read for the selected events only.
  const statement = `select source_id, ${storedEventColumns} from events
    where ${within} and (receive_time, event_id) in (
      select receive_time, event_id from events where ${within}
      order by receive_time desc, event_id desc limit {limit:UInt32})
    order by receive_time desc, event_id desc`
  const read = (span: number): Promise<RecentRow[]> =>
    eventStore.query<RecentRow>(
      statement,
      {
        workspace: filter.workspaceId,
        sources: filter.sourceIds,
        since: options.now - span,
        limit,
        ...(filter.types.length === 0 ? {} : { types: filter.types }),
        ...(filter.event === '' ? {} : { event: filter.event }),
      },
      { owner: filter.workspaceId, slot: 'short', signal: options.signal },
    )
  let rows: RecentRow[] = []
  for (const span of spans) {
    rows = await read(span)
    if (rows.length >= limit) break
  }
  return rows
}
