import { type EventConditions, replayLimits, type TimeBasis } from '@tributary/contract'
import type { RecordPlace, WorkShare } from '@tributary/kernel'
import type { EventStore, QueryOptions } from '@tributary/storage'
import { momentMs, momentOf } from './events/read.ts'
import { eventOf, type StoredEventRow, storedEventColumns, storedEventText } from './events/stored-event.ts'
import { createFilterWork, type FilterWork } from './filter-work.ts'
import { prefilter } from './prefilter.ts'
import { refuseScope } from './scope.ts'

/**
 * The accepted events that a replay of history includes. Times are epoch ms. Events were received from `from` on and
 * before `to`. If `happened` is given, it applies to the time of the event.
 */
export type HistoryScope = {
  workspaceId: string
  sourceId: string | undefined
  from: number
  to: number
  happened?: { from: number; to: number } | undefined
  event: string | undefined
  eventType: string | undefined
  filter: EventConditions
  /** Log positions in several partitions; only events before them are included. Empty for no limit. */
  storedBefore: readonly RecordPlace[]
}

/** The last event that was read: its time of receipt (epoch ms) and its ID. */
export type HistoryCursor = { ms: number; id: string }

/** An event to send as JSON text, its source, and the time by which it was selected (epoch ms). */
export type HistoryEvent = { sourceId: string; eventId: string; chosenMs: number; json: string }

/** Events to send together, in their order, and the cursor of the next batch. */
export type HistoryBatch = { events: readonly HistoryEvent[]; after: HistoryCursor }

type Key = { event_id: string; receive_ms: number }
type Place = Key & { bytes: number }
type Row = StoredEventRow & { source_id: string }

/** Maximum number of event positions that are read at once. */
const pageKeys = 5000
/**
 * Maximum number of events whose texts are read at once. The event store reads 8192 rows for each requested event, so
 * few large chunks cost far less than many small ones.
 */
const chunkEvents = 5000
/** Maximum number of bytes of the texts that are read at once. */
const chunkBytes = 4 * 1024 * 1024
/** Length of the first period that is read, ms. If it has too few events, the next period is longer. */
const firstSpan = 10_000

const between = `receive_time >= fromUnixTimestamp64Milli({from:Int64}) and receive_time < fromUnixTimestamp64Milli({to:Int64})`

/** Returns the conditions of a scope that the event store can check. All events of the scope meet them. */
const candidates = (scope: HistoryScope): { where: string; params: Record<string, unknown> } => {
  const where = ['workspace_id = {workspace:String}', "status = 'accepted'", between]
  const params: Record<string, unknown> = { workspace: scope.workspaceId, from: scope.from, to: scope.to }
  const add = (condition: string, name: string, value: string | undefined): void => {
    if (value === undefined) return
    where.push(condition)
    params[name] = value
  }
  add('source_id = {source:String}', 'source', scope.sourceId)
  add('event = {event:String}', 'event', scope.event)
  add('type = {type:String}', 'type', scope.eventType)
  for (const [at, { partition, offset, incarnation }] of scope.storedBefore.entries()) {
    // An event of another partition comes from an earlier log, which no longer receives events (see `isEarlier`).
    where.push(
      `(not startsWith(event_id, {partition${at}:String}) or (splitByChar('-', event_id)[4],
        toUInt64OrZero(splitByChar('-', event_id)[2])) < ({incarnation${at}:String}, {offset${at}:UInt64}))`,
    )
    Object.assign(params, {
      [`partition${at}`]: `${partition}-`,
      [`incarnation${at}`]: incarnation,
      [`offset${at}`]: offset,
    })
  }
  if (scope.happened !== undefined) {
    const moment = momentOf('event_time')
    where.push(`${moment} >= fromUnixTimestamp64Milli({happened_from:Int64})`)
    where.push(`${moment} < fromUnixTimestamp64Milli({happened_to:Int64})`)
    Object.assign(params, { happened_from: scope.happened.from, happened_to: scope.happened.to })
  }
  const filtered = prefilter(scope.filter)
  if (filtered !== undefined) where.push(filtered.where)
  return { where: where.join(' and '), params: { ...params, ...filtered?.params } }
}

const basisOf = ({ happened }: HistoryScope): TimeBasis => (happened === undefined ? 'receive_time' : 'event_time')

