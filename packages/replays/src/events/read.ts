import { cursorEventId, cursorMs, type Page } from '@tributary/api-kit'
import { compatibilities, type EventSummary, resourceNames, type TimeBasis } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { z } from 'zod'
import { type EventFilter, eventConditions, spanOf } from './filter.ts'

/**
 * The cursor of a list that begins with the newest event. It has the time by which events are listed, in epoch ms, and
 * the event ID, which orders events with the same time.
 */
export const eventCursor = z.tuple([cursorMs, cursorEventId])
export type EventCursor = z.infer<typeof eventCursor>

export type EventRow = {
  event_id: string
  message_id: string
  type: string
  event: string
  source_id: string
  test: boolean
  status: string
  reason: string
  user_id: string
  anonymous_id: string
  compatibility: string
  schema_version: number
  receive_ms: number
  timestamp_ms: number
}

/** Columns of a row in a list. Times are epoch ms, which do not depend on drivers or time zones. */
export const eventColumns = `event_id, message_id, type, event, source_id, test, status, reason, user_id, anonymous_id,
  compatibility, schema_version,
  toUnixTimestamp64Milli(receive_time) as receive_ms, toUnixTimestamp64Milli(timestamp) as timestamp_ms`

/** SQL expressions for a time of an event. The event time is never later than the time of receipt. */
const moments: Readonly<Record<TimeBasis, string>> = {
  receive_time: 'receive_time',
  event_time: 'least(timestamp, receive_time)',
}

/** The SQL expression of the time by which events are listed. */
export const momentOf = (by: TimeBasis | undefined): string => moments[by ?? 'receive_time']

/** Returns the time of a row by which events are listed, epoch ms. */
export const momentMs = (row: Pick<EventRow, 'receive_ms' | 'timestamp_ms'>, by: TimeBasis | undefined): number =>
  by === 'event_time' ? Math.min(Number(row.timestamp_ms), Number(row.receive_ms)) : Number(row.receive_ms)

/** Returns the function that makes the cursor after the last event of a page. */
export const eventCursorOf =
  (by: TimeBasis | undefined) =>
  (row: EventRow): EventCursor => [momentMs(row, by), row.event_id]

const hour = 3_600_000
/**
 * Lengths of the periods that a list searches first, in ms. The last hour is a small part of a large table, and fills
 * most pages.
 */
const spans = [hour, 24 * hour]

/**
 * An additional condition. With `first`, a condition on a small column that few events meet, `where` is only read for
 * these events. All events are then searched in one query: such events are far apart, and searching the last hours
 * first would cost half as much again.
 */
export type EventsOf = { first?: string; where: string; params: Record<string, unknown> }

/**
 * Reads one page of a workspace's events, newest first, with one more row than the page if there are more. The
 * workspace is always a predicate. Throws 400 for filters that contradict each other.
 */
export const readEvents = async (
  eventStore: EventStore,
  workspaceId: string,
  filter: EventFilter,
  page: Page<EventCursor>,
  options: {
    now: number
    signal: AbortSignal
    of?: EventsOf
  },
): Promise<EventRow[]> => {
  const { where, late, params: values } = eventConditions(filter)
  const { start, end } = spanOf(filter)
  const moment = momentOf(filter.time_by)
  const { of } = options
  const few = of?.first
  const own = ['workspace_id = {workspace:String}', ...(few === undefined ? [] : [few])]
  const conditions = [...where, ...(of === undefined ? [] : [of.where])]
  const params: Record<string, unknown> = { ...values, ...of?.params, workspace: workspaceId }
  if (end !== undefined) {
    conditions.push(`${moment} < fromUnixTimestamp64Milli({end:Int64})`)
    params['end'] = end
  }
  if (page.after !== undefined) {
    conditions.push(`${moment} <= fromUnixTimestamp64Milli({after:Int64})`)
    conditions.push(`(${moment}, event_id) < (fromUnixTimestamp64Milli({after:Int64}), {after_id:String})`)
    params['after'] = page.after[0]
    params['after_id'] = page.after[1]
  }
  const newest = Math.min(page.after?.[0] ?? options.now, end ?? options.now)
  const found: EventRow[] = []
  /** Reads the rest of the page from events received since `from` and before those that were already read. */
  const look = async (from: number | undefined, before: number | undefined): Promise<void> => {
    const next = [
      ...conditions,
      ...(from === undefined ? [] : [`${moment} >= fromUnixTimestamp64Milli({since:Int64})`]),
      ...(before === undefined ? [] : [`${moment} < fromUnixTimestamp64Milli({before:Int64})`]),
    ]
    // Early conditions are checked before all others. Without `first` and late conditions, the engine chooses the
    // order.
    const [early, rest] =
      few !== undefined
        ? [own, [...next, ...late]]
        : late.length > 0
          ? [[...own, ...next], late]
          : [[], [...own, ...next]]
    const rows = await eventStore.query<EventRow>(
      `select ${eventColumns} from events
       ${early.length === 0 ? '' : `prewhere ${early.join(' and ')} `}where ${rest.join(' and ')}
       order by ${moment} desc, event_id desc limit {limit:UInt32}`,
      {
        ...params,
        limit: page.size + 1 - found.length,
        ...(from === undefined ? {} : { since: from }),
        ...(before === undefined ? {} : { before }),
      },
      { owner: workspaceId, slot: 'short', signal: options.signal },
    )
    found.push(...rows)
  }
  let before: number | undefined
  for (const span of few === undefined ? spans : []) {
    const from = newest - span
    if (start !== undefined && from <= start) break
    await look(from, before)
    if (found.length > page.size) return found
    before = from
  }
  await look(start, before)
  return found
}

/** Returns a time of the event store in the form of the API. */
export const wireTime = (ms: number): string => new Date(Number(ms)).toISOString()

/** Returns the JSON object in a text, or null; `parse` parses the text. */
export const payloadOf = (
  original: string,
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> | null => {
  try {
    const value = parse(original)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** Returns a row of a list in the form of the API. */
export const presentEvent = (workspaceId: string, row: EventRow): EventSummary => ({
  name: resourceNames.event.format({ workspace: workspaceId, event: row.event_id }),
  event_id: row.event_id,
  message_id: row.message_id,
  type: row.type,
  title: row.event === '' ? row.type : row.event,
  source: resourceNames.source.format({ workspace: workspaceId, source: row.source_id }),
  test: row.test,
  status: row.status,
  reason: row.reason,
  user_id: row.user_id,
  anonymous_id: row.anonymous_id,
  compatibility: compatibilities.find((each) => each === row.compatibility) ?? '',
  schema_version: row.schema_version,
  receive_time: wireTime(row.receive_ms),
  timestamp: wireTime(row.timestamp_ms),
})
