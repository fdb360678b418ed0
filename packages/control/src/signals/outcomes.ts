import type { ConversionStatus } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'

/** The outcome of a conversion at a destination, from the delivery log. */
export type OutcomeAt = { status: Exclude<ConversionStatus, 'not_sent'>; reason: string }

const statusOf: Readonly<Record<string, OutcomeAt['status']>> = {
  delivered: 'delivered',
  dead: 'failed',
  filtered: 'filtered',
}

/**
 * Reads the outcomes of conversions, by destination and event ID. A conversion without an outcome has not been tried
 * yet.
 */
export const readOutcomesOf = async (
  eventStore: Pick<EventStore, 'query'>,
  workspaceId: string,
  { destinations, ids, since }: { destinations: readonly string[]; ids: readonly string[]; since: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OutcomeAt>> => {
  if (ids.length === 0 || destinations.length === 0) return new Map()
  const rows = await eventStore.query<{ destination_id: string; event_id: string; last: string; why: string }>(
    `select destination_id, event_id, argMax(status, (time, attempt)) as last, argMax(reason, (time, attempt)) as why
     from deliveries
     where workspace_id = {workspace:String} and destination_id in {destinations:Array(String)}
       and time >= fromUnixTimestamp64Milli({since:Int64}) and event_id in {ids:Array(String)}
     group by destination_id, event_id`,
    { workspace: workspaceId, destinations, ids, since },
    { owner: workspaceId, slot: 'short', signal },
  )
  return new Map(
    rows.map(({ destination_id, event_id, last, why }) => {
      const status = statusOf[last] ?? 'pending'
      return [`${destination_id} ${event_id}`, { status, reason: status === 'delivered' ? '' : why }]
    }),
  )
}

type CountedRow = {
  destination_id: string
  last: string
  why: string
  conversions: number
  by_day: [string[], number[]]
}

/**
 * The number of conversions with one outcome and reason at a destination. `days` has them by the UTC day (`YYYY-MM-DD`)
 * of their first attempt.
 */
export type OutcomeCount = {
  destination: string
  status: OutcomeAt['status']
  reason: string
  count: number
  days: ReadonlyMap<string, number>
}

/** Counts the conversions of a signal that were sent in a period, by destination, outcome, and reason. */
export const countOutcomes = async (
  eventStore: Pick<EventStore, 'query'>,
  workspaceId: string,
  { signalId, destinations, from, to }: { signalId: string; destinations: readonly string[]; from: number; to: number },
  signal: AbortSignal,
): Promise<OutcomeCount[]> => {
  if (destinations.length === 0) return []
  const rows = await eventStore.query<CountedRow>(
    `select destination_id, last, if(last in ('dead', 'filtered'), why, '') as why, count() as conversions,
       sumMap([day], [toUInt64(1)]) as by_day from (
       select destination_id, toString(toDate(min(time))) as day, argMax(status, (time, attempt)) as last, argMax(reason, (time, attempt)) as why
       from deliveries
       where workspace_id = {workspace:String} and destination_id in {destinations:Array(String)}
         and time >= fromUnixTimestamp64Milli({from:Int64}) and time < fromUnixTimestamp64Milli({to:Int64})
         and producer = 'signal' and source_id = {signal:String}
       group by destination_id, event_id)
     group by destination_id, last, why order by conversions desc limit 1000`,
    { workspace: workspaceId, destinations, from, to, signal: signalId },
    { owner: workspaceId, slot: 'heavy', signal },
  )
  return rows.map(({ destination_id, last, why, conversions, by_day: [days, counts] }) => ({
    destination: destination_id,
    status: statusOf[last] ?? 'pending',
    reason: why,
    count: Number(conversions),
    days: new Map(days.map((day, index): [string, number] => [day, Number(counts[index] ?? 0)])),
  }))
}