const heavy = ({ workspaceId }: HistoryScope, signal: AbortSignal | undefined): QueryOptions => ({
  owner: workspaceId,
  slot: 'heavy',
  ...(signal === undefined ? {} : { signal }),
})

/** Reads the keys of the candidates after a cursor, in their order, page by page. */
const readKeys = async function* (
  eventStore: EventStore,
  scope: HistoryScope,
  after: HistoryCursor | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Key[]> {
  const { where, params } = candidates(scope)
  let from = Math.max(scope.from, after?.ms ?? scope.from)
  let last = after
  let span = firstSpan
  while (from < scope.to) {
    const to = Math.min(scope.to, from + span)
    const keys = await eventStore.query<Key>(
      `select event_id, toUnixTimestamp64Milli(receive_time) as receive_ms from events where ${where}
       ${last === undefined ? '' : 'and (receive_time, event_id) > (fromUnixTimestamp64Milli({after:Int64}), {after_id:String})'}
       order by receive_time, event_id limit {limit:UInt32}`,
      { ...params, from, to, limit: pageKeys, ...(last === undefined ? {} : { after: last.ms, after_id: last.id }) },
      heavy(scope, signal),
    )
    if (keys.length > 0) yield keys
    const end = keys.at(-1)
    if (keys.length < pageKeys || end === undefined) {
      from = to
      span *= 4
    } else {
      const reached = Number(end.receive_ms)
      span = Math.max(firstSpan, 2 * (reached - from))
      from = reached
      last = { ms: reached, id: end.event_id }
    }
  }
}

const chunksOf = (places: readonly Place[]): Place[][] => {
  const chunks: Place[][] = []
  let bytes = 0
  for (const place of places) {
    const chunk = chunks.at(-1)
    const more = Number(place.bytes)
    if (chunk === undefined || chunk.length >= chunkEvents || bytes + more > chunkBytes) {
      chunks.push([place])
      bytes = more
    } else {
      chunk.push(place)
      bytes += more
    }
  }
  return chunks
}

/** Reads columns of the given events, in their order. */
const readRows = <T>(
  eventStore: EventStore,
  scope: HistoryScope,
  keys: readonly Key[],
  columns: string,
  signal: AbortSignal | undefined,
): Promise<T[]> => {
  const { where, params } = candidates(scope)
  return eventStore.query<T>(
    `select ${columns} from events where ${where} and event_id in {ids:Array(String)} order by receive_time, event_id`,
    {
      ...params,
      ids: keys.map(({ event_id }) => event_id),
      from: Number(keys[0]?.receive_ms),
      to: Number(keys.at(-1)?.receive_ms) + 1,
    },
    heavy(scope, signal),
  )
}

/**
 * Reads the events of a scope after a cursor, oldest first, at most `size` at a time and a few megabytes in memory.
 * Positions are read first, since a text may be as large as a request. A batch may be empty if many events did not meet
 * the conditions. A batch ends early if the evaluation has used up the workspace's share of the thread. Then the caller
 * must wait for the workspace's turn before the next batch. Throws 400 if a condition needs too much work for an event.
 * Both previews and replays read events here.
 */
export const readHistory = async function* (
  eventStore: EventStore,
  scope: HistoryScope,
  options: { work: FilterWork; after: HistoryCursor | undefined; size: number; signal?: AbortSignal },
): AsyncGenerator<HistoryBatch> {
  const { work, after, size, signal } = options
  const hasConditions = scope.filter.conditions.length > 0
  for await (const keys of readKeys(eventStore, scope, after, signal)) {
    const bytes = 'length(original) + length(context) + length(integrations) as bytes'
    const columns = `event_id, toUnixTimestamp64Milli(receive_time) as receive_ms, ${bytes}`
    const places = await readRows<Place>(eventStore, scope, keys, columns, signal)
    for (const chunk of chunksOf(places)) {
      const rows = await readRows<Row>(eventStore, scope, chunk, `source_id, ${storedEventColumns}`, signal)
      let events: HistoryEvent[] = []
      for (const row of rows) {
        const json = storedEventText(row)
        if (json === undefined) continue
        if (!hasConditions || work.meets(() => eventOf(json)))
          events.push({ sourceId: row.source_id, eventId: row.event_id, chosenMs: momentMs(row, basisOf(scope)), json })
        if (hasConditions) await work.rest()
        if (events.length < size && !(hasConditions && work.wait() > 0)) continue
        yield { events, after: { ms: Number(row.receive_ms), id: row.event_id } }
        events = []
      }
      const end = chunk.at(-1)
      if (end !== undefined) yield { events, after: { ms: Number(end.receive_ms), id: end.event_id } }
    }
  }
}

export type HistoryCount = {
  count: number
  /** Time of the first event in epoch ms, by the time that the scope selects by; null if there is no event. */
  first: number | null
  last: number | null
  /** IDs of the newest events, newest first. */
  newest: string[]
}

/**
 * Counts how many events a replay of this scope sends. Without conditions the event store counts. Otherwise the
 * conditions are checked for each event, in turns of the workspace. Throws 400 for more than `conditionEvents` events,
 * and 429 if too many calls of the workspace wait.
 */
export const countHistory = async (
  { eventStore, workShare }: { eventStore: EventStore; workShare: WorkShare },
  scope: HistoryScope,
  signal?: AbortSignal,
): Promise<HistoryCount> => {
  const { where, params } = candidates(scope)
  const [row] = await eventStore.query<{ n: number; first: number; last: number }>(
    `select count() as n, toUnixTimestamp64Milli(min(${momentOf(basisOf(scope))})) as first,
       toUnixTimestamp64Milli(max(${momentOf(basisOf(scope))})) as last from events where ${where}`,
    params,
    heavy(scope, signal),
  )
  const all = Number(row?.n ?? 0)
  if (all === 0 || row === undefined) return { count: 0, first: null, last: null, newest: [] }
  if (scope.filter.conditions.length === 0) {
    const rows = await eventStore.query<Key>(
      `select event_id from events where ${where} order by receive_time desc, event_id desc limit ${replayLimits.samples}`,
      // For periods within the last second, another order would be cheaper. But a second scan of two narrow columns
      // costs little.
      params,
      heavy(scope, signal),
    )
    const newest = rows.map(({ event_id }) => event_id)
    return { count: all, first: Number(row.first), last: Number(row.last), newest }
  }
  if (all > replayLimits.conditionEvents)
    throw refuseScope(
      'filter',
      `There are ${all.toLocaleString('en')} events in this period. Conditions can check at most ${replayLimits.conditionEvents.toLocaleString('en')} events. Choose a shorter period, a source, or an event name`,
    )
  let count = 0
  let first: number | null = null
  let last: number | null = null
  let newest: string[] = []
  const work = createFilterWork(workShare, scope.workspaceId, scope.filter)
  for await (const { events } of readHistory(eventStore, scope, {
    work,
    after: undefined,
    size: chunkEvents,
    ...(signal === undefined ? {} : { signal }),
  })) {
    await work.turn()
    signal?.throwIfAborted()
    const [head, tail] = [events[0], events.at(-1)]
    if (head === undefined || tail === undefined) continue
    count += events.length
    const times = events.map(({ chosenMs }) => chosenMs)
    first = Math.min(first ?? head.chosenMs, ...times)
    last = Math.max(last ?? tail.chosenMs, ...times)
    newest = [...newest, ...events.slice(-replayLimits.samples).map(({ eventId }) => eventId)].slice(
      -replayLimits.samples,
    )
  }
  return { count, first, last, newest: newest.toReversed() }
}

/** Reads rows of given events of a scope, newest first. */
export const readSamples = async <T>(
  eventStore: EventStore,
  scope: HistoryScope,
  { first, last, newest }: HistoryCount,
  columns: string,
  signal?: AbortSignal,
): Promise<T[]> => {
  if (first === null || last === null) return []
  const { where, params } = candidates(scope)
  return await eventStore.query<T>(
    `select ${columns} from events where ${where} and event_id in {ids:Array(String)}
     order by receive_time desc, event_id desc`,
    { ...params, ids: newest },
    heavy(scope, signal),
  )
}

/**
 * Returns the period of a scope, by time of receipt or by event time. An event may be received long after it happened.
 * So in the second case, the time of receipt is limited only by `now`.
 */
export const historyTimes = (
  by: TimeBasis,
  { from, to, now }: { from: number; to: number; now: number },
): Pick<HistoryScope, 'from' | 'to' | 'happened'> =>
  by === 'receive_time' ? { from, to } : { from, to: Math.max(to, now), happened: { from, to } }
