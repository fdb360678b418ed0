import { type Notification, notificationKinds, resourceNames } from '@tributary/contract'
import type { NotificationsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Returns a notification in the form of the API. */
export const presentNotification = (row: Selectable<NotificationsTable>): Notification => ({
  name: resourceNames.notification.format({ user: row.user_id, notification: row.id }),
  kind: notificationKinds.find((kind) => kind === row.kind) ?? 'invitation_accepted',
  title: row.title,
  body: row.body,
  link: row.link,
  create_time: row.create_time.toISOString(),
  read_time: row.read_time?.toISOString() ?? null,
})
