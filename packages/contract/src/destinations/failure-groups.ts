import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { parkedStates } from './deliveries.ts'

/** Parked deliveries of a destination with one cause: the same state, reason and HTTP status. */
export const failureGroup = z.object({
  /** `workspaces/{id}/destinations/{id}/failureGroups/{id}`; the same cause always has the same name. */
  name: z.string(),
  state: z.enum(parkedStates),
  /** The reason of the last attempt; empty before the first attempt. */
  reason: z.string(),
  /** HTTP status of the last attempt; null before the first attempt, and when there was no response. */
  http_status: z.number().int().nullable(),
  event_count: z.number().int(),
  /** Times of the first attempts of the oldest and the newest delivery. */
  first_time: time,
  last_time: time,
  /** The earliest next retry of these deliveries; null for dead letters. */
  next_time: time.nullable(),
  /** The maximum number of attempts of one delivery. */
  attempts: z.number().int(),
  /** The last request and response, without secrets. Masked for guests. */
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
    /** The number of events. */
    response: z.object({ event_count: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
}
