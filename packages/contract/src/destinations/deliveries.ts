import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { operations, producerKinds } from './outbound.ts'

/**
 * The outcome of an event at a destination: delivered, to be retried, or dead. A `filtered` event was never tried,
 * because of a filter, a missing mapping, the consent or the event itself.
 */
export const deliveryStatuses = ['delivered', 'retry', 'dead', 'filtered'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The reason of an event that is held without an attempt until an earlier change of its record is delivered. */
export const waitsForEarlierChange = 'Waiting for an earlier change of the same record'

/** One attempt to deliver one event. */
export const delivery = z.object({
  /** Resource name of the destination, the source and the event. */
  destination: z.string(),
  source: z.string(),
  event: z.string(),
  event_id: z.string(),
  message_id: z.string(),
  event_type: z.string(),
  /** The title in a list: the event's name, or its type when it has none. */
  event_title: z.string(),
  time: time,
  /** Number of the attempt, from 1. */
  attempt: z.number().int(),
  /** One of `deliveryStatuses`. */
  status: z.string(),
  /** HTTP status of the response; 0 when there was none. */
  http_status: z.number().int(),
  latency_ms: z.number().int(),
  reason: z.string(),
  /**
   * Request and response of a failed attempt, without secrets; empty for other attempts. For a batch, recognizable data
   * of other events is removed. Masked for guests.
   */
  request: z.string(),
  response: z.string(),
  /** Resource name of the audience that sent the event in place of a source. */
  audience: z.string().optional(),
  /** Resource name of the signal that sent the conversion in place of a source. */
  signal: z.string().optional(),
  /**
   * The operation and its record, if no source sent it. `event_id` is then the producer's own ID. For an event of an
   * audience, `key` is the profile.
   */
  row: z
    .object({
      producer: z.enum(producerKinds),
      operation: z.enum(operations),
      object: z.string(),
      key: z.string(),
    })
    .optional(),
})
export type Delivery = z.infer<typeof delivery>

/** Parked deliveries wait for a retry (`waiting`), or are not retried automatically (`dead`). */
export const parkedStates = ['waiting', 'dead'] as const

/** Events of one source or audience that are held together for a destination. */
export const parkedDelivery = z.object({
  name: z.string(),
  source: z.string(),
  /** The audience that sent the events; absent if a source sent them. */
  audience: z.object({ name: z.string(), title: z.string() }).optional(),
  destination: z.string(),
  state: z.enum(parkedStates),
  event_count: z.number().int(),
  attempts: z.number().int(),
  first_time: time,
  /** The time of the next attempt, if the delivery waits for a retry. */
  next_time: time,
  /** HTTP status of the last attempt; null before the first attempt, and when there was no response. */
  last_status: z.number().int().nullable(),
  last_reason: z.string(),
  /** Request and response of the last attempt. Masked for guests. */
  request: z.string(),
  response: z.string(),
  /** The IDs of the events, at most 100; empty for events that were held without an attempt. */
  events: z.array(
    z.object({
      name: z.string(),
      event_id: z.string(),
      message_id: z.string(),
      event_type: z.string(),
      event_title: z.string(),
      user_id: z.string(),
      anonymous_id: z.string(),
      /** The time of receipt; null if the event is not stored, or if an audience sent it. */
      receive_time: time.nullable(),
      /** Resource name of the profile in an event that an audience sent. */
      profile: z.string().optional(),
    }),
  ),
})
export type ParkedDelivery = z.infer<typeof parkedDelivery>

/** The number of parked events in one state, and the time of the oldest event. */
export const parkedSummary = z.object({
  /** Number of events. */
  event_count: z.number().int(),
  oldest_time: time.nullable(),
})

export const deliveries = {
  list: defineMethod({
    name: 'deliveries.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/deliveries',
    access: workspaceMembers,
    summary:
      "Lists a destination's delivery attempts, newest first, optionally from `start_time` to before `end_time`, with the number of held events.",
    query: pageQuery.extend({
      status: z.enum(deliveryStatuses).optional(),
      start_time: time.optional(),
      end_time: time.optional(),
      /** Lists only events of this source, by resource name. */
      source: reference.optional(),
      /** Lists only events of this audience, by resource name. Cannot be combined with `source`. */
      audience: reference.optional(),
      /** Lists only conversions of this signal, by resource name. Cannot be combined with `source` or `audience`. */
      signal: reference.optional(),
      /** Lists only the event or conversion with this ID. */
      event_id: line(300).optional(),
      /** Lists only deliveries that were sent without this part, by a reason of `leftOutCounts.get`. */
      left_out: line(1000).optional(),
    }),
    response: z.object({
      deliveries: z.array(delivery),
      next_page_token: nextPageToken,
      waiting: parkedSummary,
      dead: parkedSummary,
    }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  listParked: defineMethod({
    name: 'deliveries.listParked',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/parkedDeliveries',
    access: workspaceMembers,
    summary:
      'Lists the events held for a destination, waiting or dead letters, optionally of one failure group, latest first.',
    query: pageQuery.extend({ state: z.enum(parkedStates).optional(), failure_group: reference.optional() }),
    response: z.object({ parked_deliveries: z.array(parkedDelivery), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
}
