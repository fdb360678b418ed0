import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { problemKinds } from './compatibility.ts'

/** A violation of a source's schema by a property of an event, over the last 30 days. */
export const violation = z.object({
  /** `track` or `identify`. */
  type: z.string(),
  /** The event's name; '' for identify. */
  event: z.string(),
  /** The property's path, `array/field` for fields of items; '' when the whole event is unknown. */
  property: z.string(),
  /** `new_event` when the schema does not define the event. */
  problem: z.enum([...problemKinds, 'new_event']),
  last_24_hours: z.number().int(),
  last_7_days: z.number().int(),
  last_30_days: z.number().int(),
  last_seen_time: time,
  /** Resource names of the newest events with the violation, newest first, at most 5. */
  sample_events: z.array(z.string()),
  /** The version from which the schema allows it; null while the schema does not allow it. */
  fixed_in_version: z.number().int().nullable(),
})
export type Violation = z.infer<typeof violation>

export const violations = {
  listBySource: defineMethod({
    name: 'violations.listBySource',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/violations',
    access: workspaceMembers,
    summary: "Lists a source's schema violations in the last 30 days, most frequent first.",
    query: pageQuery,
    response: z.object({
      violations: z.array(violation),
      next_page_token: nextPageToken,
      /** Blocked events of the last 30 days that were not replayed. */
      blocked_count: z.number().int(),
    }),
    errors: [errors.notFound, errors.unavailable],
  }),
  replayBlocked: defineMethod({
    name: 'violations.replayBlocked',
    verb: 'POST',
    path: '/workspaces/{workspace}/sources/{source}:replayBlockedEvents',
    access: workspaceEditors,
    summary:
      'Replays the blocked events that match the current schema, each once, as new events. The rest stay blocked.',
    request: z.object({
      /** Replays only the events with this name. */
      event: line(500).optional(),
    }),
    response: z.object({
      /** Number of events that were sent again, and number of events that still do not match. */
      replayed: z.number().int(),
      still_blocked: z.number().int(),
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
}
