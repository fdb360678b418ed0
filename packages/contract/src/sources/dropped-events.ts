import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Accepted events of the last 24 hours that were deliberately not stored, for one reason. */
export const droppedEvent = z.object({
  /** Stable name of the reason: `duplicate`, `duplicate_rejected`. */
  reason: z.string(),
  /** The reason as a text. */
  message: z.string(),
  count: z.number().int(),
  /** Beginning of the last hour in which it happened. */
  last_hour: time,
})
export type DroppedEvent = z.infer<typeof droppedEvent>

export const droppedEvents = {
  listBySource: defineMethod({
    name: 'droppedEvents.listBySource',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/droppedEvents',
    access: workspaceMembers,
    summary:
      "Counts a source's accepted events in the last 24 hours that were not stored, by reason, most frequent first.",
    query: pageQuery,
    response: z.object({ dropped_events: z.array(droppedEvent), next_page_token: nextPageToken }),
    errors: [errors.notFound, errors.unavailable],
  }),
}
