import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { operations, producerKinds } from './outbound.ts'

/**
 * The outcome of an event at a destination: an attempt was taken, is to be tried again, or was given up; `filtered` ones
 * were never tried, since a filter, a missing mapping, the consent or the event itself leaves the destination out.
 */
export const deliveryStatuses = ['delivered', 'retry', 'dead', 'filtered'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The reason of what is held though nobody tried it: something earlier of its record waits. */
export const waitsForEarlierChange = 'Waiting for an earlier change of the same record'

/** One attempt to deliver one event. */
export const delivery = z.object({
  /** Resource names of destination, source and event. */
  destination: z.string(),
  source: z.string(),
  event: z.string(),
  event_id: z.string(),
  message_id: z.string(),
  event_type: z.string(),
  /** What a list shows of the event: its name, or its type where it has none. */
  event_title: z.string(),
  time: time,
  /** 1 is the first. */
  attempt: z.number().int(),
  /** One of `deliveryStatuses`. */
  status: z.string(),
  /** 0 when there was no answer. */
  http_status: z.number().int(),
  latency_ms: z.number().int(),
  reason: z.string(),
  /** Kept for failures, without secrets; empty otherwise. Of a batch, what can be told to be of other events is left out. Masked for guests. */
  request: z.string(),
  response: z.string(),
  /** The audience that it tells of, by resource name, where an audience sent it and no source. */
  audience: z.string().optional(),
  /** The signal whose conversion it is, by resource name, where a signal sent it and no source. */
  signal: z.string().optional(),
  /** What was asked for, where no source sent it; `event_id` is the producer's own id of it then. Of an event of an audience, `key` is the profile. */
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

/** Parked deliveries wait for another try (`waiting`), or nobody tries again by itself (`dead`). */
export const parkedStates = ['waiting', 'dead'] as const

/** Events of one source or audience that are held for a destination. */
export const parkedDelivery = z.object({
  name: z.string(),
  source: z.string(),
  /** The audience that sent them; absent where a source did. */
  audience: z.object({ name: z.string(), title: z.string() }).optional(),
  destination: z.string(),
  state: z.enum(parkedStates),
  event_count: z.number().int(),
  attempts: z.number().int(),
  first_time: time,
  /** When it is tried again, if it waits. */
  next_time: time,
  /** Null before the first try and when there was no answer. */
  last_status: z.number().int().nullable(),
  last_reason: z.string(),
  /** Masked for guests. */
  request: z.string(),
  response: z.string(),
  /** Which events they are, at most 100; empty for those that were held without a try. */
  events: z.array(
    z.object({
      name: z.string(),
      event_id: z.string(),
      message_id: z.string(),
      event_type: z.string(),
      event_title: z.string(),
      user_id: z.string(),
      anonymous_id: z.string(),
      /** When it was received; null when it is not stored (any more), or an audience sent it. */
      receive_time: time.nullable(),
      /** The profile that it tells of, by resource name, where an audience sent it. */
      profile: z.string().optional(),
    }),
  ),
})
export type ParkedDelivery = z.infer<typeof parkedDelivery>

/** How much is parked in one state. */
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
      /** Only of events of this source, by resource name. */
      source: reference.optional(),
      /** Only of events of this audience, by resource name; not together with `source`. */
      audience: reference.optional(),
      /** Only of conversions of this signal, by resource name; not together with `source` or `audience`. */
      signal: reference.optional(),
      /** Only of the event, or the conversion, with this ID. */
      event_id: line(300).optional(),
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
