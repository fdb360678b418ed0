import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, exactObject, line, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { delivery } from '../destinations/deliveries.ts'
import { compatibilities, problemKinds } from '../sources/compatibility.ts'
import { eventTypes } from './tracking.ts'

/**
 * The outcome of collecting an event.
 * - `rejected` events are stored with their reason and are not delivered.
 * - `blocked` events violate the schema of a source that blocks, and can be replayed.
 * - `held` events came while the organization was over a limit of its plan, and are released automatically.
 */
export const eventStatuses = ['accepted', 'rejected', 'blocked', 'held'] as const

/** One row of an event list. */
export const eventSummary = z.object({
  /** `workspaces/{id}/events/{event_id}`. */
  name: z.string(),
  event_id: z.string(),
  message_id: z.string(),
  /** One of `eventTypes`; a rejected event can have another or none. */
  type: z.string(),
  /** The title in a list: the event's name, or its type when it has none. */
  title: z.string(),
  /** Resource name of its source. */
  source: z.string(),
  test: z.boolean(),
  status: z.string(),
  /** Why the event was rejected. For other events a note, such as one about an unreadable time, or empty. */
  reason: z.string(),
  user_id: z.string(),
  anonymous_id: z.string(),
  /** The result of the validation by the schema; '' for events that were not validated. */
  compatibility: z.enum([...compatibilities, '']),
  /** The version of the schema that validated the event; 0 for none. */
  schema_version: z.number().int(),
  receive_time: time,
  timestamp: time,
})
export type EventSummary = z.infer<typeof eventSummary>

/** An event that was just accepted and is not stored yet. Storing usually takes a second. */
export const pendingEvent = z.object({
  state: z.literal('pending'),
  /** `workspaces/{id}/events/{event_id}`. */
  name: z.string(),
  event_id: z.string(),
})

export type PendingEvent = z.infer<typeof pendingEvent>

/** An event with all its details. */
export const eventDetail = eventSummary.extend({
  state: z.literal('stored'),
  group_id: z.string(),
  previous_id: z.string(),
  original_timestamp: time.nullable(),
  sent_at: time.nullable(),
  ip: z.string(),
  /** The violations that the schema version found; properties as `Problem.property`. */
  problems: z.array(z.object({ property: z.string(), kind: z.enum(problemKinds) })),
  /** The time when a blocked or held event was sent again; null if it was not sent again. */
  replay_time: time.nullable(),
  /**
   * The event as destinations get it (`PipelineEvent`), including the common fields of its batch. A rejected event has
   * the received object; null if it is not a JSON object. Numbers keep every digit.
   */
  payload: exactObject.nullable(),
  /** `payload` as JSON text, for clients that read numbers as doubles. */
  payload_text: z.string(),
  /** The event as received, as text. */
  original: z.string(),
  /** All attempts to deliver it, newest first (at most 200). */
  deliveries: z.array(delivery),
})
export type EventDetail = z.infer<typeof eventDetail>

/**
 * The time by which events are listed and filtered: the time of receipt (the default), or the event's own time, which
 * is never after its receipt.
 */
export const timeBases = ['receive_time', 'event_time'] as const
export type TimeBasis = (typeof timeBases)[number]

/** Filters of both lists. Texts must be equal; `search` matches a part of the name in any letter case. */
const eventQuery = pageQuery.extend({
  type: z.enum(eventTypes).optional(),
  status: z.enum(eventStatuses).optional(),
  compatibility: z.enum(compatibilities).optional(),
  test: z.enum(['true', 'false']).optional(),
  event: line(500).optional(),
  search: line(200).optional(),
  /** User or anonymous ID. */
  user_id: line(500).optional(),
  message_id: line(200).optional(),
  /** `none` lists only accepted events without a profile, because their IDs are blocked, suppressed, or absent. */
  profile: z.literal('none').optional(),
  /**
   * A top-level property or trait, and the text of its value: a number in any notation, `true` or `false`. The name and
   * the value are required together. Rejected events are found only with `status=rejected`.
   */
  property: line(200).optional(),
  property_value: line(500).optional(),
  /** Range of the time that `time_by` selects: at or after `start_time`, and before `end_time`. */
  start_time: time.optional(),
  end_time: time.optional(),
  time_by: z.enum(timeBases).optional(),
})
const eventList = z.object({ events: z.array(eventSummary), next_page_token: nextPageToken })

/** Maximum events of one call. */
export const eventBatchLimit = 50

/** An event as a schema validates it. */
export const eventPayload = eventSummary
  .pick({ name: true, event_id: true, message_id: true, type: true, title: true, status: true })
  .extend({
    /** The event as `EventDetail.payload` has it. */
    payload: exactObject.nullable(),
  })
export type EventPayload = z.infer<typeof eventPayload>

const eventIds = line(eventBatchLimit * 64)
  .min(1, 'Required')
  .transform((ids) => ids.split(','))
  .refine((ids) => ids.length <= eventBatchLimit, `At most ${eventBatchLimit} events`)

export const events = {
  batchGetBySource: defineMethod({
    name: 'events.batchGetBySource',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/events:batchGet',
    access: workspaceMembers,
    summary: `Gets the payloads of up to ${eventBatchLimit} events of a source by comma-separated IDs. Events that are not stored are omitted.`,
    query: z.object({ event_ids: eventIds }),
    response: z.object({ events: z.array(eventPayload) }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  listBySource: defineMethod({
    name: 'events.listBySource',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/events',
    access: workspaceMembers,
    summary: 'Lists the events of a source, newest first, by the time of receipt or of the event.',
    query: eventQuery,
    response: eventList,
    errors: [errors.notFound, errors.unavailable],
  }),
  list: defineMethod({
    name: 'events.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/events',
    access: workspaceMembers,
    summary: 'Lists the events of a workspace, newest first, by the time of receipt or of the event.',
    query: eventQuery.extend({ source: reference.optional() }),
    response: eventList,
    errors: [errors.notFound, errors.unavailable],
  }),
  get: defineMethod({
    name: 'events.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/events/{event}',
    access: workspaceMembers,
    summary:
      'Gets an event with its original and its outcome at every destination. Its state is `pending` until it is stored.',
    response: z.discriminatedUnion('state', [eventDetail, pendingEvent]),
    errors: [errors.notFound, errors.unavailable],
  }),
}
