import type { Judgement, RequestMeta } from '@tributary/contract'
import type { AcceptedStatus, NormalEvent, RawEvent } from './event-types.ts'
import { jsonString, storableJson } from './json-text.ts'
import type { Reject } from './outcome.ts'

/** The columns that all events of a request share; every row text begins with it. */
export const rowPrefix = (meta: RequestMeta): string =>
  `{"workspace_id":${jsonString(meta.w)},"source_id":${jsonString(meta.s)},"receive_time":${meta.r}`

const text = (column: string, value: string): string => (value === '' ? '' : `,"${column}":${jsonString(value)}`)

const time = (column: string, value: number | undefined): string => (value === undefined ? '' : `,"${column}":${value}`)

const json = (column: string, value: string): string =>
  value === '' || value === '{}' ? '' : `,"${column}":${storableJson(value)}`

/** The columns of who and what, as far as they are known. */
const identity = (event: NormalEvent): string =>
  `${text('message_id', event.messageId)}${text('type', event.type)}${text('event', event.event)}${text('user_id', event.userId)}` +
  `${text('anonymous_id', event.anonymousId)}${text('group_id', event.groupId)}${text('previous_id', event.previousId)}` +
  `${text('ip', event.ip)}${event.test ? ',"test":true' : ''},"timestamp":${event.timestamp}` +
  `${time('original_timestamp', event.originalTimestamp)}${time('sent_at', event.sentAt)}`

/** The columns of how an event fitted version `version` of its source's schema. */
export const fitColumns = ({ compatibility, problems }: Judgement, version: number): string => {
  const columns = `,"compatibility":"${compatibility}","schema_version":${version}`
  if (problems.length === 0) return columns
  let list = ''
  for (const { property, kind } of problems)
    list += `${list === '' ? '' : ','}{"property":${jsonString(property)},"kind":"${kind}"}`
  return `${columns},"problems":[${list}]`
}

/**
 * What an event needs to be sent again and its original may lack: the integrations of its batch. Those of blocked events
 * are kept always.
 */
const forReplay = ({ integrations, raw }: NormalEvent, status: AcceptedStatus): string =>
  integrations === undefined || (status === 'accepted' && raw.request.integrations === undefined)
    ? ''
    : text('integrations', JSON.stringify(integrations))

/**
 * The row of an accepted or blocked event for the table `events`, as one line of NDJSON; `fit` are its `fitColumns`, or
 * '' when no schema judged it. Times are integers of ms (the engine reads an integer as ticks of DateTime64(3)); columns
 * that have their default are left out.
 */
export const acceptedRow = (event: NormalEvent, status: AcceptedStatus, fit: string): string =>
  `${event.raw.request.rowPrefix},"event_id":"${event.raw.eventId}","status":"${status}"${fit}${identity(event)}` +
  `${forReplay(event, status)}${json('properties', event.properties)}${json('traits', event.traits)}` +
  `${json('context', event.context)},"original":${JSON.stringify(event.raw.original)}}`

/** The row of a rejected event: its original, its reason and what could be read of it; the JSON columns are empty. */
export const rejectedRow = (raw: RawEvent, event: NormalEvent | undefined, why: Reject): string =>
  `${raw.request.rowPrefix},"event_id":"${raw.eventId}","status":"rejected","reason":${jsonString(reasonText(why))}` +
  `${event === undefined ? `,"timestamp":${raw.request.meta.r}` : identity(event)}` +
  `,"original":${JSON.stringify(raw.original)}}`

/** How a reason is kept: its stable name, then what to mend. */
export const reasonText = (why: Pick<Reject, 'reason' | 'message'>): string => `${why.reason}: ${why.message}`

/** Columns that a row refused by the event store keeps: plain texts and integers that were not part of the refusal. */
const kept = ['workspace_id', 'source_id', 'event_id', 'receive_time', 'timestamp', 'original'] as const
const keptIfSound = [
  'message_id',
  'type',
  'event',
  'user_id',
  'anonymous_id',
  'group_id',
  'previous_id',
  'ip',
  'test',
  'original_timestamp',
  'sent_at',
] as const

/**
 * The row that stands for one the event store refused: rejected, with the engine's reason and without JSON columns. The
 * `bare` form carries nothing but its place, its source and its original.
 */
export const refusedRow = (row: string, engineMessage: string, form: 'full' | 'bare'): string => {
  const columns: Record<string, unknown> = JSON.parse(row)
  const result: Record<string, unknown> = {}
  for (const column of kept) result[column] = columns[column]
  if (form === 'full')
    for (const column of keptIfSound) if (columns[column] !== undefined) result[column] = columns[column]
  result['status'] = 'rejected'
  result['reason'] = reasonText({
    reason: 'refused_by_event_store',
    message: engineMessage.slice(0, 300).toWellFormed(),
  })
  return JSON.stringify(result)
}

/** How many events of a source were left out in an hour, and why. */
export type DroppedCount = { workspaceId: string; sourceId: string; hour: number; reason: string; events: number }

/** A row of the table `dropped_events`; `hour` is epoch seconds. */
export const droppedRow = (count: DroppedCount): string =>
  `{"workspace_id":${jsonString(count.workspaceId)},"source_id":${jsonString(count.sourceId)},"hour":${count.hour},"reason":"${count.reason}","events":${count.events}}`
