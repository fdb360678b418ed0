import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** `filling`: profiles that were in when it was connected are being sent. `live`: whoever enters and leaves is sent. */
export const audienceDestinationStates = ['filling', 'live'] as const

/** A destination that is told who enters and leaves an audience. */
export const audienceDestination = z.object({
  /** The destination: `workspaces/{id}/destinations/{id}`. */
  name: z.string(),
  title: z.string(),
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
  state: z.enum(audienceDestinationStates),
  /** Profiles that were in when it was connected, and how many of them are sent. */
  fill_count: z.number().int(),
  fill_sent_count: z.number().int(),
  connect_time: time,
})
export type AudienceDestination = z.infer<typeof audienceDestination>

const connected = { code: 409, reason: 'ALREADY_CONNECTED', when: 'It is connected already.' } as const
const noAudiences = {
  code: 400,
  reason: 'NO_AUDIENCES',
  when: 'The destination does not take audiences.',
} as const

const named = z.object({ destination: reference })

/** Where profiles that enter and leave audiences are sent: methods of `audiences`. */
export const audienceDestinationMethods = {
  listDestinations: defineMethod({
    name: 'audiences.listDestinations',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/destinations',
    access: workspaceMembers,
    summary: 'Lists the destinations that are told who enters and leaves an audience, and those that could be.',
    query: pageQuery,
    response: z.object({
      destinations: z.array(audienceDestination),
      /** Others of the workspace that take rows. */
      available: z.array(z.object({ name: z.string(), title: z.string() })),
      next_page_token: nextPageToken,
    }),
    errors: [errors.notFound],
  }),
  connectDestination: defineMethod({
    name: 'audiences.connectDestination',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:connectDestination',
    access: workspaceEditors,
    summary:
      'Connects a destination to an audience: unless `changes_only`, it is told of every profile that is in, and from then on of each that enters (upsert) and leaves (delete).',
    request: named.extend({ changes_only: z.boolean().default(false) }),
    response: z.object({ fill_count: z.number().int() }),
    errors: [errors.invalid, noAudiences, errors.forbidden, errors.notFound, connected],
  }),
  cancelFill: defineMethod({
    name: 'audiences.cancelFill',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:cancelFill',
    access: workspaceEditors,
    summary:
      'Ends the sending of profiles that were in an audience when a destination was connected. Changes are still sent.',
    request: named,
    response: empty,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  disconnectDestination: defineMethod({
    name: 'audiences.disconnectDestination',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:disconnectDestination',
    access: workspaceEditors,
    summary: 'Disconnects a destination from an audience. What is at the destination stays there.',
    request: named,
    response: empty,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
