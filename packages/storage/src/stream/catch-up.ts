import { type EventStore, systemOwner } from '../event-store/port.ts'
import { partitionsOf } from '../log/spread.ts'
import type { AcceptedEvent, RequestPlace } from './accepted-events.ts'

/** Converts a row of the table `events` to the text that the stream has of the event. */
export type StoredForm = {
  /** Columns that `textOf` reads, including `event_id`. */
  columns: string
  /** Returns undefined for an event that was never in the stream. */
  textOf(row: never): string | undefined
}

/** Returns the maximum spread of each workspace that was ever in more than one partition. */
export type WidestSpreads = () => Promise<ReadonlyMap<string, number>>

/**
 * The condition that selects the events of one partition of a workspace in these partitions. Undefined if there is only
 * one, which has all events. An event of none of these partitions is from an earlier log, and belongs to the first one.
 */
const ofPartition = (partition: number, partitions: readonly number[]): string | undefined => {
  const others = partitions.slice(1)
  if (others.length === 0) return undefined
  const named = "toUInt32OrZero(splitByChar('-', event_id)[1])"
  return partition === partitions[0] ? `${named} not in (${others.join()})` : `${named} = ${partition}`
}

/** Accepted events of a partition: requests from `from` on (from the first one if it is undefined) to before `to`. */
export type StoredSpan = {
  partition: number
  partitions: number
  from: RequestPlace | undefined
  to: RequestPlace
}

/** A position in the reading of a span: the last event that was returned. */
export type StoredCursor = { workspaceId: string; eventId: string }

/** IDs per query: each query reads all IDs of a workspace within the span. */
const pageIds = 20_000
/** Maximum number of events in memory at a time. */
const chunkEvents = 5000
/** Maximum bytes of the texts of events in memory at a time. */
const chunkBytes = 4 * 1024 * 1024

type Id = { event_id: string; ms: number }
type Row = Id & { source_id: string }

/**
 * A position in the log that the engine can compare: the incarnation of the log, the offset, and the index of the
 * event.
 */
const place =
  "(splitByChar('-', event_id)[4], toUInt64OrZero(splitByChar('-', event_id)[2]), toUInt32OrZero(splitByChar('-', event_id)[3]))"
const bound = (name: string): string =>
  `({${name}_incarnation:String}, {${name}_offset:UInt64}, toUInt32({${name}_index:UInt32}))`
const valuesOfBound = (name: string, { incarnation, offset }: RequestPlace, index = 0): Record<string, unknown> => ({
  [`${name}_incarnation`]: incarnation,
  [`${name}_offset`]: offset,
  [`${name}_index`]: index,
})

const afterEvent = (eventId: string): Record<string, unknown> => {
  const [, offset, index, incarnation = ''] = eventId.split('-')
  return valuesOfBound('after', { incarnation, offset: Number(offset) }, Number(index))
}

const chunksOf = (ids: readonly (Id & { bytes: number })[]): Id[][] => {
  const chunks: Id[][] = []
  let bytes = 0
  for (const id of ids) {
    const chunk = chunks.at(-1)
    bytes += Number(id.bytes)
    if (chunk !== undefined && chunk.length < chunkEvents && bytes <= chunkBytes) chunk.push(id)
    else {
      chunks.push([id])
      bytes = Number(id.bytes)
    }
  }
  return chunks
}

/**
 * The accepted events of a span from the event store, workspace by workspace, in the order of the log, a few megabytes
 * at a time. The whole span must be stored. Rejects if the event store cannot be queried, or with the reason of the
 * signal.
 */
