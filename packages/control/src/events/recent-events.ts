import { type StoredEventRow, storedEventColumns } from '@tributary/replays'
import type { EventStore } from '@tributary/storage'

/** Which events are looked for: of these sources; of these types and of this name, where they are given. */
export type RecentFilter = {
  workspaceId: string
  sourceIds: readonly string[]
  types: readonly string[]
  event: string
}

export type RecentRow = StoredEventRow & { source_id: string }

const hour = 3_600_000
/**
 * The periods to search, one after the other. The last hour is usually enough, and is a small part of a large table.
 */
const spans = [hour, 24 * hour, 30 * 24 * hour]

/** The newest accepted events of the last 30 days, newest first; as many as `limit`. */
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
  // Positions first: texts may be large, so only those of the chosen events are read.
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
