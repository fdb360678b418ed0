import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { parkedStates } from './deliveries.ts'

/** What is held for a destination for one cause: the same state, reason and HTTP status. */
export const failureGroup = z.object({
  /** `workspaces/{id}/destinations/{id}/failureGroups/{id}`; the same cause has the same name again. */
  name: z.string(),
  state: z.enum(parkedStates),
  /** Of the last attempt; empty for what was not tried yet. */
  reason: z.string(),
  /** Null before the first try and when there was no answer. */
  http_status: z.number().int().nullable(),
  event_count: z.number().int(),
  /** When the first of them was tried first, and the last of them. */
  first_time: time,
  last_time: time,
  /** When the next of them is tried again; null for dead letters. */
  next_time: time.nullable(),
  /** The most that one of them was tried. */
  attempts: z.number().int(),
  /** What was sent and answered last, without secrets. Masked for guests. */
  request: z.string(),
  response: z.string(),
})
export type FailureGroup = z.infer<typeof failureGroup>

export const failureGroups = {
  list: defineMethod({
    name: 'failureGroups.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/failureGroups',
    access: workspaceMembers,
    summary:
      'Groups the events held for a destination by cause, dead letters first, largest group first. `start_time` limits dead letters to those that became dead letters since then; waiting events always count.',
    query: pageQuery.extend({ state: z.enum(parkedStates).optional(), start_time: time.optional() }),
    response: z.object({ failure_groups: z.array(failureGroup), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'failureGroups.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/failureGroups/{failure_group}',
    access: workspaceMembers,
    summary: 'Gets a failure group; 404 once it is empty.',
    response: failureGroup,
    errors: [errors.notFound],
  }),
  discard: defineMethod({
    name: 'failureGroups.discard',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/failureGroups/{failure_group}:discard',
    access: workspaceEditors,
    summary: "Discards dead letters. They can't be retried. The delivery log records it for each event.",
    request: z.object({}),
    /** How many events. */
    response: z.object({ event_count: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
}