export const readStored = async function* (
  deps: { eventStore: Pick<EventStore, 'query'>; form: StoredForm; spreads?: WidestSpreads },
  span: StoredSpan,
  after: StoredCursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<AcceptedEvent[]> {
  const { eventStore, form } = deps
  const query = <T>(sql: string, params: Record<string, unknown>): Promise<T[]> =>
    eventStore.query<T>(sql, params, { owner: systemOwner, slot: 'heavy', signal })

  const known = await query<{ id: string }>('select distinct workspace_id as id from events', {})
  const spreads = (await deps.spreads?.()) ?? new Map<string, number>()
  const partitionsOfIt = (id: string): number[] => partitionsOf(id, spreads.get(id) ?? 1, span.partitions)
  const workspaces = known
    .map(({ id }) => id)
    .filter((id) => id >= (after?.workspaceId ?? '') && partitionsOfIt(id).includes(span.partition))
    .toSorted((a, b) => (a < b ? -1 : 1))
  const within = [`status = 'accepted'`, `${place} < ${bound('to')}`]
  if (span.from !== undefined) within.push(`${place} >= ${bound('from')}`)
  const limits = { ...valuesOfBound('to', span.to), ...(span.from && valuesOfBound('from', span.from)) }

  const chunk = async (workspaceId: string, ids: readonly Id[]): Promise<AcceptedEvent[]> => {
    const rows = await query<Row>(`select source_id, ${form.columns} ${the(ids)} order by ${place}`, {
      workspace: workspaceId,
      ...those(ids),
    })
    return rows.flatMap((row) => {
      // `form` lists the columns that it reads.
      const json = form.textOf(row as never)
      return json === undefined ? [] : [{ workspaceId, sourceId: row.source_id, eventId: row.event_id, json }]
    })
  }

  for (const workspaceId of workspaces) {
    let last = after?.workspaceId === workspaceId ? after.eventId : undefined
    for (;;) {
      const where = ['workspace_id = {workspace:String}', ...within]
      const own = ofPartition(span.partition, partitionsOfIt(workspaceId))
      if (own !== undefined) where.push(own)
      if (last !== undefined) where.push(`${place} > ${bound('after')}`)
      const ids: Id[] = await query<Id>(
        `select event_id, toUnixTimestamp64Milli(receive_time) as ms from events where ${where.join(' and ')}
         order by ${place} limit ${pageIds}`,
        { workspace: workspaceId, ...limits, ...(last === undefined ? {} : afterEvent(last)) },
      )
      last = ids.at(-1)?.event_id
      if (last === undefined) break
      const bytes = 'length(original) + length(context) + length(integrations)'
      const sized = await query<Id & { bytes: number }>(
        `select event_id, toUnixTimestamp64Milli(receive_time) as ms, ${bytes} as bytes ${the(ids)} order by ${place}`,
        { workspace: workspaceId, ...those(ids) },
      )
      for (const part of chunksOf(sized)) yield await chunk(workspaceId, part)
      if (ids.length < pageIds) break
    }
  }
}

/**
 * Returns the number of stored accepted events of a workspace in one of its partitions, and about how many of them
 * `readStored` has returned. These are the events received until the cursor `after`, or all of them.
 */
export const countStored = async (
  eventStore: Pick<EventStore, 'query'>,
  workspaceId: string,
  of: { partition: number; partitions: readonly number[] },
  after: StoredCursor | undefined | 'all',
): Promise<{ read: number; total: number }> => {
  // Workspaces are read one after the other.
  const cursor = after === 'all' ? undefined : after
  const at = cursor?.workspaceId ?? ''
  const read =
    after === 'all' || workspaceId < at
      ? 'count()'
      : workspaceId > at
        ? '0'
        : `countIf(receive_time <= (select max(receive_time) from events
             where workspace_id = {workspace:String} and event_id = {event:String}))`
  const [row] = await eventStore.query<{ read: number; total: number }>(
    `select ${read} as read, count() as total from events where workspace_id = {workspace:String} and status = 'accepted'
       and ${ofPartition(of.partition, of.partitions) ?? 'true'}`,
    { workspace: workspaceId, event: cursor?.eventId ?? '' },
    { owner: workspaceId },
  )
  return { read: Number(row?.read ?? 0), total: Number(row?.total ?? 0) }
}

/** Selects the events with these IDs, using their time of receipt, by which the table is sorted. */
const the = (ids: readonly Id[]): string =>
  `from events where workspace_id = {workspace:String} and status = 'accepted'
   and receive_time between fromUnixTimestamp64Milli({first_ms:Int64}) and fromUnixTimestamp64Milli({last_ms:Int64})
   and event_id in {ids:Array(String)}${ids.length === 0 ? ' and 0' : ''}`

const those = (ids: readonly Id[]): Record<string, unknown> => {
  const times = ids.map(({ ms }) => Number(ms))
  return {
    ids: ids.map(({ event_id }) => event_id),
    first_ms: times.reduce((low, ms) => Math.min(low, ms), times[0] ?? 0),
    last_ms: times.reduce((high, ms) => Math.max(high, ms), 0),
  }
}
