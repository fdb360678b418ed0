import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** `filling`: profiles that are in are being sent, since it was connected or a resend. `live`: whoever enters and leaves is sent. */
export const audienceDestinationStates = ['filling', 'live'] as const

/** How far a destination is told of an audience. */
const connectionState = {
  state: z.enum(audienceDestinationStates),
  /** False while the destination is paused: what it is sent is held. */
  enabled: z.boolean(),
  /** Profiles that were in when it was connected or they were sent again, and how many of them are sent. */
  fill_count: z.number().int(),
  fill_sent_count: z.number().int(),
  connect_time: time,
  /** Events that are tried again, and those that were given up, with the reason of the latest; '' for none. */
  waiting_count: z.number().int(),
  dead_count: z.number().int(),
  last_error: z.string(),
}

/** A destination that is told who enters and leaves an audience. */
export const audienceDestination = z.object({
  /** The destination: `workspaces/{id}/destinations/{id}`. */
  name: z.string(),
  title: z.string(),
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
  ...connectionState,
})
export type AudienceDestination = z.infer<typeof audienceDestination>

/** An audience of which a destination is told. */
export const destinationAudience = z.object({
  /** The audience: `workspaces/{id}/audiences/{id}`. */
  name: z.string(),
  title: z.string(),
  ...connectionState,
  /** The latest events that tell of it, by resource name, newest first: a mapping can be tried with them. */
  recent_events: z.array(z.object({ name: z.string(), title: z.string(), time })),
})
export type DestinationAudience = z.infer<typeof destinationAudience>

const connected = { code: 409, reason: 'ALREADY_CONNECTED', when: 'It is connected already.' } as const
const sending = { code: 409, reason: 'ALREADY_SENDING', when: 'Its profiles are being sent already.' } as const
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
      /** Others of the workspace that take `track` events. */
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
      'Connects a destination to an audience: unless `changes_only`, it is sent an event `Audience Entered` for every profile that is in, and from then on `Audience Entered` and `Audience Exited` for each that enters and leaves.',
    request: named.extend({ changes_only: z.boolean().default(false) }),
    response: z.object({ fill_count: z.number().int() }),
    errors: [errors.invalid, noAudiences, errors.forbidden, errors.notFound, connected],
  }),
  resend: defineMethod({
    name: 'audiences.resend',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:resend',
    access: workspaceEditors,
    summary:
      'Sends a connected destination every profile that is in an audience again, as far as it was told of changes; later ones follow. `audiences.cancelFill` ends it.',
    request: named,
    response: z.object({ fill_count: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, sending],
  }),
  cancelFill: defineMethod({
    name: 'audiences.cancelFill',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:cancelFill',
    access: workspaceEditors,
    summary:
      'Ends the sending of profiles that are in an audience, begun by a connection or a resend. Changes are still sent.',
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
  listOfDestination: defineMethod({
    name: 'audiences.listOfDestination',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/audiences',
    access: workspaceMembers,
    summary: 'Lists the audiences of which a destination is told who enters and leaves.',
    query: pageQuery,
    response: z.object({ audiences: z.array(destinationAudience), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
}
