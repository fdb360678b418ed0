import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, maskQuery, nextPageToken, pageQuery, reference, time, title } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Maximum channels of a workspace. */
export const maxAlertChannels = 20

export const alertChannelKinds = ['slack', 'webhook'] as const

/** A channel to which alerts of syncs are sent, in addition to inbox and email. */
export const alertChannel = z.object({
  /** `workspaces/{id}/alertChannels/{id}`. */
  name: z.string(),
  title: z.string(),
  kind: z.enum(alertChannelKinds),
  /** The host of the channel's URL. The URL itself is a secret. */
  host: z.string(),
  /** Names of the syncs whose alerts are sent to the channel; null for all syncs, also later ones. */
  syncs: z.array(z.string()).nullable(),
  create_time: time,
  /** The time when the channel last accepted a message. */
  last_sent_time: time.nullable(),
  /** Why the channel refused the last message, as a text; '' if it accepted the message. */
  failure: z.string(),
  failure_time: time.nullable(),
})
export type AlertChannel = z.infer<typeof alertChannel>

/** A channel when it was just created, with the signing secret, which is shown only once; '' for Slack. */
const newAlertChannel = alertChannel.extend({ signing_secret: z.string() })
export type NewAlertChannel = z.infer<typeof newAlertChannel>

/** The URL of a channel, as users enter it. */
export const alertChannelUrl = z
  .string()
  .trim()
  .max(1000, 'At most 1000 characters')
  .refine((text) => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text), 'Enter a URL that begins with https://')
  .refine((text) => {
    const url = URL.parse(text)
    return url === null || (url.username === '' && url.password === '')
  }, 'Enter a URL without a user name and a password')

const channelSyncs = z.array(reference).max(100, 'At most 100 syncs').nullable()

const unreadable = {
  code: 409,
  reason: 'SECRETS_UNREADABLE',
  when: 'The URL cannot be read, because the server has another secret key. Delete the channel and create it again.',
} as const

export const alertChannels = {
  list: defineMethod({
    name: 'alertChannels.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/alertChannels',
    access: workspaceMembers,
    summary:
      'Lists the channels that alerts of syncs are sent to, newest first, each with whether it took the last message.',
    query: pageQuery,
    response: z.object({ alert_channels: z.array(alertChannel), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'alertChannels.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/alertChannels',
    access: workspaceEditors,
    summary:
      'Creates a channel: an incoming webhook of Slack, or a URL that receives signed JSON. The URL is kept encrypted and is not shown again, nor is the signing secret.',
    request: z.object({
      title,
      kind: z.enum(alertChannelKinds),
      url: alertChannelUrl,
      syncs: channelSyncs.default(null),
    }),
    response: newAlertChannel,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'alertChannels.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/alertChannels/{alert_channel}',
    access: workspaceEditors,
    summary: 'Changes the title of a channel, or the syncs whose alerts it is sent.',
    query: maskQuery,
    request: z.object({ title: title.optional(), syncs: channelSyncs.optional() }),
    response: alertChannel,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'alertChannels.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/alertChannels/{alert_channel}',
    access: workspaceEditors,
    summary: 'Deletes a channel with what was not sent to it yet.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  test: defineMethod({
    name: 'alertChannels.test',
    verb: 'POST',
    path: '/workspaces/{workspace}/alertChannels/{alert_channel}:test',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Sends a test message to a channel, once, and says what became of it.',
    request: z.object({}),
    response: z.object({ ok: z.boolean(), message: z.string(), latency_ms: z.number().int() }),
    errors: [errors.forbidden, errors.notFound, unreadable, errors.tooMany],
  }),
}
