import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, maskQuery, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'
import { eventFilter } from '../rules/conditions.ts'
import { deliveryOutcomes } from './delivery-outcomes.ts'

const end = z.object({
  name: z.string(),
  title: z.string(),
  enabled: z.boolean(),
  display_name: z.string(),
  app_icon: z.string(),
})

export const connection = z.object({
  /** `workspaces/{id}/connections/{id}`. */
  name: z.string(),
  /** Resource names of the source and the destination. */
  source: z.string(),
  destination: z.string(),
  enabled: z.boolean(),
  /** Only events that meet this filter are sent to the destination. */
  filter: eventFilter,
  create_time: time,
  /** The source and the destination as a list shows them. */
  extra: z.object({ source: end, destination: end }),
})
export type Connection = z.infer<typeof connection>

/** The outcomes of events from a source at a destination in a period. */
export const connectionActivity = deliveryOutcomes.extend({
  /** Resource names of the source and the destination. */
  source: z.string(),
  destination: z.string(),
})
export type ConnectionActivity = z.infer<typeof connectionActivity>

export const connections = {
  getActivity: defineMethod({
    name: 'connections.getActivity',
    verb: 'GET',
    path: '/workspaces/{workspace}/connectionActivity',
    access: workspaceMembers,
    summary:
      'Gets delivery outcomes from each source to each destination of a workspace, from `start_date.seconds` to before `end_date.seconds` (at most 92 days; the last 24 hours by default). Each event counts once per destination, regardless of retries.',
    query: z.object({ 'start_date.seconds': epochSeconds.optional(), 'end_date.seconds': epochSeconds.optional() }),
    response: z.object({ activities: z.array(connectionActivity) }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  list: defineMethod({
    name: 'connections.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/connections',
    access: workspaceMembers,
    summary: 'Lists the connections of a workspace, source, or destination, newest first.',
    query: pageQuery.extend({ source: reference.optional(), destination: reference.optional() }),
    response: z.object({ connections: z.array(connection), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'connections.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/connections',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Connects a source to a destination. New events are delivered from then on.',
    request: z.object({ source: reference, destination: reference }),
    response: connection,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.exists],
  }),
  update: defineMethod({
    name: 'connections.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/connections/{connection}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Enables or disables a connection, or changes its filter.',
    query: maskQuery,
    request: z.object({ enabled: z.boolean().optional(), filter: eventFilter.optional() }),
    response: connection,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'connections.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/connections/{connection}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Disconnects a source from a destination.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
