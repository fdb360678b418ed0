import type { EventStore } from '@tributary/storage'
import type { ReplayServices } from '../services.ts'
import type { BlockedRow } from './blocked-event.ts'

/** The filter for blocked or held events: all of a source, or only those with one name. */
export type BlockedFilter = {
  workspaceId: string
  sourceId: string
  event: string | undefined
  status?: 'blocked' | 'held'
  /** Only events received since this time, epoch ms. */
  from?: number
}

/** Maximum number of event positions that are read at once. */
const pageSize = 1000
/** Maximum number of bytes of the texts that are read at once. */
const chunkBytes = 4 * 1024 * 1024

type Place = { event_id: string; receive_ms: number; bytes: number }

const paramsOf = ({
  workspaceId,
  sourceId,
  event,
  status = 'blocked',
  from = 0,
}: BlockedFilter): Record<string, unknown> => ({
  workspace: workspaceId,
  status,
  since: from,
  source: sourceId,
  ...(event === undefined ? {} : { event }),
})

const ofSource = 'workspace_id = {workspace:String} and source_id = {source:String}'

/** Returns the condition for blocked events that were not sent again. */
const waiting = ({ event }: BlockedFilter): string =>
  `${ofSource} and status = {status:String}
   and receive_time >= fromUnixTimestamp64Milli({since:Int64})${event === undefined ? '' : ' and event = {event:String}'}
   and event_id not in (select event_id from replayed_events where ${ofSource})`

/** Counts the blocked events that were not sent again. */
export const countBlocked = async (
  eventStore: EventStore,
  filter: BlockedFilter,
  signal: AbortSignal,
): Promise<number> => {
  const [row] = await eventStore.query<{ n: number }>(
    `select count() as n from events where ${waiting(filter)}`,
    paramsOf(filter),
    { owner: filter.workspaceId, slot: 'heavy', signal },
  )
  return Number(row?.n ?? 0)
}

/** Splits events that are stored next to each other into chunks of at most `chunkBytes` (or of one event). */
const chunksOf = (places: readonly Place[]): Place[][] => {
  const chunks: Place[][] = []
  let bytes = chunkBytes
  for (const place of places) {
    if (bytes + place.bytes > chunkBytes) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(place)
    bytes += place.bytes
  }
  return chunks
}

/**
 * Some blocked events, and the time when they were read. Deletions of their users after that time are not considered in
 * the rows.
 */
export type BlockedPart = { readonly rows: BlockedRow[]; readonly readAt: number }

/**
 * Reads the blocked events that were not sent again, oldest first, a few megabytes at a time. Positions are read first,
 * since a text may be as large as a request.
 */
export const readBlocked = async function* (
  { eventStore, clock }: Pick<ReplayServices, 'eventStore' | 'clock'>,
  filter: BlockedFilter,
  signal: AbortSignal,
): AsyncGenerator<BlockedPart> {
  const options = { owner: filter.workspaceId, slot: 'heavy', signal } as const
  let last: Place | undefined
  for (;;) {
    const params = { ...paramsOf(filter), limit: pageSize, after: last?.receive_ms, after_id: last?.event_id }
    const places: Place[] = await eventStore.query<Place>(
      `select event_id, toUnixTimestamp64Milli(receive_time) as receive_ms,
         length(original) + length(context) + length(integrations) as bytes
       from events where ${waiting(filter)}
       ${last === undefined ? '' : 'and (receive_time, event_id) > (fromUnixTimestamp64Milli({after:Int64}), {after_id:String})'}
       order by receive_time, event_id limit {limit:UInt32}`,
      params,
      options,
    )
    for (const chunk of chunksOf(places)) {
      const readAt = clock()
      const rows = await eventStore.query<BlockedRow>(
        `select event_id, message_id, type, event, original, context, integrations,
           toUnixTimestamp64Milli(timestamp) as timestamp_ms,
           toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms,
           toUnixTimestamp64Milli(sent_at) as sent_at_ms
         from events
         where ${ofSource} and status = {status:String} and event_id in {ids:Array(String)}
           and receive_time between fromUnixTimestamp64Milli({from:Int64}) and fromUnixTimestamp64Milli({to:Int64})
         order by receive_time, event_id`,
        {
          ...paramsOf(filter),
          ids: chunk.map(({ event_id }) => event_id),
          from: chunk[0]?.receive_ms,
          to: chunk.at(-1)?.receive_ms,
        },
        options,
      )
      yield { rows, readAt }
    }
    last = places.at(-1)
    if (places.length < pageSize) return
  }
}
