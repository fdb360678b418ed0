import type { EventStore } from '@tributary/storage'

/** The data from which a list shows the name of an event. */
export type EventName = {
  event_id: string
  message_id: string
  type: string
  event: string
  user_id: string
  anonymous_id: string
  /** Epoch ms. */
  received_ms: number
}

/** Maximum number of IDs in one query, because every part of the event store compares its rows with each ID. */
const idsPerQuery = 1000

/**
 * Reads the names of events of a workspace, by event ID. Leaves out events that are not stored. The event store only
 * searches the given sources.
 */
export const readEventNames = async (
  eventStore: EventStore,
  workspaceId: string,
  sourceIds: readonly string[],
  eventIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, EventName>> => {
  const names = new Map<string, EventName>()
  for (let at = 0; at < eventIds.length; at += idsPerQuery) {
    const rows = await eventStore.query<EventName>(
      `select event_id, message_id, type, event, user_id, anonymous_id,
         toUnixTimestamp64Milli(receive_time) as received_ms
       from events
       where workspace_id = {workspace:String} and source_id in {sources:Array(String)}
         and event_id in {ids:Array(String)}`,
      { workspace: workspaceId, sources: sourceIds, ids: eventIds.slice(at, at + idsPerQuery) },
      { owner: workspaceId, slot: 'short', signal },
    )
    for (const row of rows) names.set(row.event_id, row)
  }
  return names
}

/**
 * Reads the names and profiles of events that audiences sent, by event ID. Only the delivery log contains these events.
 */
export const readAudienceEventNames = async (
  eventStore: EventStore,
  { workspaceId, destinationId }: { workspaceId: string; destinationId: string },
  eventIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Pick<EventName, 'message_id' | 'type' | 'event'> & { profile: string }>> => {
  if (eventIds.length === 0) return new Map()
  const rows = await eventStore.query<{
    event_id: string
    message_id: string
    type: string
    event: string
    profile: string
  }>(
    `select event_id, any(message_id) as message_id, any(event_type) as type, any(event) as event, any(key) as profile
     from deliveries where workspace_id = {workspace:String} and destination_id = {destination:String}
       and producer = 'audience' and event_id in {ids:Array(String)} group by event_id`,
    { workspace: workspaceId, destination: destinationId, ids: eventIds },
    { owner: workspaceId, slot: 'short', signal },
  )
  return new Map(rows.map((row) => [row.event_id, row]))
}
