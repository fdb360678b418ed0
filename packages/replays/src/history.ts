import { type EventConditions, replayLimits, type TimeBasis } from '@tributary/contract'
import type { RecordPlace, WorkShare } from '@tributary/kernel'
import type { EventStore, QueryOptions } from '@tributary/storage'
import { momentMs, momentOf } from './events/read.ts'
import { eventOf, type StoredEventRow, storedEventColumns, storedEventText } from './events/stored-event.ts'
import { createFilterWork, type FilterWork } from './filter-work.ts'
import { prefilter } from './prefilter.ts'
import { refuseScope } from './scope.ts'

/**
 * Which accepted events a replay of history is about. Times are epoch ms: received at `from` or after, before `to`; and, where
 * `happened` is given, of which that is true of the time of the event.
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
  /** The places in the log that they lie before, of several partitions; none for no bound. */
  storedBefore: readonly RecordPlace[]
}

/** The last event that was read: its receive time (epoch ms) and its ID. */
export type HistoryCursor = { ms: number; id: string }

/** An event to be sent as JSON text, the source it came from, and the time by which it was chosen (epoch ms). */
export type HistoryEvent = { sourceId: string; eventId: string; chosenMs: number; json: string }

/** Events that are to be sent together, in their order, and where the next ones begin. */
export type HistoryBatch = { events: readonly HistoryEvent[]; after: HistoryCursor }

type Key = { event_id: string; receive_ms: number }
type Place = Key & { bytes: number }
type Row = StoredEventRow & { source_id: string }

/**
 * How many places of events are read at once; how many events, and bytes of their texts. The event store reads 8192 rows for each event
 * that it is asked for: few large chunks cost far less than many small ones.
 */
const pageKeys = 5000
const chunkEvents = 5000
const chunkBytes = 4 * 1024 * 1024
/** The first period that is read, ms; after one with too few events comes a longer one. */
const firstSpan = 10_000

const between = `receive_time >= fromUnixTimestamp64Milli({from:Int64}) and receive_time < fromUnixTimestamp64Milli({to:Int64})`

/** The condition that all events of a scope meet, as far as the event store can check it. */
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
    // What came under another partition is from a log of other times: nothing joins it any more. (`isEarlier`)
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

/** The keys of the candidates behind a cursor, in their order, a page at a time. */
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

/** Columns of the given events, in their order. */
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
 * The events of a scope behind a cursor, oldest first, at most `size` at a time and a few megabytes in memory. Their places are read
 * first, since a text may be as large as a request. A batch may be empty where none of many events met the conditions. It ends
 * early where these took the workspace's share of the thread: ask for the next one when it is the workspace's turn. Throws 400
 * where the conditions go through too much of an event. Previews and replays both read events here.
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
  /** Epoch ms, by the time that the scope goes by; null when there is none. */
  first: number | null
  last: number | null
  /** Ids of the newest, newest first. */
  newest: string[]
}

/**
 * How many events a replay of this scope sends. Without conditions the event store counts. Conditions are checked for each event, in
 * turns of the workspace. Throws 400 for more than `conditionEvents` events, and 429 when too much of the workspace waits.
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
      // Within the last second first would be cheaper; a second scan of two narrow columns is cheap enough.
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

/** Rows of given events of a scope, newest first. */
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
 * The times of a scope: of receipt, or of the events. An event is received after it happened, however late: the time of receipt has
 * no end then but `now`.
 */
export const historyTimes = (
  by: TimeBasis,
  { from, to, now }: { from: number; to: number; now: number },
): Pick<HistoryScope, 'from' | 'to' | 'happened'> =>
  by === 'receive_time' ? { from, to } : { from, to: Math.max(to, now), happened: { from, to } }
