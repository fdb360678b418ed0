import { type ProfileEvent, resourceNames } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'

type OutcomeRow = { event_id: string; destination_id: string; status: string; time_ms: number; attempt: number }

/**
 * Reads the outcome of each event at each destination, from its last attempt. Returns outcomes by event, sorted by
 * destination ID.
 */
export const readOutcomes = async (
  eventStore: Pick<EventStore, 'query'>,
  workspaceId: string,
  events: readonly { event_id: string; receive_ms: number }[],
  signal: AbortSignal,
): Promise<Map<string, ProfileEvent['outcomes']>> => {
  if (events.length === 0) return new Map()
  const rows = await eventStore.query<OutcomeRow>(
    `select event_id, destination_id, last.1 as status, toUnixTimestamp64Milli(last.2) as time_ms, last.3 as attempt
     from (select event_id, destination_id, argMax((status, time, attempt), (time, attempt)) as last
     from deliveries
     where workspace_id = {workspace:String} and event_id in {events:Array(String)} and producer = ''
       and time >= fromUnixTimestamp64Milli({since:Int64})
     group by event_id, destination_id) order by destination_id`,
    {
      workspace: workspaceId,
      events: events.map(({ event_id }) => event_id),
      // No event is delivered before it is received, so older rows need not be searched.
      since: Math.min(...events.map(({ receive_ms }) => Number(receive_ms))),
    },
    { owner: workspaceId, slot: 'short', signal },
  )
  const presented = rows.map((row) => ({
    event: row.event_id,
    outcome: {
      destination: resourceNames.destination.format({ workspace: workspaceId, destination: row.destination_id }),
      status: row.status,
      time: new Date(Number(row.time_ms)).toISOString(),
      attempt: Number(row.attempt),
    },
  }))
  return new Map(
    [...Map.groupBy(presented, ({ event }) => event)].map(([event, list]) => [
      event,
      list.map(({ outcome }) => outcome),
    ]),
  )
}
