import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, exactObject, line, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { delivery } from '../destinations/deliveries.ts'
import { compatibilities, problemKinds } from '../sources/compatibility.ts'
import { eventTypes } from './tracking.ts'

/**
 * `rejected` events are kept with their reason and go nowhere else; `blocked` ones did not fit the schema of a source that
 * blocks, and can be replayed; `held` ones came when the organization was over a limit of its plan, and are released by
 * themselves.
 */
export const eventStatuses = ['accepted', 'rejected', 'blocked', 'held'] as const

/** One row of an event list. */
export const eventSummary = z.object({
  /** `workspaces/{id}/events/{event_id}`. */
  name: z.string(),
  event_id: z.string(),
  message_id: z.string(),
  /** One of `eventTypes`; a rejected event may have another or none. */
  type: z.string(),
  /** What a list shows: the event's name, or its type where it has none. */
  title: z.string(),
  /** Resource name of its source. */
  source: z.string(),
  test: z.boolean(),
  status: z.string(),
  /** Why it was rejected, or empty. */
  reason: z.string(),
  user_id: z.string(),
  anonymous_id: z.string(),
  /** How it fitted the schema; '' for events that were not validated. */
  compatibility: z.enum([...compatibilities, '']),
  /** The version of the schema that validated it; 0 when none did. */
  schema_version: z.number().int(),
  receive_time: time,
  timestamp: time,
})
export type EventSummary = z.infer<typeof eventSummary>

/** An event that was accepted a moment ago and is not stored yet: usually it is a second later. */
export const pendingEvent = z.object({
  state: z.literal('pending'),
  /** `workspaces/{id}/events/{event_id}`. */
  name: z.string(),
  event_id: z.string(),
})

export type PendingEvent = z.infer<typeof pendingEvent>

/** An event with everything known of it. */
export const eventDetail = eventSummary.extend({
  state: z.literal('stored'),
  group_id: z.string(),
  previous_id: z.string(),
  original_timestamp: time.nullable(),
  sent_at: time.nullable(),
  ip: z.string(),
  /** What did not fit the schema version that validated it; properties as `Problem.property`. */
  problems: z.array(z.object({ property: z.string(), kind: z.enum(problemKinds) })),
  /** When a blocked or held event was sent again; null when it was not. */
  replay_time: time.nullable(),
  /**
   * The event as destinations get it (`PipelineEvent`), with what its batch said of all its events; a rejected one as
   * received, null when it is not a JSON object. Numbers stand in it to the digit.
   */
  payload: exactObject.nullable(),
  /** The same as JSON text, for readers whose numbers are doubles. */
  payload_text: z.string(),
  /** The event as received, as text. */
  original: z.string(),
  /** Every attempt to deliver it, newest first (at most 200). */
  deliveries: z.array(delivery),
})
export type EventDetail = z.infer<typeof eventDetail>

/** Filters of both lists; texts are compared whole, `search` looks for a part of the name in any letter case. */
const eventQuery = pageQuery.extend({
  type: z.enum(eventTypes).optional(),
  status: z.enum(eventStatuses).optional(),
  compatibility: z.enum(compatibilities).optional(),
  test: z.enum(['true', 'false']).optional(),
  event: line(500).optional(),
  search: line(200).optional(),
  /** User or anonymous id. */
  user_id: line(500).optional(),
  message_id: line(200).optional(),
  /** Only accepted events that have no profile: none of their IDs is of a user, or theirs is blocked or suppressed. */
  profile: z.literal('none').optional(),
  /**
   * A top-level property or trait, and the text of its value: a number in any way to write it, `true` or `false`. Only
   * together. Rejected events are found by it only with `status=rejected`.
   */
  property: line(200).optional(),
  property_value: line(500).optional(),
  /** Received at or after, and before. */
  start_time: time.optional(),
  end_time: time.optional(),
})
const eventList = z.object({ events: z.array(eventSummary), next_page_token: nextPageToken })

/** At most this many events are asked for at once. */
export const eventBatchLimit = 50

/** An event as a schema validates it. */
export const eventPayload = eventSummary
  .pick({ name: true, event_id: true, message_id: true, type: true, title: true, status: true })
  .extend({
    /** The same as `EventDetail.payload`. */
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
    summary: 'Lists the events of a source, newest first.',
    query: eventQuery,
    response: eventList,
    errors: [errors.notFound, errors.unavailable],
  }),
  list: defineMethod({
    name: 'events.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/events',
    access: workspaceMembers,
    summary: 'Lists the events of a workspace, newest first.',
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
