import { z } from 'zod'
import { oneself } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** The kinds of notifications in the inbox. */
export const notificationKinds = [
  'invitation_accepted',
  'delivery_failing',
  'connection_expired',
  'backlog_full',
  'stream_full',
  'requests_set_aside',
  'sync_stalled',
  'sync_alert',
  'plan_usage',
  'api_version_ends',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const notification = z.object({
  /** `users/{id}/notifications/{id}`. */
  name: z.string(),
  kind: z.enum(notificationKinds),
  title: z.string(),
  body: z.string(),
  /** Path of the page that the notification is about, or empty. */
  link: z.string(),
  create_time: time,
  read_time: time.nullable(),
})
export type Notification = z.infer<typeof notification>

/**
 * The realtime channel of one signed-in user, as the protocol names it. Each `notification` event carries one
 * notification.
 */
export const userChannel = (userId: string): string => `#server-to-user-${userId}`

export const notifications = {
  list: defineMethod({
    name: 'notifications.list',
    verb: 'GET',
    path: '/users/{user}/notifications',
    access: oneself,
    summary: "Lists the user's notifications, newest first, with the unread count.",
    query: pageQuery,
    response: z.object({
      notifications: z.array(notification),
      unread_count: z.number().int(),
      next_page_token: nextPageToken,
    }),
    errors: [errors.forbidden, errors.notFound],
  }),
  markRead: defineMethod({
    name: 'notifications.markRead',
    verb: 'POST',
    path: '/users/{user}/notifications/{notification}:markRead',
    access: oneself,
    summary: 'Marks a notification as read.',
    request: empty,
    response: notification,
    errors: [errors.forbidden, errors.notFound],
  }),
  markAllRead: defineMethod({
    name: 'notifications.markAllRead',
    verb: 'POST',
    path: '/users/{user}/notifications:markAllRead',
    access: oneself,
    summary: 'Marks all notifications as read.',
    request: empty,
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
