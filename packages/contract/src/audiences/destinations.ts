import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** `filling`: present members are being sent, after connecting or a resend. `live`: entries and exits are sent. */
export const audienceDestinationStates = ['filling', 'live'] as const

/** The progress of an audience's sends to a destination. */
const connectionState = {
  state: z.enum(audienceDestinationStates),
  /** False while the destination is paused and its events are held. */
  enabled: z.boolean(),
  /** Members at the time of connecting or resending, and how many of them were sent. */
  fill_count: z.number().int(),
  fill_sent_count: z.number().int(),
  connect_time: time,
  /** The numbers of retried events and of dead letters, and the reason of the latest failure; '' for none. */
  waiting_count: z.number().int(),
  dead_count: z.number().int(),
  last_error: z.string(),
}

/** A destination that receives the entries and exits of an audience. */
export const audienceDestination = z.object({
  /** The destination: `workspaces/{id}/destinations/{id}`. */
  name: z.string(),
  title: z.string(),
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
  ...connectionState,
})
export type AudienceDestination = z.infer<typeof audienceDestination>

/** An audience whose entries and exits a destination receives. */
export const destinationAudience = z.object({
  /** The audience: `workspaces/{id}/audiences/{id}`. */
  name: z.string(),
  title: z.string(),
  ...connectionState,
  /**
   * Resource names of the latest events about the audience, newest first: users can try a mapping with these events.
   */
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

/** Methods of `audiences` that manage the destinations of entries and exits. */
export const audienceDestinationMethods = {
  listDestinations: defineMethod({
    name: 'audiences.listDestinations',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/destinations',
    access: workspaceMembers,
    summary: 'Lists the destinations that receive the entries and exits of an audience, and those that can.',
    query: pageQuery,
    response: z.object({
      destinations: z.array(audienceDestination),
      /** Other destinations of the workspace that accept `track` events. */
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
      'Sends every profile that is in an audience to a connected destination again, up to the changes that it has received; later ones follow. `audiences.cancelFill` ends it.',
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
    summary: 'Lists the audiences whose entries and exits a destination receives.',
    query: pageQuery,
    response: z.object({ audiences: z.array(destinationAudience), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
}
