import { cursorEventId, cursorMs, type Page } from '@tributary/api-kit'
import { compatibilities, type EventSummary, resourceNames } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { z } from 'zod'
import { type EventFilter, eventConditions, spanOf } from './filter.ts'

/** Newest first: receive time in epoch ms, and the event's id between equal times. */
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

/** Columns of a list's row. Times are epoch ms, which neither drivers nor time zones change. */
export const eventColumns = `event_id, message_id, type, event, source_id, test, status, reason, user_id, anonymous_id,
  compatibility, schema_version,
  toUnixTimestamp64Milli(receive_time) as receive_ms, toUnixTimestamp64Milli(timestamp) as timestamp_ms`

const hour = 3_600_000
/** How far back a list looks first. Most pages are filled by the last hour, which is a small part of a large table. */
const spans = [hour, 24 * hour]

/**
 * A further condition. With `first`, on a small column, few events meet it: `where` is read only where that holds, and all of time is
 * looked at in one go, since such events lie far apart, and a look at the last hours costs half as much again.
 */
export type EventsOf = { first?: string; where: string; params: Record<string, unknown> }

/**
 * One page of a workspace's events, newest first, with one row more than the page when there are more. The workspace is
 * always a predicate. Throws 400 for filters that make no sense together.
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
  const { of } = options
  const few = of?.first
  const own = ['workspace_id = {workspace:String}', ...(few === undefined ? [] : [few])]
  const conditions = [...where, ...(of === undefined ? [] : [of.where])]
  const params: Record<string, unknown> = { ...values, ...of?.params, workspace: workspaceId }
  if (end !== undefined) {
    conditions.push('receive_time < fromUnixTimestamp64Milli({end:Int64})')
    params['end'] = end
  }
  if (page.after !== undefined) {
    conditions.push('receive_time <= fromUnixTimestamp64Milli({after:Int64})')
    conditions.push('(receive_time, event_id) < (fromUnixTimestamp64Milli({after:Int64}), {after_id:String})')
    params['after'] = page.after[0]
    params['after_id'] = page.after[1]
  }
  const newest = Math.min(page.after?.[0] ?? options.now, end ?? options.now)
  const found: EventRow[] = []
  /** Looks for the rest of the page in what was received since `from` and before what was looked at. */
  const look = async (from: number | undefined, before: number | undefined): Promise<void> => {
    const next = [
      ...conditions,
      ...(from === undefined ? [] : ['receive_time >= fromUnixTimestamp64Milli({since:Int64})']),
      ...(before === undefined ? [] : ['receive_time < fromUnixTimestamp64Milli({before:Int64})']),
    ]
    // Left to the engine, unless it is known what is best read first.
    const [early, rest] =
      few !== undefined
        ? [own, [...next, ...late]]
        : late.length > 0
          ? [[...own, ...next], late]
          : [[], [...own, ...next]]
    const rows = await eventStore.query<EventRow>(
      `select ${eventColumns} from events
       ${early.length === 0 ? '' : `prewhere ${early.join(' and ')} `}where ${rest.join(' and ')}
       order by receive_time desc, event_id desc limit {limit:UInt32}`,
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

/** A time of the event store as the wire shows it. */
export const wireTime = (ms: number): string => new Date(Number(ms)).toISOString()

/** The JSON object in a text, or null; `parse` reads it. */
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

/** A row of a list as the wire shows it. */
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
