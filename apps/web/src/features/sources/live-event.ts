import {
  type Compatibility,
  type EventDetail,
  type EventSummary,
  type Judgement,
  judgedDataOf,
  judgeEvent,
  type LiveEventSummary,
  type SourceSchema,
} from '@tributary/contract'
import { isJudgedType } from './property-rows.ts'

/** One event of the live debugger. */
export type LiveEvent = {
  eventId: string
  /** Each is shown once. */
  messageId: string
  type: string
  title: string
  test: boolean
  receiveTime: string
  status: string
  reason: string
  /** How it fitted the schema when it was received; '' when nothing judged it. */
  compatibility: Compatibility | ''
  /** The version of the schema that judged it then; 0 when none did. */
  schemaVersion: number
  /** As destinations get it; undefined until it has been read whole, null when it is no JSON object. */
  payload: { readonly [name: string]: unknown } | null | undefined
}

/** A row of the stored list as the live list shows it. */
export const ofSummary = (event: EventSummary): LiveEvent => ({
  eventId: event.event_id,
  messageId: event.message_id,
  type: event.type,
  title: event.title,
  test: event.test,
  receiveTime: event.receive_time,
  status: event.status,
  reason: event.reason,
  compatibility: event.compatibility,
  schemaVersion: event.schema_version,
  payload: undefined,
})

/** An event that was read whole. */
export const ofDetail = (event: EventDetail): LiveEvent => ({ ...ofSummary(event), payload: event.payload })

/** A message of the live channel as the live list shows it. */
export const ofLive = (event: LiveEventSummary): LiveEvent => ({
  eventId: event.eventId,
  messageId: event.messageId,
  type: event.type,
  title: event.title,
  test: event.test,
  receiveTime: event.receiveTime,
  status: event.status,
  reason: event.reason ?? '',
  compatibility: event.compatibility ?? '',
  schemaVersion: event.schemaVersion ?? 0,
  payload: undefined,
})

/**
 * How an event fits: the schema as it is now once its payload is known, and until then as it was judged when it was
 * received. Undefined for a rejected event, which nothing judges, and while nobody can know.
 */
export const judgementOf = (event: LiveEvent, schema: SourceSchema): Judgement | undefined => {
  const { type, title, payload, compatibility } = event
  if (event.status === 'rejected') return undefined
  if (payload !== undefined)
    return judgeEvent(schema, { type, title, data: payload === null ? undefined : judgedDataOf(type, payload) })
  if (compatibility !== '') return { compatibility, problems: [] }
  return isJudgedType(type) ? undefined : { compatibility: 'compatible', problems: [] }
}
